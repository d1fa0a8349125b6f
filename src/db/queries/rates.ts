import { PRICING_REVISION } from './market-data.ts';

/**
 * Statements on exchange rates, and on bringing new ones into ledgers: each transaction has the rate of its day. An import
 * notes the days whose rates it has changed; whoever comes first looks for the accounts concerned, and then for each.
 */

/**
 * $1 currencies, $2 days, $3 rates, as array literals of one length: less to read and to send than as many rows of JSON. Gives
 * for each currency of which something has changed how many rates were written and added, and their first and last day.
 */
export const UPSERT_RATES = `
  with written as (
    insert into fx_rate as old (currency, day, per_euro)
    select * from unnest($1::text[], $2::date[], $3::numeric[]) as r(currency, day, per_euro)
    order by currency collate "C", day
    on conflict (currency, day) do update set per_euro = excluded.per_euro
      where old.per_euro is distinct from excluded.per_euro
    returning xmax = 0 as added, currency, day
  )
  select currency, count(*)::integer as written, count(*) filter (where added)::integer as added,
    min(day)::text as first, max(day)::text as last
  from written group by currency`;

export type WrittenRatesRow = ChangedRates & { written: number; added: number };

/**
 * The rates of currencies ($1 as JSON) that count on the days from $2 to $3, in the order of the days: those published then, and
 * the latest before them, or the earliest of all.
 */
export const RATES_OF_DAYS = `
  select r.currency, r.day::text as day, r.per_euro as "perEuro", (${PRICING_REVISION}) as "marketRevision"
  from jsonb_array_elements_text($1::jsonb) as c(currency)
  cross join lateral (
    select coalesce((select max(day) from fx_rate where currency = c.currency and day <= $2::date),
      (select min(day) from fx_rate where currency = c.currency)) as first
  ) f
  join fx_rate r on r.currency = c.currency and (r.day = f.first or r.day > f.first and r.day <= $3::date)
  order by r.day`;

/** Days on which the rates of a currency were changed: all between them may count for others. */
export interface ChangedRates {
  currency: string;
  first: string;
  last: string;
}

/**
 * Takes changed rates as JSON in $1 and notes the days whose rates are others now: a rate counts until the next one, and
 * the first one for all days before it.
 */
export const NOTE_RATE_CHANGE = `
  insert into rate_change (first_day, last_day)
  select min(first_day), max(last_day) from (
    select
      case when exists (select from fx_rate r where r.currency = x.currency and r.day < x.first)
        then x.first else '-infinity' end as first_day,
      coalesce((select min(r.day) - 1 from fx_rate r where r.currency = x.currency and r.day > x.last), 'infinity') as last_day
    from jsonb_to_recordset($1::jsonb) as x(currency text, first date, last date)
  ) changes
  having count(*) > 0`;

/** So many days after the last rate that was known then, a conversion by it is worth a warning. */
const STALE_DAYS = 10;

/** Of currencies ($1 as JSON). */
export const DELETE_RATE_GAPS =
  'delete from rate_gap where currency in (select jsonb_array_elements_text($1::jsonb))';

/** The same: what lacks rates between two that are known for long enough that a transaction of then is worth a warning. */
export const INSERT_RATE_GAPS = `
  insert into rate_gap (currency, last_day, next_day)
  select currency, day, next_day from (
    select currency, day, lead(day) over (partition by currency order by day) as next_day
    from fx_rate where currency in (select jsonb_array_elements_text($1::jsonb))
  ) r
  where next_day > day + ${STALE_DAYS} + 1`;

/** Converted transactions of the pair `k` in its collection `c`; by the index `transaction_converted`, in this order. */
const CONVERTED = `transaction t where t.account_id = $1 and t.collection_id = k."collectionId" and t.variant_id = k."variantId"
        and t.rate <> 1`;
/** The same of one currency. */
const CONVERTED_FROM = `${CONVERTED} and t.currency = used.currency`;

/**
 * Of the pairs of collection and variant ($2, JSON): the transactions that were converted at a rate that is not of their time. Those
 * that are older than the first known rate of their currencies, and newer than the last that was known then by more than ten
 * days: the last of all, or that before a gap. $1 account. It goes from one currency to the next, and looks at the first and the last
 * transaction of each and the first in each gap, however many there are. One that both currencies lack rates for is told of once.
 */
