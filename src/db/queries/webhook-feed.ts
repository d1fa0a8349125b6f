import { LIMITS } from '../../domain/limits.ts';
import { PAYLOAD_VERSION } from '../../domain/webhooks.ts';
import { MARKET_ACCOUNT, UNTOLD_FROM } from './events.ts';

/** What makes deliveries of the log of events, and delivers them, for the webhooks of all accounts. */

/**
 * Between the beginning of a transaction and the moment that others can see of it that it has begun. A clock that is set
 * back by less loses nothing either.
 */
const SLACK = `interval '10 seconds'`;

/** Since when one of the webhooks is on, as text; null where none is, and nothing is to be done. */
export const ACTIVE_SINCE = `select min(active_since)::text as since from webhook where status = 'Active'`;

export interface FeedRow {
  /** Behind which the next deliveries are numbered: microseconds of 1970, as those of tests are, and never less than it was. */
  number: number;
  /** From when on events may be new. */
  from: string;
  /** Where they may be in the next look; null for all to the newest. */
  to: string | null;
  /** From when on they may be new then. */
  next: string;
  isMoved: boolean;
}

/** Since 1970, as whole numbers. */
export const MICROSECONDS = '(extract(epoch from now()) * 1000000)::bigint';

/**
 * $1 since when a webhook is on: takes the feed for a transaction, unless another has it. All that was committed by now has begun
 * by `now()`, and what is under way began at its `xact_start` or later, so that what is written with an older time
 * can be seen by the statement behind this one. Who was away for long reads a minute at a time.
 * (Not from `pg_stat_activity`, in whose place Citus reads what only a superuser may.)
 */
export const TAKE_FEED = `
  select number, "from"::text, case when "from" + interval '1 minute' < horizon then ("from" + interval '1 minute')::text end as "to",
    least("from" + interval '1 minute', horizon)::text as next,
    least("from" + interval '1 minute', horizon) > read_from + ${SLACK} or horizon < read_from as "isMoved"
  from (
    select greatest(f.number, ${MICROSECONDS}) as number, f.read_from,
      least(greatest(f.read_from, $1::timestamptz), now() - ${SLACK}) as "from",
      least(now() - ${SLACK}, (
        select min(s.xact_start) from pg_stat_get_activity(null) s join pg_database d on d.oid = s.datid
        where d.datname = current_database() and s.backend_type = 'client backend' and s.pid <> pg_backend_pid()
      )) as horizon
    from webhook_feed f where f.id = 1
    for update of f skip locked
  ) taken`;

/** $1 the number of the last delivery, $2 and $3 from when on the log is to be read next, where both are known the earlier one. */
export const KEEP_FEED =
  'update webhook_feed set number = $1::bigint, read_from = least($2::timestamptz, $3::timestamptz) where id = 1';

const TYPE = `
  case
    when e.kind = 'AlertTriggered' then 'price_alert.triggered'
    when e.kind = 'AccountDeleted' then 'account.deleted'
    when e.kind = 'MarketImported' then 'market.imported'
    else 'collection.changed'
  end`;

/** Of an account the collections each have one; all else of it is in one. */
const STREAM = `
  case
    when e.kind = 'AlertTriggered' then e.account_id::text
    when e.kind = 'AccountDeleted' then substr(e.stream, 5)
    when e.kind = 'MarketImported' then 'market'
    else e.account_id || ' ' || e.stream
  end`;

/** What is said of an event: ids, and the number that it has in the log. */
const DATA = `
  case
    when e.kind = 'AlertTriggered' then json_build_object(
      'accountId', 'acc_' || e.account_id, 'priceAlertId', e.alert_id, 'revision', e.sequence)
    when e.kind = 'AccountDeleted' then json_build_object('accountId', e.stream, 'revision', e.sequence)
    when e.kind = 'MarketImported' then json_build_object('kind', e.stream, 'revision', e.sequence)
    else json_build_object(
      'accountId', 'acc_' || e.account_id, 'collectionId', e.stream, 'revision', e.sequence, 'change', e.kind)
  end`;

const PAYLOAD = `json_build_object('type', e.type, 'version', ${PAYLOAD_VERSION},
  'timestamp', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', ${DATA})::text`;

/** The events of the time, each with the platform of its account. */
const LOGGED = `
  select e.account_id, a.parent_id, e.stream, e.sequence, e.kind, e.alert_id, e.created_at, ${TYPE} as type
  from event e left join account a on a.account_id = e.account_id
  where e.created_at >= $1::timestamptz and ($2::timestamptz is null or e.created_at < $2::timestamptz)`;

/** The webhooks of those whom they concern: the accounts, their platforms; for the market all. */
const CONCERNED = `
  select w.account_id as owner, a.parent_id as owner_parent_id, w.id as webhook_id, w.events, w.active_since, w.all_accounts
  from webhook w join account a on a.account_id = w.account_id and a.deleted_at is null
  where w.status = 'Active' and (
    w.account_id in (select account_id from logged union select parent_id from logged)
    or exists (select 1 from logged where account_id = '${MARKET_ACCOUNT}'))`;

/** Those that a look of before knew were told of what was fed then. */
const ACTIVE = `
  select w.*, exists (
    select from jsonb_to_recordset($4::jsonb->'webhooks') as k(webhook_id text, active_since timestamptz)
    where k.webhook_id = w.webhook_id and k.active_since = w.active_since
  ) as is_known
  from concerned w`;

