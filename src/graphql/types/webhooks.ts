import { LIMITS } from '../../domain/limits.ts';
import { createWebhook } from '../../services/webhooks/create.ts';
import { deleteWebhook } from '../../services/webhooks/delete.ts';
import {
  countWebhookDeliveries,
  DELIVERY_ORDER,
  listWebhookDeliveries,
  resendWebhookDelivery,
  testWebhook,
} from '../../services/webhooks/deliveries.ts';
import { findWebhook } from '../../services/webhooks/get.ts';
import { countWebhooks, listWebhooks, WEBHOOK_ORDER } from '../../services/webhooks/list.ts';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../../services/webhooks/model.ts';
import { rotateWebhookSecret } from '../../services/webhooks/rotate-secret.ts';
import { updateWebhook } from '../../services/webhooks/update.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { addDeletion, idField } from '../mutation.ts';
import type { SchemaParts } from './refs.ts';

/** Whom to tell of what happens. */
export function addWebhooks(parts: SchemaParts): void {
  const WebhookType = addWebhookType(parts);
  const DeliveryType = addDeliveryType(parts);
  const { builder } = parts;
  builder.queryFields((t) => ({
    webhook: t.field({
      type: WebhookType,
      nullable: true,
      description: 'A webhook of yours by its id; null where there is none with it.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { context }) => findWebhook(context, id),
    }),
    webhooks: t.connection(
      {
        type: WebhookType,
        description: 'Your webhooks, newest first.',
        resolve: (_root, args, { context }) =>
          connectionOf(
            args,
            WEBHOOK_ORDER,
            (request) => listWebhooks(context, request),
            () => countWebhooks(context),
          ),
      },
      ...connectionNames('Webhook'),
    ),
    webhookDeliveries: t.connection(
      {
        type: DeliveryType,
        description: `What was sent to a webhook of yours, or is to be, newest first. What arrived is kept for ${LIMITS.webhookDeliveredHours} hours, what did not for ${LIMITS.webhookFailedHours / 24} days.`,
        args: { webhookId: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
        resolve: (_root, { webhookId, ...args }, { context }) =>
          connectionOf(
            args,
            DELIVERY_ORDER,
            (request) => listWebhookDeliveries(context, webhookId, request),
            () => countWebhookDeliveries(context, webhookId),
          ),
      },
      ...connectionNames('WebhookDelivery'),
    ),
  }));
  addChanges(parts, WebhookType);
  addSending(parts, DeliveryType);
}

type WebhookType = ReturnType<typeof addWebhookType>;

function addWebhookType({ builder, enums }: SchemaParts) {
  return builder.objectRef<Webhook>('Webhook').implement({
    description: 'An address that is told of what happens, by the Standard Webhooks specification.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id, `whk_…`.' }),
      url: t.exposeString('url', { description: 'Where messages are sent.' }),
      events: t.expose('events', { type: [enums.WebhookEvent], description: 'What it is told of.' }),
      allAccounts: t.exposeBoolean('allAccounts', {
        description: 'Whether it is told of all accounts below yours, too.',
      }),
      status: t.expose('status', {
        type: enums.WebhookStatus,
        description: 'Nothing is sent while it is disabled.',
      }),
      disabledReason: t.exposeString('disabledReason', {
        nullable: true,
        description: 'Why it was switched off; null where you did it, or it is active.',
      }),
      failingSince: t.expose('failingSince', {
        type: 'DateTime',
        nullable: true,
        description: 'Since when all attempts have failed; null where the last one did not.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    }),
  });
}

type DeliveryType = ReturnType<typeof addDeliveryType>;

function addDeliveryType({ builder, enums }: SchemaParts) {
  return builder.objectRef<WebhookDelivery>('WebhookDelivery').implement({
    description: 'A message to a webhook.',
    fields: (t) => ({
      id: t.exposeID('id', {
        description: 'Id, `msg_…`: its `webhook-id`, by which a receiver knows it again.',
      }),
      type: t.exposeString('type', { description: 'What it tells of, such as `collection.changed`.' }),
      payload: t.exposeString('payload', { description: 'The JSON that is sent.' }),
      status: t.expose('status', { type: enums.WebhookDeliveryStatus, description: 'Whether it arrived.' }),
      occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When that happened.' }),
      attempts: t.exposeInt('attempts', { description: 'How often it was sent.' }),
      nextAttemptAt: t.expose('nextAttemptAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it is sent again; null where it is not.',
      }),
      lastAttemptAt: t.expose('lastAttemptAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was sent last; null where it never was.',
      }),
      responseStatus: t.exposeInt('responseStatus', {
        nullable: true,
        description: 'Status of the last answer; null where none came.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'What went wrong the last time; null where nothing did.',
      }),
    }),
  });
}

