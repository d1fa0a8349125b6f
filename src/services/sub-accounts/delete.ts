import { DELETE_SUB_ACCOUNT } from '../../db/queries/sub-accounts.ts';
import { accessChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import type { RequiredRevisions } from '../revision.ts';
import { assertPlatform, lockSubAccount, subAccountUuid } from './model.ts';

/**
 * Deletes the account: nobody has access to it any more, and its external id is free. All that it has is purged afterwards.
 * Throws `Forbidden`, `NotFound`, `PreconditionFailed`.
 */
export async function deleteSubAccount(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions = null,
): Promise<void> {
  assertPlatform(ctx);
  return idempotently(ctx, 'deleteAccount', { id }, (once) => remove(once, id, revisions));
}

function remove(ctx: Context, id: string, revisions: RequiredRevisions): Promise<void> {
  const { accountId: parent } = ctx.caller;
  const account = subAccountUuid(id);
  return ctx.db.transaction(async (tx) => {
    await lockSubAccount(tx, parent, account, revisions);
    await tx.query(DELETE_SUB_ACCOUNT, [parent, account, ctx.now().toISOString()]);
    accessChanged(tx, account);
  });
}
