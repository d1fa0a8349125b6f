import { priceOn } from './prices.ts';

/** Statements on made-up prices of the past. */

/** Of the variants $3 (JSON) those of the source $1 whose history has the day $2 alone. */
export const PRICES_WITHOUT_PAST = `
  select y.variant_id as "variantId", y.currencies[1] as currency, y.amounts[1] as amount,
    p.release_date::text as "releaseDate"
  from price_year y join variant v on v.id = y.variant_id join product p on p.id = v.product_id
  where y.source = $1 and y.days = array[$2::date]
    and y.variant_id in (select jsonb_array_elements_text($3::jsonb))
    and not exists (
      select from price_year o where o.variant_id = y.variant_id and o.source = y.source and o.year < y.year)
  order by y.variant_id`;

export interface PriceWithoutPast {
  variantId: string;
  currency: string;
  amount: string;
  /** `YYYY-MM-DD` */
  releaseDate: string | null;
}

/**
 * Takes the prices of variants as JSON in $3, each from the day on that stands at `since` among the days of $2, which has them by
 * year: `first` and `last` of them and the `days` themselves. All count from 1. $1 source.
 */
export const INSERT_PAST = `
  insert into price_year (variant_id, source, year, days, currencies, amounts)
  select p.variant_id, $1, y.year, y.days[s.since - y.first + 1 :], array_fill(p.currency, array[y.last - s.since + 1]),
    p.amounts[s.since - p.since + 1 : y.last - p.since + 1]
  from jsonb_to_recordset($3::jsonb) as p(variant_id text, currency text, since integer, amounts numeric[])
  join jsonb_to_recordset($2::jsonb) as y(year integer, first integer, last integer, days date[]) on p.since <= y.last
  cross join lateral (select greatest(p.since, y.first) as since) s
  on conflict (variant_id, source, year) do update set
    days = excluded.days, currencies = excluded.currencies, amounts = excluded.amounts`;

/** Expected values move as the prices of their sets do. $1 source. */
export const INSERT_PAST_EVS = `
  insert into product_ev_history (set_type, product_type, day, estimated_value, market_price)
  select e.set_type, e.product_type, i.day, round(e.estimated_value * i.total / newest.total, 2), coalesce(price.amount, 0)
  from market_data m
  join index_day newest on newest.source = $1 and newest.scope = 'Set' and newest.day = m.newest_day and newest.total > 0
  join product p on p.set_code = newest.key
  join product_ev e on e.product_id = p.id
  join variant v on v.product_id = p.id and v.position = 0
  join index_day i on i.source = $1 and i.scope = 'Set' and i.key = newest.key and i.day < m.newest_day
  left join lateral ${priceOn('v.id', '$1', 'i.day')} price on true
  where m.kind = 'prices'
  on conflict (set_type, product_type, day) do nothing`;