const FOR_ALL = 'One with `allAccounts` needs a token of the scope `platform`.';

function addChanges({ addMutation, enums }: SchemaParts, WebhookType: WebhookType): void {
  addMutation<WebhookWithSecret>({
    name: 'createWebhook',
    description: `Creates a webhook, which is told of what happens from now on. An account may have ${LIMITS.webhooks}. ${FOR_ALL}`,
    problems: ['LimitExceeded'],
    fields: (t) => ({
      url: t.string({ required: true, description: 'Where messages are sent: it begins with https://.' }),
      events: t.field({
        type: [enums.WebhookEvent],
        description: 'What it is told of; everything where it is left out.',
      }),
      allAccounts: t.boolean({
        description: 'Whether it is told of all accounts below yours, too.',
      }),
    }),
    payload: (t) => ({
      webhook: t.expose('webhook', { type: WebhookType, description: 'The new webhook.' }),
      secret: t.exposeString('secret', {
        description: 'By which messages are signed, `whsec_…`: it is shown this once.',
      }),
    }),
    verb: (ctx, input) => createWebhook(ctx, input),
  });

  addMutation<{ webhook: Webhook }>({
    name: 'updateWebhook',
    description: `Changes what is given of a webhook. One that is switched on is told of what happens from then on. ${FOR_ALL}`,
    problems: ['NotFound'],
    fields: (t) => ({
      ...idField(t),
      url: t.string({ description: 'Where messages are sent.' }),
      events: t.field({ type: [enums.WebhookEvent], description: 'What it is told of.' }),
      status: t.field({ type: enums.WebhookStatus, description: 'Whether anything is sent.' }),
    }),
    payload: (t) => ({
      webhook: t.expose('webhook', { type: WebhookType, description: 'The changed webhook.' }),
    }),
    verb: async (ctx, { id, ...input }) => ({ webhook: await updateWebhook(ctx, String(id), input) }),
  });

  addMutation<WebhookWithSecret>({
    name: 'rotateWebhookSecret',
    description: `Gives a webhook a new secret. For a day messages have two signatures, by the new one and by the old one. ${FOR_ALL}`,
    problems: ['NotFound'],
    fields: idField,
    payload: (t) => ({
      webhook: t.expose('webhook', { type: WebhookType, description: 'The webhook.' }),
      secret: t.exposeString('secret', { description: 'The new secret: it is shown this once.' }),
    }),
    verb: (ctx, { id }) => rotateWebhookSecret(ctx, String(id)),
  });

  addDeletion(addMutation, {
    name: 'deleteWebhook',
    description: `Deletes a webhook: nothing is sent to it any more. ${FOR_ALL}`,
    problems: ['NotFound'],
    remove: deleteWebhook,
  });
}

function addSending({ addMutation }: SchemaParts, DeliveryType: DeliveryType): void {
  addMutation<{ delivery: WebhookDelivery }>({
    name: 'testWebhook',
    description: `Sends a message of the type \`webhook.test\`. How that goes is in \`webhookDeliveries\`. ${FOR_ALL}`,
    problems: ['NotFound'],
    fields: idField,
    payload: (t) => ({
      delivery: t.expose('delivery', { type: DeliveryType, description: 'The message.' }),
    }),
    verb: async (ctx, { id }) => ({ delivery: await testWebhook(ctx, String(id)) }),
  });

  addMutation<{ delivery: WebhookDelivery }>({
    name: 'resendWebhookDelivery',
    description: `Sends a message to a webhook again, with the same id and body; at once where it waits for its next attempt. ${FOR_ALL}`,
    problems: ['NotFound'],
    fields: (t) => ({
      ...idField(t),
      webhookId: t.id({ required: true, description: 'Id of the webhook.' }),
    }),
    payload: (t) => ({
      delivery: t.expose('delivery', { type: DeliveryType, description: 'The message.' }),
    }),
    verb: async (ctx, { id, webhookId }) => ({
      delivery: await resendWebhookDelivery(ctx, String(webhookId), String(id)),
    }),
  });
}
