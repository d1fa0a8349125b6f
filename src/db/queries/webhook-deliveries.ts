import { LIMITS } from '../../domain/limits.ts';
import { UNTOLD_FROM } from './events.ts';

/** What delivers to the webhooks of all accounts what webhook-feed.ts has made for them, and ends what is over. */

/** Whoever takes a webhook has it for so long, and works for it for much less. */
const LEASE = `interval '60 seconds'`;

/** From so many failed attempts one behind the other it is one that fails. */
const FAILS = 10;
/** So often that is looked at, at most. */
const FAILING_PAUSE = `interval '30 seconds'`;

export interface DueWebhook {
  /** uuid */
  accountId: string;
  /** uuid; that of its account, where it is below one. */
  platformId: string | null;
  id: string;
}

export interface TakenWebhook {
  /** uuid */
  accountId: string;
  id: string;
  url: string;
  secret: string;
  /** Where it is good still. */
  previousSecret: string | null;
  failures: number;
}

/** Whether there is something to do for the webhook `w`, which nobody has, and which is slow or fails, or not, as the parameter says. */
const isDue = (isTroubled: string) => `w.status = 'Active' and w.look_at <= now() and w.leased_until <= now()
    and (w.is_slow or w.failures >= ${FAILS}) = ${isTroubled}::boolean`;

/**
 * $1 how many at most, $2 whether those that are slow or fail, or all others: webhooks that have something to be delivered, for
 * whom the longest time ago first; of an account, or of a platform and those below it, one before the second of any.
 */
export const DUE_WEBHOOKS = `
  select w.account_id as "accountId", a.parent_id as "platformId", w.id from webhook w
  join account a on a.account_id = w.account_id and not a.suspended and a.deleted_at is null
  where ${isDue('$2')}
  order by row_number() over (partition by coalesce(a.parent_id, a.account_id) order by w.look_at), w.look_at limit $1::integer`;

/** $1 account, $2 webhook: it is looked at later, unless somebody has it. */
export const HOLD_BACK_WEBHOOK = `
  update webhook set look_at = now() + interval '5 seconds' where account_id = $1 and id = $2 and leased_until <= now()`;

/** $1 account, $2 webhook, $3 whether it is slow or fails, $4 the name of the lease: takes it, unless somebody else has. */
export const TAKE_WEBHOOK = `
  with taken as (
    update webhook w set lease = $4::uuid, leased_until = now() + ${LEASE}, look_at = now() + ${LEASE}
    where w.account_id = $1 and w.id = $2 and ${isDue('$3')}
    returning w.*
  )
  select w.account_id as "accountId", w.id, w.url, w.secret,
    case when w.previous_until > now() then w.previous_secret end as "previousSecret", w.failures
  from taken w`;

/** $1 account, $2 webhook, $3 a stream: the next delivery of each stream behind that, found by looking at one row of each. */
const HEADS = `
  recursive head as (
    (select d.stream, d.not_before from webhook_delivery d
      where d.account_id = $1 and d.webhook_id = $2 and d.status = 'Pending' and d.stream > $3
      order by d.stream, d.number limit 1)
    union all
    select n.stream, n.not_before from head cross join lateral (
      select d.stream, d.not_before from webhook_delivery d
      where d.account_id = $1 and d.webhook_id = $2 and d.status = 'Pending' and d.stream > head.stream
      order by d.stream, d.number limit 1) n
  )`;

/** $4 streams at most, of which the next delivery is due. */
export const DUE_STREAMS = `
  with ${HEADS} select stream from head where not_before <= now() limit $4::integer`;

/**
 * $3 is the empty text. $4 the name of the lease, $5 whether it is slow, $6 whether there is more to do: gives it back. It is
 * looked at again when the first of its deliveries is due; at once where more has come meanwhile, which this may not see yet:
 * then it is to be looked at another time than whoever took it has said.
 */
export const GIVE_BACK_WEBHOOK = `
  with ${HEADS}
  update webhook w set lease = null, leased_until = now(), is_slow = $5::boolean,
    look_at = case
      when $6::boolean or w.look_at <> w.leased_until then x.now
      else greatest(x.due, case when w.failures >= ${FAILS} then x.pause_end end)
    end
  from (
    select now() as now, now() + ${FAILING_PAUSE} as pause_end, coalesce(min(not_before), 'infinity') as due from head
  ) x
  where w.account_id = $1 and w.id = $2 and w.lease = $4::uuid`;

export interface PendingDelivery {
  id: string;
  payload: string;
  attempts: number;
}

/** $1 account, $2 webhook, $3 stream, $4 at most. */
export const PENDING_OF_STREAM = `
  select id, payload, attempts from webhook_delivery
  where account_id = $1 and webhook_id = $2 and stream = $3 and status = 'Pending'
  order by number limit $4::integer`;

/** $1 account, $2 webhook, $3 delivery, $4 status of the answer. Gives the webhook's state, unless the delivery is another's by now. */
export const DELIVERED = `
  update webhook_delivery set status = 'Delivered', attempts = attempts + 1, last_attempt_at = now(), finished_at = now(),
    response_status = $4::integer, error = null
  where account_id = $1 and webhook_id = $2 and id = $3 and status = 'Pending'
  returning (select w.status from webhook w where w.account_id = $1 and w.id = $2) as status`;

