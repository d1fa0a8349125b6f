import { upsert } from './upsert.ts';

/**
 * Statements on exchange rates, and on bringing new ones into ledgers: each transaction has the rate of its day. An import
 * notes the days whose rates it has changed; whoever comes first looks for the accounts concerned, and then for each.
 */

export const UPSERT_RATES = upsert(
  'fx_rate',
  'currency, day',
  [
    ['currency', 'text'],
    ['day', 'date'],
    ['per_euro', 'numeric'],
  ],
  { returning: ['currency', 'day::text as day'] },
);

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

/** Waits for those who record a converted amount, and lets nobody begin to until the end of the transaction: see `recorded_rate`. */
export const BAR_CONVERTED_WRITES = 'select pg_advisory_xact_lock(7201103)';

/** For what converts a ledger to another currency. */
export const JOIN_CONVERTED_WRITES = 'select pg_advisory_xact_lock_shared(7201103)';

/** A change of rates that nobody else looks at, locked to the end of the transaction. */
export const LOCK_RATE_CHANGE = `
  select id, first_day::text as "firstDay", last_day::text as "lastDay" from rate_change
  order by id limit 1 for update skip locked`;

export const DELETE_RATE_CHANGE = 'delete from rate_change where id = $1';

/** Notes the accounts with converted transactions of the days from $1 to $2. */
export const NOTE_LEDGERS_TO_RATE = `
  insert into ledger_to_rate as noted (account_id, first_day, last_day)
  select distinct t.account_id, $1::date, $2::date
  from transaction t join collection c on c.account_id = t.account_id and c.id = t.collection_id
  where not c.deleted and t.currency <> c.currency and t.occurred between $1::date and $2::date
  order by t.account_id
  on conflict (account_id) do update set
    first_day = least(noted.first_day, excluded.first_day), last_day = greatest(noted.last_day, excluded.last_day)`;

/** An account whose ledger is to get new rates and that nobody else has taken, but for those of $1, a JSON array. */
export const LOCK_LEDGER_TO_RATE = `
  select account_id as "accountId", first_day::text as "firstDay", last_day::text as "lastDay" from ledger_to_rate
  where account_id not in (select jsonb_array_elements_text($1::jsonb)::uuid)
  limit 1 for update skip locked`;

export const DELETE_LEDGER_TO_RATE = 'delete from ledger_to_rate where account_id = $1';
