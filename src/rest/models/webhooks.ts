import { z } from '@hono/zod-openapi';
import { LIMITS } from '../../domain/limits.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_STATUSES } from '../../domain/webhooks.ts';
import type { Webhook, WebhookDelivery } from '../../services/webhooks/model.ts';
import { EXAMPLE_IDS, idOf, text, time, whole } from './parts.ts';

const WEBHOOK_FIELDS = {
  webhookId: idOf('whk', EXAMPLE_IDS.webhookId, 'Identifier of the webhook'),
  url: z.string().max(LIMITS.webhookUrlCharacters).meta({ description: 'Where messages are sent' }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .max(WEBHOOK_EVENTS.length)
    .meta({ description: 'What it is told of' }),
  allAccounts: z.boolean().meta({ description: 'Whether it is told of all accounts below yours, too' }),
  status: z.enum(WEBHOOK_STATUSES).meta({ description: 'Nothing is sent while it is Disabled' }),
  disabledReason: text('name', { description: 'Why it was switched off, unless you did it' }).nullable(),
  failingSince: time('Since when all attempts have failed').nullable(),
  createdAt: time('When it was created'),
};

export const WebhookSchema = z.strictObject(WEBHOOK_FIELDS).openapi('WebhookResponseModel');
type WebhookBody = z.output<typeof WebhookSchema>;

export const WebhookSecretSchema = z
  .strictObject({
    ...WEBHOOK_FIELDS,
    secret: text('short', {
      description: 'By which messages are signed: it is shown this once',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }),
  })
  .openapi('WebhookWithSecret');

export function webhookBody({ id, revision: _, ...webhook }: Webhook): WebhookBody {
  return { webhookId: id, ...webhook };
}

export const WEBHOOK: WebhookBody = {
  webhookId: EXAMPLE_IDS.webhookId,
  url: 'https://app.example/webhooks',
  events: ['collection.changed', 'account.deleted'],
  allAccounts: true,
  status: 'Active',
  disabledReason: null,
  failingSince: null,
  createdAt: '2026-04-13T10:00:00.000Z',
};

export const WebhookDeliverySchema = z
  .strictObject({
    deliveryId: idOf('msg', EXAMPLE_IDS.deliveryId, 'Identifier of the message: its webhook-id'),
    type: text('short', { description: 'What it tells of', example: 'collection.changed' }),
    payload: text('description', { description: 'The JSON that is sent' }),
    status: z.enum(DELIVERY_STATUSES),
    occurredAt: time('When that happened'),
    attempts: whole(0, 100, { description: 'How often it was sent' }),
    nextAttemptAt: time('When it is sent again; null where it is not').nullable(),
    lastAttemptAt: time('When it was sent last').nullable(),
    responseStatus: whole(100, 999, { description: 'Status of the last answer' }).nullable(),
    error: text('name', { description: 'What went wrong the last time' }).nullable(),
  })
  .openapi('WebhookDelivery');
type WebhookDeliveryBody = z.output<typeof WebhookDeliverySchema>;

export function webhookDeliveryBody({ id, ...delivery }: WebhookDelivery): WebhookDeliveryBody {
  return { deliveryId: id, ...delivery };
}

export const DELIVERY: WebhookDeliveryBody = {
  deliveryId: EXAMPLE_IDS.deliveryId,
  type: 'collection.changed',
  payload: `{"type":"collection.changed","version":1,"timestamp":"2026-04-13T10:00:00.000Z","data":{"accountId":"${EXAMPLE_IDS.accountId}","collectionId":"${EXAMPLE_IDS.collectionId}","revision":3,"change":"Updated"}}`,
  status: 'Pending',
  occurredAt: '2026-04-13T10:00:00.000Z',
  attempts: 0,
  nextAttemptAt: '2026-04-13T10:00:00.000Z',
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
};
