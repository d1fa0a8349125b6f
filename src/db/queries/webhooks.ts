import { TEST_EVENT } from '../../domain/webhooks.ts';
import { descending, indexed } from './page.ts';
import { MICROSECONDS } from './webhook-feed.ts';

/** Statements on webhooks and their deliveries, by their owner. $1 is the account. */

export interface WebhookRow {
  id: string;
  url: string;
  events: string[];
  allAccounts: boolean;
  status: string;
  disabledReason: string | null;
  failingSince: string | null;
  revision: number;
  createdAt: string;
}

const COLUMNS = `w.id, w.url, w.events, w.all_accounts as "allAccounts", w.status, w.disabled_reason as "disabledReason",
  w.failing_since as "failingSince", w.revision, w.created_at as "createdAt"`;

/** Newest first: their ids sort by the time they were made. */
export const WEBHOOK_ORDER = indexed(descending('webhooks-created', ['w.id', 'text']));

export const WEBHOOK_LIST = {
  columns: COLUMNS,
  from: 'webhook w',
  where: `w.account_id = $1 and w.status <> 'Deleted'`,
  order: WEBHOOK_ORDER,
};

export const COUNT_WEBHOOKS = `select count(*) as count from webhook where account_id = $1 and status <> 'Deleted'`;

/** $2 id. */
export const WEBHOOK = `
  select ${COLUMNS} from webhook w where w.account_id = $1 and w.id = $2 and w.status <> 'Deleted'`;
export const LOCK_WEBHOOK = `${WEBHOOK} for no key update`;

/** $2 id, $3 url, $4 events as JSON, $5 whether of all accounts, $6 secret, $7 time. */
export const CREATE_WEBHOOK = `
  insert into webhook as w (account_id, id, url, events, all_accounts, secret, created_at)
  values ($1, $2, $3, $4::jsonb, $5::boolean, $6, $7::timestamptz)
  returning ${COLUMNS}`;

/** One that is switched on is told of what happens from now on, as if it was new; what it did not get before stays so. */
const SWITCHED_ON = `($5 = 'Active' and w.status = 'Disabled')`;

/** $2 id, $3 url, $4 events as JSON, $5 status (each null where it stays). */
export const UPDATE_WEBHOOK = `
  update webhook w set url = coalesce($3, w.url), events = coalesce($4::jsonb, w.events), status = coalesce($5, w.status),
    revision = w.revision + 1,
    disabled_reason = case when $5 is null then w.disabled_reason end,
    disabled_at = case when $5 = 'Disabled' then coalesce(w.disabled_at, at.now) when $5 is null then w.disabled_at end,
    active_since = case when ${SWITCHED_ON} then at.now else w.active_since end,
    failures = case when ${SWITCHED_ON} then 0 else w.failures end,
    failing_since = case when ${SWITCHED_ON} then null else w.failing_since end,
    look_at = case when ${SWITCHED_ON} then at.now else w.look_at end
  from (select now() as now) at
  where w.account_id = $1 and w.id = $2
  returning ${COLUMNS}`;

/** $2 id. */
export const DELETE_WEBHOOK = `
  update webhook set status = 'Deleted', disabled_at = now() where account_id = $1 and id = $2`;

/** $2 id, $3 the new secret. The one of before is good for a day. */
export const ROTATE_WEBHOOK_SECRET = `
  update webhook w set secret = $3, previous_secret = w.secret, previous_until = now() + interval '1 day',
    revision = w.revision + 1
  where w.account_id = $1 and w.id = $2
  returning ${COLUMNS}`;

export interface DeliveryRow {
  id: string;
  type: string;
  payload: string;
  status: string;
  occurredAt: string;
  attempts: number;
  notBefore: string;
  lastAttemptAt: string | null;
  responseStatus: number | null;
  error: string | null;
}

const DELIVERY_COLUMNS = `d.id, d.type, d.payload, d.status, d.occurred_at as "occurredAt", d.attempts, d.not_before as "notBefore",
  d.last_attempt_at as "lastAttemptAt", d.response_status as "responseStatus", d.error`;

/** Newest first. */
export const DELIVERY_ORDER = indexed(
  descending('webhook-deliveries', ['d.number', 'count'], ['d.id', 'text']),
);

/** $2 webhook. */
export const DELIVERY_LIST = {
  columns: DELIVERY_COLUMNS,
  from: 'webhook_delivery d',
  where: 'd.account_id = $1 and d.webhook_id = $2',
  order: DELIVERY_ORDER,
};

/** $2 webhook. */
export const COUNT_DELIVERIES = `
  select count(*) as count from webhook_delivery where account_id = $1 and webhook_id = $2`;

/** Somebody is to look at it at once. */
const lookNow = (from: string) => `
  update webhook w set look_at = now() from ${from}
  where w.account_id = $1 and w.id = ${from}.webhook_id
  returning w.id`;

/** $2 webhook, $3 id, $4 the body, $5 time. It is in nobody's turn. */
export const SEND_TEST = `
  with d as (
    insert into webhook_delivery (account_id, webhook_id, id, type, stream, number, payload, occurred_at)
    values ($1, $2, $3, '${TEST_EVENT}', $3, ${MICROSECONDS}, $4, $5::timestamptz)
    returning *
  ),
  looked as (${lookNow('d')})
  select ${DELIVERY_COLUMNS} from d`;

/** $2 webhook, $3 id. One that is done with is in nobody's turn any more: what comes behind it does not wait. */
export const SEND_AGAIN = `
  with d as (
    update webhook_delivery d set status = 'Pending', not_before = now(), finished_at = null, error = null,
      attempts = case when d.status = 'Pending' then d.attempts else 0 end,
      stream = case when d.status = 'Pending' then d.stream else d.id end
    where d.account_id = $1 and d.webhook_id = $2 and d.id = $3
    returning d.*
  ),
  looked as (${lookNow('d')})
  select ${DELIVERY_COLUMNS} from d`;
