import type { IdentityProviderRow } from '../../db/queries/identity-providers.ts';

/** Who signs the users of a platform in. */
export type IdentityProvider = Omit<IdentityProviderRow, 'platformId'>;

export function identityProviderOf({ platformId: _, ...provider }: IdentityProviderRow): IdentityProvider {
  return provider;
}
