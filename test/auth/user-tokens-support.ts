import { afterEach, beforeEach } from 'vitest';
import { createProviderKeys } from '../../src/auth/provider-keys.ts';
import { verifyUserToken } from '../../src/auth/user-tokens.ts';
import type { IdentityProviderRow } from '../../src/db/queries/identity-providers.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';
import {
  AUDIENCE,
  type Claims,
  type Header,
  type SigningPair,
  type StandIn,
  startStandIn,
} from '../support/identity-provider.ts';
import { movableClock } from './support.ts';

/** A platform whose users sign in at a stand-in of an identity provider. */

export const PLATFORM = '00000000-0000-4000-8000-000000000001';

export const INVALID = 'The access token is not valid. Get a new one by signing in again.';
export const UNSIGNED = 'The access token is not signed with a key of its issuer.';

export let idp: StandIn;
export let clock = movableClock();
export let providers: IdentityProviderRow[];
export let keys: ReturnType<typeof createProviderKeys>;

/** To be called by a file of tests, each of which has its own then. */
export function useIdentityProvider(): void {
  beforeEach(async () => {
    clock = movableClock();
    idp = await startStandIn();
    providers = [providerRow()];
    keys = keysWithin('127.0.0.0/8');
  });
  afterEach(() => idp.close());
}

/** The keys of providers that may be in these networks, too. */
export const keysWithin = (networks: string) =>
  createProviderKeys(createAddressCheck(parseNetworks(networks)), clock.elapsed);

export const providerRow = (changes: Partial<IdentityProviderRow> = {}): IdentityProviderRow => ({
  platformId: PLATFORM,
  issuer: idp.issuer,
  audience: AUDIENCE,
  createsAccounts: true,
  defaultScope: 'cardledger:default',
  readScope: 'cardledger:read',
  revision: 1,
  ...changes,
});

export const verified = (token: string, providerKeys = keys) =>
  verifyUserToken({ now: clock.now, providerKeys }, token, providers);

/** What is said of a token; `accepted` where nothing is. */
export async function outcome(token: string): Promise<string> {
  try {
    await verified(token);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.message;
  }
}

export const outcomeOf = async (claims: Claims = {}, header: Header = {}, signer?: SigningPair) =>
  outcome(await idp.token(claims, header, signer));

export const json = (response: { end(text: string): unknown }, value: unknown) =>
  response.end(JSON.stringify(value));
