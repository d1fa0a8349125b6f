import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { IdentityProviderRow } from '../db/queries/identity-providers.ts';
import { DomainError } from '../domain/errors.ts';
import type { ProviderKeys } from './provider-keys.ts';

/** Access tokens of users whom the identity provider of a platform has signed in (docs/decisions.md#sign-in-of-users). */

/** Asymmetric ones alone: a public key is nothing that a token can be made with. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];
const CLOCK_SKEW_SECONDS = 60;
/** By then an account that was deleted is forgotten (`former_sub_account`). */
const LONGEST_SECONDS = 24 * 3600;

/** What a token says. */
export interface User {
  provider: IdentityProviderRow;
  subject: string;
  scope: 'default' | 'read';
  issuedAtMillis: number;
  /** With the difference of clocks that is allowed for. */
  expiresAtMillis: number;
}

const REASONS = {
  unknown:
    'The access token is neither one of /oauth2/token nor one of an issuer and an audience that a platform names.',
  ambiguous:
    'The access token has the audiences of two platforms: its issuer is to give it that of one of them.',
  invalid: 'The access token is not valid. Get a new one by signing in again.',
  unsigned: 'The access token is not signed with a key of its issuer.',
  expired: 'The access token has expired. Get a new one by signing in again.',
  early: 'The access token is not good yet.',
  long: 'The access token is good for more than a day: its issuer is to give shorter ones.',
  kind: 'This is no access token, but another one of its issuer, such as an ID token.',
  bound: 'The access token is bound to a key of its client (cnf): the service takes bearer tokens.',
};

/** The issuer that a token names, which is not verified; null where it names none. */
export function namedIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

export interface UserTokenContext {
  now: () => Date;
  providerKeys: ProviderKeys;
}

/**
 * What the token says.
 * @param providers all that name its issuer
 * Throws `Unauthorized`, `Forbidden` where its scope is none of ours, and `Unavailable` where its issuer's keys cannot be had.
 */
export async function verifyUserToken(
  { now, providerKeys }: UserTokenContext,
  token: string,
  providers: readonly IdentityProviderRow[],
): Promise<User> {
  const provider = providerOf(decodeJwt(token), providers);
  const { issuer, audience } = provider;
  const currentDate = now();
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => providerKeys.find(issuer, header),
      {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        currentDate,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['sub', 'iat', 'exp'],
      },
    );
    assertAccessToken(protectedHeader, payload);
    const { sub, exp, iat } = payload;
    // From its beginning on: in its last day a longer one would pass for a short one.
    const goodForMillis = exp! * 1000 - Math.min(iat! * 1000, currentDate.getTime());
    if (goodForMillis > (LONGEST_SECONDS + CLOCK_SKEW_SECONDS) * 1000) throw refused('long');
    return {
      provider,
      subject: sub!,
      scope: scopeOf(payload, provider),
      issuedAtMillis: iat! * 1000,
      expiresAtMillis: (exp! + CLOCK_SKEW_SECONDS) * 1000,
    };
  } catch (error) {
    throw error instanceof DomainError ? error : refused(reasonOf(error));
  }
}

/** Of one that is to be sent: what is refused of it before its signature is looked at is what it says itself. */
function providerOf({ aud }: JWTPayload, providers: readonly IdentityProviderRow[]): IdentityProviderRow {
  const audiences = Array.isArray(aud) ? aud : [aud];
  const [provider, other] = providers.filter(({ audience }) => audiences.includes(audience));
  if (!provider) throw refused('unknown');
  // Whichever were taken, one of two platforms would have the other's user.
  if (other) throw refused('ambiguous');
  return provider;
}

/**
 * By its type where that says so (RFC 9068). Many providers write `JWT`, as ID tokens have: then what only those have, or other tokens,
 * must not be there.
 */
function assertAccessToken({ typ }: JWTHeaderParameters, payload: JWTPayload): void {
  if (payload.cnf !== undefined) throw refused('bound');
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return;
  const isOther =
    (type !== undefined && type !== 'jwt') ||
    ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'].some((claim) => payload[claim] !== undefined) ||
    // Of Keycloak and of Cognito.
    (payload.typ !== undefined && payload.typ !== 'Bearer') ||
    (payload.token_use !== undefined && payload.token_use !== 'access');
  if (isOther) throw refused('kind');
}

function scopeOf(payload: JWTPayload, { defaultScope, readScope }: IdentityProviderRow): User['scope'] {
  const given = payload.scope ?? payload.scp;
  const values: unknown[] = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  if (values.includes(defaultScope)) return 'default';
  if (values.includes(readScope)) return 'read';
  throw new DomainError(
    'Forbidden',
    `The access token has neither the scope ${defaultScope} nor ${readScope}.`,
  );
}

function reasonOf(error: unknown): keyof typeof REASONS {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') return 'early';
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return 'unsigned';
  return 'invalid';
}

function refused(reason: keyof typeof REASONS): DomainError {
  return new DomainError('Unauthorized', REASONS[reason]);
}