export const UNTIMELY_RATES = `
  select k."collectionId", k."variantId", used.currency as "from", c.currency as "to",
    untimely.kind, untimely.day::text as day, min(untimely.rate_day)::text as "rateDay"
  from jsonb_to_recordset($2::jsonb) as k("collectionId" text, "variantId" text)
  join collection c on c.account_id = $1 and c.id = k."collectionId" and not c.deleted
  cross join lateral (
    with recursive used as (
      (select t.currency from ${CONVERTED} order by t.currency limit 1)
      union all
      select (select t.currency from ${CONVERTED} and t.currency > used.currency order by t.currency limit 1)
      from used where used.currency is not null
    )
    select currency from used where currency <> c.currency
  ) used
  cross join lateral (
    select greatest(
        (select min(day) from fx_rate where currency = used.currency),
        (select min(day) from fx_rate where currency = c.currency)) as first,
      least(
        (select max(day) from fx_rate where currency = used.currency),
        (select max(day) from fx_rate where currency = c.currency)) as last
  ) known
  cross join lateral (
    select 'Older' as kind, t.occurred as day, known.first as rate_day
    from (select t.occurred from ${CONVERTED_FROM} order by t.occurred limit 1) t where t.occurred < known.first
    union all
    select 'Between', t.occurred, g.last_day
    from rate_gap g cross join lateral (
      select t.occurred from ${CONVERTED_FROM} and t.occurred > g.last_day + ${STALE_DAYS} and t.occurred < g.next_day
      order by t.occurred limit 1
    ) t where g.currency in (used.currency, c.currency) and g.next_day > known.first and g.last_day < known.last
    union all
    select 'Newer', t.occurred, known.last
    from (select t.occurred from ${CONVERTED_FROM} order by t.occurred desc limit 1) t where t.occurred > known.last + ${STALE_DAYS}
  ) untimely
  group by k."collectionId", k."variantId", used.currency, c.currency, untimely.kind, untimely.day
  order by "from", day`;

export interface UntimelyRatesRow {
  collectionId: string;
  variantId: string;
  from: string;
  to: string;
  /** Than the first and the last rate, or between two that are far apart. */
  kind: 'Older' | 'Between' | 'Newer';
  /** Of the transaction. */
  day: string;
  /** Of the rate that it was converted at. */
  rateDay: string;
}

/**
 * Waits for those who record a converted amount, and lets nobody begin to until the end of the transaction. Whoever wants to meanwhile
 * waits behind it, so it is asked for behind `LIMIT_BAR`.
 */
export const BAR_CONVERTED_WRITES = 'select pg_advisory_xact_lock(7201103)';
/** Waits for locks take $1 at most, such as `10ms`. */
export const LIMIT_BAR = `select set_config('lock_timeout', $1, true)`;
export const BEFORE_BAR = 'savepoint bar';
/** Behind a wait that took too long. */
export const UNDO_BAR = 'rollback to savepoint bar';

/** For what converts a ledger to another currency. */
export const JOIN_CONVERTED_WRITES = 'select pg_advisory_xact_lock_shared(7201103)';

/** A change of rates that nobody else looks at, locked to the end of the transaction. */
export const LOCK_RATE_CHANGE = `
  select id, first_day::text as "firstDay", last_day::text as "lastDay" from rate_change
  order by id limit 1 for update skip locked`;

export const DELETE_RATE_CHANGE = 'delete from rate_change where id = $1';

/**
 * Notes the accounts with converted transactions of the days from $1 to $2. Only rates that were looked up have decimals, also those
 * that are 1; by the index `transaction_rated`, and by it alone, however many transactions there are.
 */
export const NOTE_LEDGERS_TO_RATE = `
  insert into ledger_to_rate as noted (account_id, first_day, last_day)
  select distinct account_id, $1::date, $2::date
  from transaction where scale(rate) > 0 and occurred between $1::date and $2::date
  order by account_id
  on conflict (account_id) do update set
    first_day = least(noted.first_day, excluded.first_day), last_day = greatest(noted.last_day, excluded.last_day)`;

/** Accounts whose ledgers are to get new rates, 100 at most, but for those of $1, a JSON array. */
export const LEDGERS_TO_RATE = `
  select account_id as "accountId" from ledger_to_rate
  where account_id not in (select jsonb_array_elements_text($1::jsonb)::uuid) limit 100`;

/** That of the account $1, unless somebody else has taken it. On Citus the rows of one account are locked at a time. */
export const LOCK_LEDGER_TO_RATE = `
  select first_day::text as "firstDay", last_day::text as "lastDay" from ledger_to_rate
  where account_id = $1 for update skip locked`;

export const DELETE_LEDGER_TO_RATE = 'delete from ledger_to_rate where account_id = $1';
