import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { accountIdOf, accountUuid } from '../domain/credentials.ts';
import type { Caller } from '../services/context.ts';
import { ALGORITHM, type SigningKeys, TOKEN_SECONDS } from './keys.ts';

/** Access tokens: signed JWTs by the profile of RFC 9068. */

export const SCOPE = 'default';
const TYPE = 'at+jwt';

export interface TokenContext {
  keys: SigningKeys;
  issuer: string;
  now: () => Date;
}

/** A token that is good for TOKEN_SECONDS. The API is its own and only audience, named by the issuer's address. */
export async function issueToken({ keys, issuer, now }: TokenContext, caller: Caller): Promise<string> {
  const { id, privateKey } = await keys.signer();
  const issuedAt = Math.floor(now().getTime() / 1000);
  return new SignJWT({ client_id: caller.clientId, scope: SCOPE })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(accountIdOf(caller.accountId))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .setJti(randomUUID())
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
    if (!accountId || typeof clientId !== 'string' || payload.scope !== SCOPE) return 'invalid';
    return { caller: { accountId, clientId }, expiresAtMillis: payload.exp! * 1000 };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError) return 'invalid';
    throw error;
  }
}

async function verificationKey(keys: SigningKeys, id: unknown) {
  const key = typeof id === 'string' ? await keys.verifier(id) : null;
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}
