import { WEBHOOK, type WebhookRow } from '../../db/queries/webhooks.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { type Webhook, webhookOf } from './model.ts';

/** One of the caller's webhooks; null where there is none of this id. */
export async function findWebhook({ db, caller }: Context, id: string): Promise<Webhook | null> {
  if (!isIdOf('Webhook', id)) return null;
  const [row] = await db.hot<WebhookRow>(WEBHOOK, [caller.accountId, id]);
  return row ? webhookOf(row) : null;
}

/** The same. Throws `NotFound`. */
export async function getWebhook(ctx: Context, id: string): Promise<Webhook> {
  const webhook = await findWebhook(ctx, id);
  if (!webhook) throw notFound('webhook');
  return webhook;
}
