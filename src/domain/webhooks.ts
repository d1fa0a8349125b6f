import { createHmac, randomBytes } from 'node:crypto';

/** What webhooks tell of, and how they say that they are ours (docs/decisions.md#webhooks; standardwebhooks.com). */

export const WEBHOOK_EVENTS = [
  'collection.changed',
  'price_alert.triggered',
  'account.deleted',
  'market.imported',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What is sent to try a webhook; it is sent to all. */
export const TEST_EVENT = 'webhook.test';

/** Of what is sent: grows where a program that reads it might break. */
export const PAYLOAD_VERSION = 1;

export const WEBHOOK_STATUSES = ['Active', 'Disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export const DELIVERY_STATUSES = ['Pending', 'Delivered', 'Failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The pauses after each attempt but the last, in milliseconds: over three days, as the specification has them. */
const PAUSES_MILLIS = [
  ...[5000, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];

/** By chance up to a tenth less or more, that not all who failed together come again together. */
const JITTER = 0.1;

/**
 * Milliseconds to wait after an attempt that failed; null where it was the last.
 * @param attempts how many there were
 */
export function retryPauseMillis(attempts: number, random = Math.random): number | null {
  const millis = PAUSES_MILLIS[attempts - 1];
  return millis === undefined ? null : Math.round(millis * (1 - JITTER + 2 * JITTER * random()));
}

/** The headers of a message, with a signature by each of the secrets. */
export function signedHeaders(
  message: { id: string; body: string },
  secrets: readonly string[],
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
