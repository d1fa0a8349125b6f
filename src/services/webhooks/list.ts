import { readPage } from '../../db/queries/page.ts';
import { COUNT_WEBHOOKS, WEBHOOK_LIST, type WebhookRow } from '../../db/queries/webhooks.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';
import { type Webhook, webhookOf } from './model.ts';

export { WEBHOOK_ORDER } from '../../db/queries/webhooks.ts';

/** The caller's webhooks, newest first, a page at a time. */
export async function listWebhooks({ db, caller }: Context, request: PageRequest): Promise<Page<Webhook>> {
  const page = await readPage<WebhookRow>(db, WEBHOOK_LIST, [caller.accountId], request);
  return { ...page, items: page.items.map(webhookOf) };
}

export async function countWebhooks({ db, caller }: Context): Promise<number> {
  const [row] = await db.hot<{ count: number }>(COUNT_WEBHOOKS, [caller.accountId]);
  return row!.count;
}
