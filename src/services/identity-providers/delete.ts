import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { DELETE_IDENTITY_PROVIDER, type IdentityProviderRow } from '../../db/queries/identity-providers.ts';
import { notFound } from '../../domain/errors.ts';
import { identityProvidersChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { checkRevision, type RequiredRevisions } from '../revision.ts';
import { assertPlatform } from '../sub-accounts/model.ts';
import { type IdentityProvider, identityProviderOf } from './model.ts';

/**
 * Takes the identity provider of the caller's platform away, and gives it: its tokens end within 60 seconds on every node. The accounts
 * stay. Throws `Forbidden`, `NotFound`, `PreconditionFailed`.
 */
export async function deleteIdentityProvider(
  ctx: Context,
  revisions: RequiredRevisions = null,
): Promise<IdentityProvider> {
  assertPlatform(ctx);
  return idempotently(ctx, 'deleteIdentityProvider', {}, (once) => remove(once, revisions));
}

function remove(ctx: Context, revisions: RequiredRevisions): Promise<IdentityProvider> {
  const { accountId } = ctx.caller;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const [row] = await tx.query<IdentityProviderRow>(DELETE_IDENTITY_PROVIDER, [accountId]);
    if (!row) throw notFound('identity provider');
    checkRevision(row.revision, revisions);
    identityProvidersChanged(tx);
    return identityProviderOf(row);
  });
}