/** $1 account, $2 webhook, after an attempt that succeeded. */
export const RECOVERED = `
  update webhook set failures = 0, failing_since = null, revision = revision + 1
  where account_id = $1 and id = $2 and failures > 0`;

/** So long all attempts fail before it is switched off. */
const FAILING_DAYS = 3;

export interface FailedRow {
  status: string;
  /** Of the webhook, where it is switched off by this. */
  disabledReason: string | null;
}

/**
 * $1 account, $2 webhook, $3 delivery, $4 status of the answer or null, $5 what went wrong, $6 milliseconds until the next
 * attempt or null for none, $7 whether the receiver is gone for good. Gives the webhook's state where that is on.
 */
export const FAILED = `
  with tried as (
    update webhook_delivery set attempts = attempts + 1, last_attempt_at = now(), response_status = $4::integer, error = $5,
      not_before = now() + coalesce($6::float8, 0) * interval '1 millisecond',
      status = case when $6::float8 is null then 'Failed' else status end,
      finished_at = case when $6::float8 is null then at.now end
    from (select now() as now) at
    where account_id = $1 and webhook_id = $2 and id = $3 and status = 'Pending'
    returning id
  ),
  judged as (
    select id, now() as now,
      case
        when $7::boolean then 'The receiver answered 410 (Gone).'
        when failing_since < now() - interval '${FAILING_DAYS} days'
          then 'Every attempt of ${FAILING_DAYS} days failed; the last one: ' || $5 || '.'
      end as reason
    from webhook where account_id = $1 and id = $2
  )
  update webhook w set failures = w.failures + 1, failing_since = coalesce(w.failing_since, j.now),
    revision = w.revision + (w.failing_since is null or j.reason is not null)::integer,
    status = case when j.reason is null then w.status else 'Disabled' end,
    disabled_at = case when j.reason is null then w.disabled_at else j.now end, disabled_reason = j.reason
  from judged j where w.account_id = $1 and w.id = j.id and w.status = 'Active'
  returning w.status, w.disabled_reason as "disabledReason"`;

/** Seconds since the oldest delivery was due of those that are to be looked at (DUE_WEBHOOKS); null where none waits. */
export const BACKLOG_AGE = `
  select extract(epoch from now() - min(w.look_at))::float8 as seconds
  from webhook w join account a on a.account_id = w.account_id and not a.suspended and a.deleted_at is null
  where w.status = 'Active' and w.look_at <= now()`;

const BACKLOG = LIMITS.webhookBacklog;

/** Switches those off that take so little of what is sent that more would wait. */
export const SWITCH_OFF_FULL = `
  update webhook w set status = 'Disabled', disabled_at = now(), revision = revision + 1,
    disabled_reason = 'More than ${BACKLOG} deliveries waited.'
  where w.status = 'Active' and w.look_at < 'infinity' and (
    select count(*) from (
      select from webhook_delivery d where d.account_id = w.account_id and d.webhook_id = w.id and d.status = 'Pending'
      limit ${BACKLOG + 1}
    ) waiting
  ) > ${BACKLOG}`;

/** Whoever was at work for it has ended. */
const IS_LEFT = `w.status <> 'Active' and w.disabled_at < now() - interval '2 minutes'`;

/** $1 rows at most. What waits for a webhook that is off is not sent any more. */
export const FAIL_OF_DISABLED = `
  with left_over as (
    select d.account_id, d.webhook_id, d.id from webhook w
    join webhook_delivery d on d.account_id = w.account_id and d.webhook_id = w.id and d.status = 'Pending'
    where ${IS_LEFT} limit $1::integer
  )
  update webhook_delivery d set status = 'Failed', finished_at = now(), error = coalesce(d.error, 'the webhook was switched off')
  from left_over l where d.account_id = l.account_id and d.webhook_id = l.webhook_id and d.id = l.id and d.status = 'Pending'
  returning 1 as one`;

/** $1 rows at most. */
export const PURGE_OF_DELETED = `
  with left_over as (
    select d.account_id, d.webhook_id, d.id from webhook w
    join webhook_delivery d on d.account_id = w.account_id and d.webhook_id = w.id
    where ${IS_LEFT} and w.status = 'Deleted' limit $1::integer
  )
  delete from webhook_delivery d using left_over l
  where d.account_id = l.account_id and d.webhook_id = l.webhook_id and d.id = l.id
  returning 1 as one`;

export const PURGE_DELETED_WEBHOOKS = `
  delete from webhook w where ${IS_LEFT} and w.status = 'Deleted'
    and not exists (select from webhook_delivery d where d.account_id = w.account_id and d.webhook_id = w.id)
  returning 1 as one`;

/** $1 status, $2 hours that they are kept, $3 rows at most. One whose event may be read again would be made again. */
export const PURGE_FINISHED = `
  with finished as (
    select account_id, webhook_id, id from webhook_delivery
    where status = $1 and finished_at < least(now() - $2::float8 * interval '1 hour', ${UNTOLD_FROM})
    order by finished_at limit $3::integer
  )
  delete from webhook_delivery d using finished f
  where d.account_id = f.account_id and d.webhook_id = f.webhook_id and d.id = f.id
  returning 1 as one`;
