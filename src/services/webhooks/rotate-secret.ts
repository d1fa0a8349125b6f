import { ROTATE_WEBHOOK_SECRET, type WebhookRow } from '../../db/queries/webhooks.ts';
import { newWebhookSecret } from '../../domain/webhooks.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { type WebhookWithSecret, webhookOf, withWebhook } from './model.ts';

/** Gives the webhook a new secret; for a day messages are signed by both, so that none is refused. Throws `NotFound`, `Forbidden`. */
export async function rotateWebhookSecret(ctx: Context, id: string): Promise<WebhookWithSecret> {
  return idempotently(ctx, 'rotateWebhookSecret', { id }, (once) =>
    withWebhook(once, id, null, async (tx) => {
      const secret = newWebhookSecret();
      const [row] = await tx.query<WebhookRow>(ROTATE_WEBHOOK_SECRET, [once.caller.accountId, id, secret]);
      return { webhook: webhookOf(row!), secret };
    }),
  );
}
