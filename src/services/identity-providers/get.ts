import { IDENTITY_PROVIDER, type IdentityProviderRow } from '../../db/queries/identity-providers.ts';
import { notFound } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { assertPlatform } from '../sub-accounts/model.ts';
import { type IdentityProvider, identityProviderOf } from './model.ts';

/** The identity provider of the caller's platform; null where it names none. Throws `Forbidden`. */
export async function findIdentityProvider(ctx: Context): Promise<IdentityProvider | null> {
  assertPlatform(ctx);
  const [row] = await ctx.db.hot<IdentityProviderRow>(IDENTITY_PROVIDER, [ctx.caller.accountId]);
  return row ? identityProviderOf(row) : null;
}

/** The same. Throws `NotFound` too. */
export async function getIdentityProvider(ctx: Context): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(ctx);
  if (!provider) throw notFound('identity provider');
  return provider;
}
