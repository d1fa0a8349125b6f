import { UPDATE_WEBHOOK, type WebhookRow } from '../../db/queries/webhooks.ts';
import { UpdateWebhookInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { assertMayAsk } from '../named-address.ts';
import type { RequiredRevisions } from '../revision.ts';
import { type Webhook, webhookOf, withWebhook } from './model.ts';

/**
 * Changes what is given. One that is switched on is told of what happens from now on. Throws `ValidationFailed`, `NotFound`,
 * `Forbidden`, `PreconditionFailed`.
 */
export async function updateWebhook(
  ctx: Context,
  id: string,
  changes: unknown,
  revisions: RequiredRevisions = null,
): Promise<Webhook> {
  const parsed = parseInput(UpdateWebhookInput, changes);
  const { url, events, status } = parsed;
  if (url != null) assertMayAsk(ctx, url, 'url');
  const params = [url ?? null, events ? JSON.stringify([...new Set(events)]) : null, status ?? null];
  return idempotently(ctx, 'updateWebhook', { id, ...parsed }, (once) =>
    withWebhook(once, id, revisions, async (tx) => {
      const [row] = await tx.query<WebhookRow>(UPDATE_WEBHOOK, [once.caller.accountId, id, ...params]);
      return webhookOf(row!);
    }),
  );
}
