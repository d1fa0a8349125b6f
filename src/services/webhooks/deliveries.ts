import { readPage } from '../../db/queries/page.ts';
import {
  COUNT_DELIVERIES,
  DELIVERY_LIST,
  type DeliveryRow,
  SEND_AGAIN,
  SEND_TEST,
} from '../../db/queries/webhooks.ts';
import { accountIdOf } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf, newId } from '../../domain/ids.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { PAYLOAD_VERSION, TEST_EVENT } from '../../domain/webhooks.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { getWebhook } from './get.ts';
import { assertActive, deliveryOf, type WebhookDelivery, withWebhook } from './model.ts';

export { DELIVERY_ORDER } from '../../db/queries/webhooks.ts';

/** What was sent to a webhook of the caller's, or is to be, newest first, a page at a time. Throws `NotFound`. */
export async function listWebhookDeliveries(
  ctx: Context,
  id: string,
  request: PageRequest,
): Promise<Page<WebhookDelivery>> {
  await getWebhook(ctx, id);
  const page = await readPage<DeliveryRow>(ctx.db, DELIVERY_LIST, [ctx.caller.accountId, id], request);
  return { ...page, items: page.items.map(deliveryOf) };
}

export async function countWebhookDeliveries({ db, caller }: Context, id: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_DELIVERIES, [caller.accountId, id]);
  return row!.count;
}

/** Sends a message of the type `webhook.test`. Throws `NotFound`, `Forbidden`; `ValidationFailed` where the webhook is off. */
export async function testWebhook(ctx: Context, id: string): Promise<WebhookDelivery> {
  return idempotently(ctx, 'testWebhook', { id }, (once) =>
    withWebhook(once, id, null, async (tx, webhook) => {
      assertActive(webhook);
      const time = once.now();
      const { accountId } = once.caller;
      const payload = {
        type: TEST_EVENT,
        version: PAYLOAD_VERSION,
        timestamp: time.toISOString(),
        data: { accountId: accountIdOf(accountId), webhookId: id },
      };
      const message = newId('WebhookDelivery', time.getTime());
      const params = [accountId, id, message, JSON.stringify(payload), payload.timestamp];
      const [row] = await tx.query<DeliveryRow>(SEND_TEST, params);
      return deliveryOf(row!);
    }),
  );
}

/**
 * Sends a message again, or at once where it waits for its next attempt. Throws `NotFound`, `Forbidden`; `ValidationFailed` where
 * the webhook is off.
 */
export async function resendWebhookDelivery(
  ctx: Context,
  id: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  return idempotently(ctx, 'resendWebhookDelivery', { id, deliveryId }, (once) =>
    withWebhook(once, id, null, async (tx, webhook) => {
      assertActive(webhook);
      if (!isIdOf('WebhookDelivery', deliveryId)) throw notFound('delivery');
      const [row] = await tx.query<DeliveryRow>(SEND_AGAIN, [once.caller.accountId, id, deliveryId]);
      if (!row) throw notFound('delivery');
      return deliveryOf(row);
    }),
  );
}