/** Whom an event is for. */
const IS_TOLD = [
  `w.owner = e.account_id and (w.all_accounts or e.kind <> 'AccountDeleted')`,
  'w.owner = e.parent_id and w.all_accounts',
  `e.account_id = '${MARKET_ACCOUNT}'`,
];

/**
 * The events that concern anybody, each with whether it was fed: it is of a stream in $4, and not behind what was fed of that. Streams grow
 * at their end alone. A database that was restored, or promoted, to a state of before gives a sequence again, at a later time.
 */
const CONCERNING = `
  select e.*, coalesce(e.sequence <= f.sequence and e.created_at <= f.created_at, false) as is_fed
  from logged e
  left join jsonb_to_recordset($4::jsonb->'streams') as f(account_id uuid, stream text, sequence bigint, created_at timestamptz)
    on f.account_id = e.account_id and f.stream = e.stream
  where e.account_id in (select owner from active) or e.account_id = '${MARKET_ACCOUNT}'
    or e.parent_id in (select owner from active where all_accounts)`;

const HOUSE = 'coalesce(parent_id, account_id)';

/**
 * Those that are new, by whose turn it is: a platform with all accounts below it, or an account that is below none, has its first before any has
 * its second; so do the accounts of a platform among themselves. Of a stream each comes behind those before it, and what ends an
 * account behind all else of it.
 */
const PLACED = `
  select *, row_number() over (order by in_house, ${HOUSE}) as place
  from (
    select *, row_number() over (partition by ${HOUSE} order by in_account, about) as in_house
    from (
      select *, row_number() over (partition by about order by kind = 'AccountDeleted', in_stream, stream) as in_account
      from (
        select *, case when kind = 'AccountDeleted' then substr(stream, 5) else account_id::text end as about,
          row_number() over (partition by account_id, stream order by sequence) as in_stream
        from concerning where not is_fed
      ) of_streams
    ) of_accounts
  ) of_houses`;

const EVENT_COLUMNS = 'account_id, parent_id, stream, sequence, kind, alert_id, created_at, type, is_fed';

/** Each with the webhooks that are to be told of it, and may not have been. */
const PAIRS = IS_TOLD.map(
  (on) => `
    select e.*, w.owner, w.owner_parent_id, w.webhook_id from told e join active w on ${on}
      and e.created_at >= w.active_since and w.events @> to_jsonb(e.type) and not (e.is_fed and w.is_known)`,
).join(' union all ');

export interface FedRow {
  made: number;
  /** The number of the last delivery. */
  last: number;
  /** For $4 of the next look, as JSON. */
  fed: string;
  /** From when on events are left to the next look; null where none is. */
  leftFrom: string | null;
  /** Whose webhooks are told, and of how much; uuids. */
  shares: { accountId: string; platformId: string | null; count: number }[];
}

/**
 * $1 from when on, $2 before when or null, $3 what they are numbered behind, $4 what was fed, as a look of before gave it, $5 new events at
 * most: makes a delivery of each event of the log for each webhook that is to be told, unless there is one.
 * The webhook of an event may be on another node of Citus than the event: that is why both are read before they are joined.
 */
export const FEED_WEBHOOKS = `
  with logged as materialized (${LOGGED}),
  concerned as materialized (${CONCERNED}),
  active as materialized (${ACTIVE}),
  concerning as materialized (${CONCERNING}),
  placed as materialized (${PLACED}),
  told as materialized (
    select ${EVENT_COLUMNS} from placed where place <= $5::integer
    union all
    select ${EVENT_COLUMNS} from concerning where is_fed
  ),
  wanted as materialized (
    select e.*, row_number() over (order by e.kind = 'AccountDeleted', e.account_id, e.stream, e.sequence) as turn
    from (${PAIRS}) e
  ),
  made as (
    insert into webhook_delivery (account_id, webhook_id, id, type, stream, number, payload, occurred_at)
    select owner, webhook_id, 'msg_' || replace(account_id::text, '-', '') || '_' || stream || '_' || sequence,
      type, ${STREAM}, $3::bigint + turn, ${PAYLOAD}, created_at from wanted e
    on conflict do nothing
    returning account_id, webhook_id
  ),
  looked as (
    update webhook w set look_at = now() from (select distinct account_id, webhook_id from made) d
    where w.account_id = d.account_id and w.id = d.webhook_id
    returning w.id
  )
  select (select count(*) from made) as made, $3::bigint + (select count(*) from wanted) as last,
    json_build_object(
      'streams', (select coalesce(json_agg(f), '[]') from (
        select account_id, stream, max(sequence) as sequence, max(created_at) as created_at from told group by account_id, stream
      ) f),
      'webhooks', (select coalesce(json_agg(k), '[]') from (select webhook_id, active_since from active) k)
    )::text as fed,
    (select min(created_at)::text from placed where place > $5::integer) as "leftFrom",
    (select coalesce(json_agg(s), '[]') from (
      select owner as "accountId", owner_parent_id as "platformId", count(*) as count from wanted group by owner, owner_parent_id
    ) s) as shares`;

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

/** Seconds since the oldest delivery was due of those that are to be looked at (TAKE_WEBHOOKS); null where none waits. */
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
