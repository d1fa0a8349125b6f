import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { type DeliveryRow, LOCK_WEBHOOK, type WebhookRow } from '../../db/queries/webhooks.ts';
import { notFound, validationFailed } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { DeliveryStatus, WebhookEvent, WebhookStatus } from '../../domain/webhooks.ts';
import type { Context } from '../context.ts';
import { checkRevision, type RequiredRevisions } from '../revision.ts';
import { assertPlatform } from '../sub-accounts/model.ts';

/** An address that is told of events. */
export interface Webhook {
  /** `whk_…` */
  id: string;
  url: string;
  events: WebhookEvent[];
  /** Whether it is told of the accounts below its own, too. */
  allAccounts: boolean;
  status: WebhookStatus;
  /** Why it was switched off; null where its owner did it, or it is on. */
  disabledReason: string | null;
  /** Since when all attempts have failed; null where the last one did not. ISO 8601. */
  failingSince: string | null;
  revision: number;
  createdAt: string;
}

/** A webhook with its secret, which is shown where it is made. */
export interface WebhookWithSecret {
  webhook: Webhook;
  /** `whsec_…` */
  secret: string;
}

/** A message to a webhook. */
export interface WebhookDelivery {
  /** `msg_…`: the header `webhook-id`. */
  id: string;
  type: string;
  /** The JSON that is sent. */
  payload: string;
  status: DeliveryStatus;
  occurredAt: string;
  attempts: number;
  /** Null where there are no more. */
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  /** Of the last answer; null where none came. */
  responseStatus: number | null;
  /** What went wrong with the last attempt. */
  error: string | null;
}

const timeOrNull = (text: string | null) => text && new Date(text).toISOString();

export function webhookOf(row: WebhookRow): Webhook {
  return {
    ...row,
    events: row.events as WebhookEvent[],
    status: row.status as WebhookStatus,
    failingSince: timeOrNull(row.failingSince),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

export function deliveryOf({ notBefore, ...row }: DeliveryRow): WebhookDelivery {
  return {
    ...row,
    status: row.status as DeliveryStatus,
    occurredAt: new Date(row.occurredAt).toISOString(),
    nextAttemptAt: row.status === 'Pending' ? timeOrNull(notBefore) : null,
    lastAttemptAt: timeOrNull(row.lastAttemptAt),
  };
}

/** Throws `Forbidden` where the webhook hears of all accounts below, and the caller's token is not one of a platform. */
export function assertMayKeep(ctx: Context, { allAccounts }: { allAccounts: boolean }): void {
  if (allAccounts) assertPlatform(ctx, KEPT_BY_PLATFORMS);
}

const KEPT_BY_PLATFORMS =
  'A webhook of all accounts below yours is kept with a token of the scope platform: ask /oauth2/token for it.';

/**
 * Runs `change` with the webhook, which is locked. Throws `NotFound`, `Forbidden`, and `PreconditionFailed` at another revision.
 */
export function withWebhook<T>(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions,
  change: (tx: Database, row: WebhookRow) => Promise<T>,
): Promise<T> {
  if (!isIdOf('Webhook', id)) throw notFound('webhook');
  const { accountId } = ctx.caller;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const [row] = await tx.query<WebhookRow>(LOCK_WEBHOOK, [accountId, id]);
    if (!row) throw notFound('webhook');
    assertMayKeep(ctx, row);
    checkRevision(row.revision, revisions);
    return change(tx, row);
  });
}

/** Throws `ValidationFailed` where the webhook is off. */
export function assertActive({ status }: WebhookRow): void {
  if (status === 'Active') return;
  // Each transport has another name for its id.
  throw validationFailed([{ path: [], detail: 'the webhook is switched off: switch it on first' }]);
}
