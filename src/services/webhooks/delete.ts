import { DELETE_WEBHOOK } from '../../db/queries/webhooks.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import type { RequiredRevisions } from '../revision.ts';
import { withWebhook } from './model.ts';

/** Nothing is sent to it any more; its deliveries are purged afterwards. Throws `NotFound`, `Forbidden`, `PreconditionFailed`. */
export async function deleteWebhook(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions = null,
): Promise<void> {
  return idempotently(ctx, 'deleteWebhook', { id }, (once) =>
    withWebhook(once, id, revisions, async (tx) => {
      await tx.query(DELETE_WEBHOOK, [once.caller.accountId, id]);
    }),
  );
}
