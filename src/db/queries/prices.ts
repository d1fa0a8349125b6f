import { PERIOD_DAYS, PERIODS } from '../../domain/movers.ts';
import type { PriceYear } from '../../domain/price-changes.ts';
import { HISTORY_REVISION, PRICING_REVISION } from './market-data.ts';
import { upsert } from './upsert.ts';

/** The latest prices, and those of past days. */

/** `as_of` is the day since which the price is known: one that is confirmed on a later day is not written again. */
export const UPSERT_PRICES = upsert(
  'price',
  'variant_id, source',
  [
    ['variant_id', 'text'],
    ['source', 'text'],
    ['currency', 'text'],
    ['amount', 'numeric'],
    ['as_of', 'date'],
  ],
  { silent: ['as_of'] },
);

const HISTORY_COLUMNS = ['days', 'currencies', 'amounts'];

/** The price of a variant at the end of a day, as `currency` and `amount`, from its history. The arguments are SQL. */
export const priceOn = (variantId: string, source: string, day: string) => `(
    select h.currencies[at] as currency, h.amounts[at] as amount
    from price_year h, width_bucket(${day}, h.days) as at
    where h.variant_id = ${variantId} and h.source = ${source} and h.days[1] <= ${day}
    order by h.year desc limit 1)`;

/** Takes the prices of a day ($2) as JSON in $1, as the table has them: those that the history does not have for that day. */
export const RECORD_PRICE_HISTORY = `
  insert into price_year as old (variant_id, source, year, ${HISTORY_COLUMNS.join(', ')})
  select p.variant_id, p.source, extract(year from $2::date), array[$2::date], array[p.currency], array[p.amount]
  from jsonb_to_recordset($1::jsonb) as p(variant_id text, source text, currency text, amount numeric)
  left join lateral ${priceOn('p.variant_id', 'p.source', '$2::date')} last on true
  where last.currency is null and p.amount is not null
    or last.currency is not null and (last.currency, last.amount) is distinct from (p.currency, p.amount)
  on conflict (variant_id, source, year) do update set ${HISTORY_COLUMNS.map(
    (column) =>
      `${column} = old.${column}[:width_bucket($2::date - 1, old.days)] || excluded.${column}
        || old.${column}[width_bucket($2::date, old.days) + 1:]`,
  ).join(', ')}`;

/** Of the same variants what the history has for another day ($2), as `RECORD_PRICE_HISTORY` takes it. */
export const PRICES_ON_DAY = `
  select p.variant_id, p.source, then_.currency, then_.amount
  from jsonb_to_recordset($1::jsonb) as p(variant_id text, source text)
  cross join lateral ${priceOn('p.variant_id', 'p.source', '$2::date')} then_`;

export const DELETE_PRICE_MOVES = 'delete from price_move';

/** Each price with those of the days with which movers compare it. What has none on the day before has none on those before that. */
export const INSERT_PRICE_MOVES = `
  insert into price_move (variant_id, source, currency, amount,
    ${PERIODS.flatMap((period) => [`${period}_currency`, `${period}_amount`]).join(', ')})
  select p.variant_id, p.source, p.currency, p.amount,
    ${PERIODS.flatMap((period) => [`of_${period}.currency`, `of_${period}.amount`]).join(', ')}
  from market_data m cross join price p ${PERIODS.map(
    (period) => `
  ${period === 'Day' ? 'join' : 'left join'} lateral ${priceOn('p.variant_id', 'p.source', `m.newest_day - ${PERIOD_DAYS[period]}`)} of_${period} on true`,
  ).join('')}
  where m.kind = 'prices'`;

/** $1 day. */
export const RECORD_PRICE_DAY = 'insert into price_day (day) values ($1::date) on conflict do nothing';

/** A row for each year of a variant, with all its days. */
export const UPSERT_PRICE_YEARS = upsert('price_year', 'variant_id, source, year', [
  ['variant_id', 'text'],
  ['source', 'text'],
  ['year', 'integer'],
  ['days', 'date[]'],
  ['currencies', 'text[]'],
  ['amounts', 'numeric[]'],
]);

