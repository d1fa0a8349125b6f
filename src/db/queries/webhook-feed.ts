import { PAYLOAD_VERSION } from '../../domain/webhooks.ts';
import { MARKET_ACCOUNT } from './events.ts';

/** What makes deliveries of the log of events, for the webhooks of all accounts; they are delivered by webhook-deliveries.ts. */

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
