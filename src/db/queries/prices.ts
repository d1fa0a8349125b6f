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

/** What made-up rows are removed by, when the first real ones are imported. */
export const DELETE_PRICES = 'delete from price';
export const DELETE_PRICE_DAYS = 'delete from price_day';
export const DELETE_PRICE_HISTORY = 'delete from price_year';