/** Takes the years of variants that have no day any more, as JSON in $1. */
export const DELETE_PRICE_YEARS = `
  delete from price_year h using jsonb_to_recordset($1::jsonb) as r(variant_id text, source text, year integer)
  where h.variant_id = r.variant_id and h.source = r.source and h.year = r.year`;

/** Takes ranges of years as JSON in $1: all days of each variant in them, and the last one before them. */
export const PRICE_HISTORY_AROUND = `
  select h.variant_id as "variantId", h.day::text as day, h.currency, h.amount
  from jsonb_to_recordset($1::jsonb) as r(variant_id text, source text, first integer, last integer)
  cross join lateral (
    select y.variant_id, s.day, s.currency, s.amount
    from price_year y, unnest(y.days, y.currencies, y.amounts) as s(day, currency, amount)
    where y.variant_id = r.variant_id and y.source = r.source and y.year between r.first and r.last
    union all
    (select y.variant_id, y.days[n], y.currencies[n], y.amounts[n] from price_year y, cardinality(y.days) as n
      where y.variant_id = r.variant_id and y.source = r.source and y.year < r.first order by y.year desc limit 1)
  ) h
  order by h.variant_id, h.day`;

export interface PriceHistoryRow {
  variantId: string;
  day: string;
  currency: string;
  amount: string | null;
}

/** Those of a year that are asked for; most years are in whole, and are then not even looked at. */
const askedFor = (column: string) =>
  `(case when s.first is null then ${column} else ${column}[s.first : s.last] end)::text`;

/** Of days that follow on each other the first and the last: a text of each would take the database as long as the prices do. */
const SHORTENED_DAYS = `
  case when y.days[coalesce(s.last, cardinality(y.days))] - y.days[coalesce(s.first, 1)] = coalesce(s.last, cardinality(y.days)) - coalesce(s.first, 1)
    then y.days[coalesce(s.first, 1)] || ' ' || y.days[coalesce(s.last, cardinality(y.days))]
    else ${askedFor('y.days')} end`;

/**
 * All prices of variants ($1, ids as JSON) of a source ($2) that count on the days from $3 to $4, a row a year, in the order of
 * the ids as they are given and of the years (domain/price-changes.ts). Array literals, since a row a day took twice the time.
 */
export const PRICES_OF_DAYS = `
  select v.id as "variantId", ${SHORTENED_DAYS} as days, ${askedFor('y.amounts')} as amounts,
    case when y.currencies[1] = all (y.currencies) then y.currencies[1]
      else ${askedFor('y.currencies')} end as currencies, (${PRICING_REVISION}) as "marketRevision",
    (${HISTORY_REVISION}) as "historyRevision"
  from jsonb_array_elements_text($1::jsonb) with ordinality as v(id, position)
  cross join lateral (
    select coalesce(max(p.year), 0) as first_year from price_year p
    where p.variant_id = v.id and p.source = $2 and p.year <= extract(year from $3::date)
      and (p.year < extract(year from $3::date) or p.days[1] <= $3::date)
  ) f
  left join price_year y on y.variant_id = v.id and y.source = $2
    and y.year between f.first_year and extract(year from $4::date)
  left join lateral (
    select greatest(width_bucket($3::date, y.days), 1) as first, width_bucket($4::date, y.days) as last
  ) s on y.year <= extract(year from $3::date) or y.year = extract(year from $4::date)
  where s.last is distinct from 0
  order by v.position, y.year`;

/** Of a variant without prices, too, a row tells the state of the market in which it has none. */
export type PriceYearRow = { marketRevision: number; historyRevision: number } & (PriceYear | { days: null });

export function hasPrices(row: PriceYearRow): row is PriceYearRow & PriceYear {
  return row.days !== null;
}

/** What made-up rows are removed by, when the first real ones are imported. */
export const DELETE_PRICES = 'delete from price';
export const DELETE_PRICE_DAYS = 'delete from price_day';
export const DELETE_PRICE_HISTORY = 'delete from price_year';
