import { PREFERRED } from './held-items.ts';
import { HISTORY_REVISION, INDEX_REVISION, PRICING_REVISION } from './market-data.ts';

/** What market indexes are made of (`index_day`), which follows from the history of prices and the catalogue. */

/** What the days of the indexes were made of: null where they were not made yet. */
export interface IndexStateRow {
  /** As an import left it, and as it is to be now; the first word is said by the prices, the rest by all else. */
  made: string | null;
  now: string;
  /** The day of the newest prices then. */
  through: string | null;
  /** The day of the newest prices now; null where none are loaded. */
  newestDay: string | null;
  isSample: boolean;
  /** The first and the last year of the history; null where it is empty. */
  firstYear: number | null;
  lastYear: number | null;
}

export const INDEX_STATE = `
  select made.version as made, made.newest_day::text as through, prices.newest_day::text as "newestDay",
    coalesce(prices.is_sample, false) as "isSample",
    concat_ws(' ', coalesce(prices.revision, 0), coalesce(prices.is_sample, false), (
      select string_agg(revision::text, ' ' order by kind) from market_data where kind in ('catalogue', 'price-history'))) as now,
    (select min(year) from price_year) as "firstYear", (select max(year) from price_year) as "lastYear"
  from (select 1) one left join market_data prices on prices.kind = 'prices'
  left join market_data made on made.kind = 'market-index'`;

/** The cards after the id $1, at most $2: those of an index, with their sets and rarities. */
export const INDEXED_VARIANTS = `
  select v.id, p.set_code as "setCode", p.rarity from variant v join product p on p.id = v.product_id
  where v.id > $1 and p.sealed_set_type is null order by v.id limit $2::integer`;

export interface IndexedVariantRow {
  id: string;
  setCode: string;
  rarity: string | null;
}

/** Those from a day ($1) on. */
export const DELETE_INDEX_DAYS = 'delete from index_day where day >= $1::date';

/** Takes rows as JSON in $1, as the table has them. */
export const INSERT_INDEX_DAYS =
  'insert into index_day select * from jsonb_populate_recordset(null::index_day, $1::jsonb)';

/**
 * The days of an index of the price source of the account $1, of the scope $2 and key $3, after the day $4 up to the day $5, and before
 * them the last one of each currency; at least one row, for the preferences.
 */
export const INDEX_DAYS = `
  with ${PREFERRED}
  select preferred.currency, (${PRICING_REVISION}) as "marketRevision", (${HISTORY_REVISION}) as "historyRevision",
    (${INDEX_REVISION}) as "indexRevision", d.day::text as day, d.currency as "priceCurrency", d.total::text as total,
    d.priced, d.entered::text as entered, d.entered_count as "enteredCount", d.departed::text as departed,
    d.departed_count as "departedCount", d.log_growth as "logGrowth"
  from preferred left join lateral (
    (select distinct on (i.currency) i.* from index_day i
      where i.source = preferred.source and i.scope = $2 and i.key = $3 and i.day <= $4::date order by i.currency, i.day desc)
    union all
    select i.* from index_day i
    where i.source = preferred.source and i.scope = $2 and i.key = $3 and i.day > $4::date and i.day <= $5::date
  ) d on true
  order by d.day`;

export interface IndexDayRow {
  /** What the account prefers. */
  currency: string;
  marketRevision: number;
  historyRevision: number;
  indexRevision: number;
  /** Null, as all that follows, where there is none. */
  day: string | null;
  priceCurrency: string;
  total: string;
  priced: number;
  entered: string;
  enteredCount: number;
  departed: string;
  departedCount: number;
  logGrowth: number;
}

/** All sets by their codes, and all rarities, of cards. */
export const CARD_SETS = `select distinct set_code as key from product where sealed_set_type is null order by 1`;
export const CARD_RARITIES = `select distinct rarity as key from product where sealed_set_type is null and rarity is not null order by 1`;
