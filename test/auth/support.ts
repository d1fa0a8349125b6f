import { randomUUID } from 'node:crypto';
import { type Auth, type AuthOptions, createAuth } from '../../src/auth/index.ts';
import type { OAuthAnswer } from '../../src/auth/token-endpoint.ts';
import type { Database } from '../../src/db/client.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { type ClientCredentials, createClient } from '../../src/services/clients/create.ts';
import { accessTo } from '../../src/services/sub-accounts/access.ts';
import { NOW } from '../harness.ts';

export const ISSUER = 'http://localhost:4000';
export const FORM = 'application/x-www-form-urlencoded';

/** A clock that tests move. */
export function movableClock(start = NOW) {
  let millis = start.getTime();
  let setMillis = 0;
  return {
    now: () => new Date(millis + setMillis),
    elapsed: () => millis,
    /** What a program that sets the clock does; no time passes. */
    set: (seconds: number) => {
      setMillis += seconds * 1000;
    },
    advance: (seconds: number) => {
      millis += seconds * 1000;
    },
  };
}

/** One node; the limits of the token endpoint are off unless the test is about them. */
export function node(db: Database, now: () => Date, options: Partial<AuthOptions> = {}): Auth {
  const elapsed = () => now().getTime();
  return createAuth({
    db,
    now,
    elapsed,
    issuer: ISSUER,
    tokenLimitPerMinute: 0,
    accessTo: (accountId, platformId) => accessTo(db, platformId, accountId, elapsed, () => {}),
    signIn: { providersOf: () => [], accountOf: () => Promise.reject(new Error('Nobody signs in here.')) },
    addressesOf: createAddressCheck(parseNetworks('')),
    trustProxy: '',
    ...options,
  });
}

export async function newClient(db: Database): Promise<ClientCredentials & { accountId: string }> {
  const { accountId } = await createAccount(db, { name: 'Test', now: NOW });
  return { accountId, ...(await createClient(db, { accountId, name: 'Test', now: NOW })) };
}

/** Asks for a token with the credentials in the form, from an address that nobody else has. */
export function requestToken(
  auth: Auth,
  credentials: ClientCredentials,
  { address = newAddress(), ...changes }: Record<string, string> & { address?: string } = {},
): Promise<OAuthAnswer> {
  const fields = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    scope: 'default',
    ...changes,
  };
  return auth.token(
    { contentType: FORM, authorization: undefined, body: new URLSearchParams(fields).toString() },
    { socketAddress: address, forwardedFor: undefined },
  );
}

export async function tokenOf(auth: Auth, credentials: ClientCredentials): Promise<string> {
  const { status, body } = await requestToken(auth, credentials);
  if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}`);
  return String(body.access_token);
}

/** An IPv6 address in a /64 of its own. */
export function newAddress(): string {
  const digits = randomUUID().replaceAll('-', '');
  return `2001:db8:${digits.slice(0, 4)}:${digits.slice(4, 8)}::1`;
}

/** The caller, or the error that a bearer token meets. */
export async function outcome(auth: Auth, token: string): Promise<string> {
  try {
    await auth.caller(`Bearer ${token}`);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.message;
  }
}

export const EXPIRED = 'The access token has expired. Get a new one from /oauth2/token.';
export const INVALID = 'The access token is not valid. Get a new one from /oauth2/token.';
export const REVOKED = 'The client of the access token has been revoked.';
