import { errors, jwtVerify, SignJWT } from 'jose';
import { accountIdOf, accountUuid, type TokenGrant } from '../domain/credentials.ts';
import type { Caller } from '../services/context.ts';
import { ALGORITHM, type SigningKeys } from './keys.ts';

/** Access tokens: signed JWTs by the profile of RFC 9068. */

/** What a token may be for (docs/decisions.md#tokens). */
export const SCOPES = ['default', 'read', 'platform'] as const;
export type Scope = (typeof SCOPES)[number];
const TYPE = 'at+jwt';

export interface TokenContext {
  keys: SigningKeys;
  issuer: string;
  now: () => Date;
}

/** The API is its own and only audience, named by the issuer's address; who gave it out for the caller is the actor (RFC 8693). */
export async function issueToken(
  { keys, issuer }: Omit<TokenContext, 'now'>,
  { accountId, clientId, platformId, scope }: Caller,
  { id: tokenId, issuedAtSeconds, expiresInSeconds }: TokenGrant,
): Promise<string> {
  const { id, privateKey } = await keys.signer();
  const act = platformId === undefined ? {} : { act: { sub: accountIdOf(platformId) } };
  return new SignJWT({ client_id: clientId, scope: scope ?? 'default', ...act })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(accountIdOf(accountId))
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + expiresInSeconds)
    .setJti(tokenId)
    .sign(privateKey);
}

export interface VerifiedToken {
  caller: Caller;
  expiresAtMillis: number;
}

/** What the token says, or why it is refused. Whether its client has been revoked is not looked at. */
export async function verifyToken(
  { keys, issuer, now }: TokenContext,
  token: string,
): Promise<VerifiedToken | 'invalid' | 'expired'> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(keys, kid), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience: issuer,
      currentDate: now(),
      requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti'],
    });
    const accountId = accountUuid(payload.sub!);
    const clientId = payload.client_id;
    const scope = SCOPES.find((one) => one === payload.scope);
    const platformId = payload.act === undefined ? undefined : platformOf(payload.act);
    if (!accountId || typeof clientId !== 'string' || !scope || platformId === null) return 'invalid';
    const caller = {
      accountId,
      clientId,
      ...(scope !== 'default' && { scope }),
      ...(platformId && { platformId }),
    };
    return { caller, expiresAtMillis: payload.exp! * 1000 };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError) return 'invalid';
    throw error;
  }
}

function platformOf(act: unknown): string | null {
  const { sub } = (act ?? {}) as { sub?: unknown };
  return typeof sub === 'string' ? accountUuid(sub) : null;
}

async function verificationKey(keys: SigningKeys, id: unknown) {
  const key = typeof id === 'string' ? await keys.verifier(id) : null;
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}
