import { CardledgerError, noAnswer, parsed, refusal } from './errors.ts';
import type { components } from './openapi.ts';
import { answerOf, repeated, type Service } from './requests.ts';

type Token = components['schemas']['Token'];

/** A token is renewed when it is good for less than this. */
const RESERVE_MILLIS = 60_000;

/** Gets a token by the client-credentials grant, keeps it, and renews it before it expires: one request for many callers. */
export function clientCredentials(
  service: Omit<Service, 'token'>,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Service['token'] {
  let kept: Promise<{ token: string; goodUntil: number }> | undefined;
  const renew = async () => {
    const asked = Date.now();
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'default',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const { status, text } = await repeated(service, { isRepeatable: true }, async (signal) =>
      answerOf(await service.fetch(`${service.url}/oauth2/token`, { method: 'POST', body, signal })),
    );
    if (status !== 200) throw refusal(status, text);
    const answer = parsed<Token>(text);
    if (!answer?.access_token) throw noAnswer(status);
    return { token: answer.access_token, goodUntil: asked + answer.expires_in * 1000 - RESERVE_MILLIS };
  };
  const begin = () => {
    const asking = renew();
    asking.catch(() => {
      if (kept === asking) kept = undefined;
    });
    return asking;
  };
  return async (refused) => {
    kept ??= begin();
    const asked = kept;
    const { token, goodUntil } = await asked;
    if (token !== refused && Date.now() < goodUntil) return token;
    // Unless another caller has begun to renew it meanwhile.
    if (kept === asked || !kept) kept = begin();
    return (await kept).token;
  };
}

/** The caller's own function: what it throws is no lost connection, and nothing is sent again for it. */
export function ownToken(token: Service['token']): Service['token'] {
  return async (refused) => {
    try {
      return await token(refused);
    } catch (cause) {
      throw new CardledgerError('Token', 'The function that gives the token failed.', { cause });
    }
  };
}
