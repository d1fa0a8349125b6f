import { z } from '@hono/zod-openapi';
import { CreateWebhookInput, UpdateWebhookInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { createWebhook } from '../../services/webhooks/create.ts';
import { deleteWebhook } from '../../services/webhooks/delete.ts';
import {
  listWebhookDeliveries,
  resendWebhookDelivery,
  testWebhook,
} from '../../services/webhooks/deliveries.ts';
import { getWebhook } from '../../services/webhooks/get.ts';
import { listWebhooks } from '../../services/webhooks/list.ts';
import type { Webhook, WebhookWithSecret } from '../../services/webhooks/model.ts';
import { rotateWebhookSecret } from '../../services/webhooks/rotate-secret.ts';
import { updateWebhook } from '../../services/webhooks/update.ts';
import { EXAMPLE_IDS, idOf } from '../models/parts.ts';
import {
  WebhookDeliverySchema,
  WebhookSchema,
  WebhookSecretSchema,
  webhookBody,
  webhookDeliveryBody,
} from '../models/webhooks.ts';
import { PAGE_QUERY, pageBody, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { Reply, RestApp } from '../route-description.ts';

const tag = 'Webhooks';

const WEBHOOK_ID = z.object({
  webhookId: idOf('whk', EXAMPLE_IDS.webhookId, 'Identifier of the webhook'),
});
const DELIVERY_ID = WEBHOOK_ID.extend({
  deliveryId: idOf('msg', EXAMPLE_IDS.deliveryId, 'Identifier of the message: its webhook-id'),
});

function webhookReply(webhook: Webhook): Reply {
  return { body: webhookBody(webhook), revision: webhook.revision };
}

function secretReply({ webhook, secret }: WebhookWithSecret): Reply {
  return { body: { ...webhookBody(webhook), secret } };
}

/** Whom to tell of what happens. */
export function addWebhookRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/webhook',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: `It is told of what happens from now on, by the Standard Webhooks specification. Its \`secret\` is shown this once. An account may have ${LIMITS.webhooks}. With \`allAccounts\` it is told of all accounts below yours, too, and needs a token of the scope \`platform\`, now and whenever it is changed.`,
    tag,
    body: CreateWebhookInput.meta({ id: 'CreateWebhook' }),
    response: WebhookSecretSchema,
    problems: ['LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, body }) => {
      const made = await createWebhook(context, body);
      return {
        ...secretReply(made),
        revision: made.webhook.revision,
        location: `/webhook/${made.webhook.id}`,
      };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/webhook',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'In pages, newest first; `Link` has the addresses of the others.',
    tag,
    query: z.strictObject(PAGE_QUERY),
    response: paginated(WebhookSchema, 'Webhooks'),
    problems: ['NotFound'],
    handle: async ({ context, page: request }) => ({
      body: pageBody(await listWebhooks(context, request), request, webhookBody),
    }),
  });

  addRoute(app, {
    method: 'get',
    path: '/webhook/{webhookId}',
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    description: 'Without its secret, which is shown when it is made.',
    tag,
    params: WEBHOOK_ID,
    response: WebhookSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, params }) => webhookReply(await getWebhook(context, params.webhookId!)),
  });

  addRoute(app, {
    method: 'patch',
    path: '/webhook/{webhookId}',
    operationId: 'updateWebhook',
    summary: 'Update a webhook, switch it off or on',
    description:
      'Only the fields that are there and not null are changed. One that is switched on (`Active`) is told of what happens from then on.',
    tag,
    params: WEBHOOK_ID,
    body: UpdateWebhookInput.meta({ id: 'UpdateWebhook' }),
    response: WebhookSchema,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, body, revisions }) =>
      webhookReply(await updateWebhook(context, params.webhookId!, body, revisions)),
  });

  addRoute(app, {
    method: 'delete',
    path: '/webhook/{webhookId}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Nothing is sent to it any more, and what was sent is not listed any more.',
    tag,
    params: WEBHOOK_ID,
    response: null,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, revisions }) => {
      await deleteWebhook(context, params.webhookId!, revisions);
      return { body: null };
    },
  });

  addRoute(app, {
    method: 'post',
    path: '/webhook/{webhookId}/secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description:
      'It is shown this once. For a day messages have two signatures, by the new one and by the old one.',
    tag,
    params: WEBHOOK_ID,
    response: WebhookSecretSchema,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params }) => secretReply(await rotateWebhookSecret(context, params.webhookId!)),
  });

  addRoute(app, {
    method: 'post',
    path: '/webhook/{webhookId}/test',
    operationId: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: 'A message of the type `webhook.test`. How that goes is in the list of deliveries.',
    tag,
    params: WEBHOOK_ID,
    response: WebhookDeliverySchema,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params }) => ({
      body: webhookDeliveryBody(await testWebhook(context, params.webhookId!)),
    }),
  });

  addRoute(app, {
    method: 'get',
    path: '/webhook/{webhookId}/delivery',
    operationId: 'listWebhookDeliveries',
    summary: 'List what was sent to a webhook, or is to be',
    description: `In pages, newest first; \`Link\` has the addresses of the others. What arrived is kept for ${LIMITS.webhookDeliveredHours} hours, what did not for ${LIMITS.webhookFailedHours / 24} days.`,
    tag,
    params: WEBHOOK_ID,
    query: z.strictObject(PAGE_QUERY),
    response: paginated(WebhookDeliverySchema, 'WebhookDeliveries'),
    problems: ['NotFound'],
    handle: async ({ context, params, page: request }) => {
      const page = await listWebhookDeliveries(context, params.webhookId!, request);
      return { body: pageBody(page, request, webhookDeliveryBody) };
    },
  });

  addRoute(app, {
    method: 'post',
    path: '/webhook/{webhookId}/delivery/{deliveryId}/send',
    operationId: 'resendWebhookDelivery',
    summary: 'Send a message to a webhook again',
    description: 'With the same `webhook-id` and body; at once where it waits for its next attempt.',
    tag,
    params: DELIVERY_ID,
    response: WebhookDeliverySchema,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params }) => ({
      body: webhookDeliveryBody(await resendWebhookDelivery(context, params.webhookId!, params.deliveryId!)),
    }),
  });
}
