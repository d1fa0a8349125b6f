import { type Direction, type MoverMeasure, PERIOD_DAYS, type Period } from '../../domain/movers.ts';
import { type Items, PREFERRED, RATES } from './held-items.ts';
import { PRICING_REVISION } from './market-data.ts';

/** By what movers are put in order, and whether a variant whose prices are known has a place in it. */
const MEASURES: Record<MoverMeasure, { of: string; isKnown: string }> = {
  Percentage: { of: '(price - past) / past', isKnown: 'past <> 0' },
  Amount: { of: '(price - past) * quantity', isKnown: 'true' },
};

const orderOf = (by: MoverMeasure, direction: Direction): string =>
  `${MEASURES[by].of} ${direction === 'Gain' ? 'desc' : 'asc'}, variant_id`;

/** The first of each scope. Of one scope they are found without sorting all the others. */
function placed(items: Items, by: MoverMeasure, direction: Direction): string {
  const moved = `from converted where price ${direction === 'Gain' ? '>' : '<'} past and ${MEASURES[by].isKnown}`;
  const first = `$${items.params + 1}::integer`;
  if (items.isWhole) return `select * ${moved} order by ${orderOf(by, direction)} limit ${first}`;
  return `
    select * from (select *, row_number() over (partition by scope order by ${orderOf(by, direction)}) as place ${moved}) moved
    where place <= ${first}`;
}

/**
 * The variants of each scope whose price has moved most since the day that lies so many days before the day of the newest
 * prices: a row for each scope, with at most as many of them as the parameter behind those of the items says. Both prices are taken at the latest rates, as price alerts do
 * (domain/price-alerts.ts), so that only prices count.
 */
export const movers = (
  items: Items,
  { period, by, direction }: { period: Period; by: MoverMeasure; direction: Direction },
): string => `
  with ${PREFERRED},
  ${RATES},
  item as (${items.sql}),
  converted as materialized (
    select scope, item.variant_id, quantity, m.amount * latest.rate as price, m.${period}_amount * past.rate as past
    from item left join price_move m on m.variant_id = item.variant_id and m.source = (select source from preferred)
    left join rate latest on latest.currency = m.currency left join rate past on past.currency = m.${period}_currency
  ),
  placed as (${placed(items, by, direction)}),
  listed as (
    select scope, json_agg(json_build_object('variantId', variant_id, 'quantity', quantity, 'price', price::text, 'past', past::text)
      order by ${orderOf(by, direction)}) as movers
    from placed group by scope
  ),
  counted as (
    select scope, count(*) filter (where price is null or past is null or not ${MEASURES[by].isKnown}) as unknown
    from converted group by scope
  )
  select s.scope, coalesce(c.unknown, 0) as unknown, coalesce(l.movers, '[]') as movers, preferred.currency,
    (day.newest_day - ${PERIOD_DAYS[period]})::text as since, day.newest_day::text as until, (${PRICING_REVISION}) as "marketRevision"
  from (${items.scopes}) s cross join preferred left join market_data day on day.kind = 'prices'
  left join counted c using (scope) left join listed l using (scope)`;

export interface MoversRow {
  /** The id of a collection, or empty. */
  scope: string;
  /** Variants whose change is not known. */
  unknown: number;
  movers: { variantId: string; quantity: number; price: string; past: string }[];
  currency: string;
  /** Null while no prices are loaded. */
  since: string | null;
  until: string | null;
  marketRevision: number;
}
