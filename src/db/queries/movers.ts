import { type Direction, type MoverMeasure, PERIOD_DAYS, type Period } from '../../domain/movers.ts';
import { type Items, PREFERRED, RATES, WHOLE } from './held-items.ts';
import { HISTORY_REVISION, PRICING_REVISION } from './market-data.ts';

/** By what movers are put in order, and whether a variant of which both prices are known has a place in it. */
const MEASURES: Record<MoverMeasure, { of: string; isKnown: string }> = {
  Percentage: { of: '(price - past) / past', isKnown: 'past_amount <> 0' },
  Amount: { of: '(price - past) * quantity', isKnown: 'past_amount is not null' },
};

/** Items with their prices, as SQL: `scope` and `quantity` beside the columns of `price_move`. */
export interface Moves extends Items {
  moves: string;
}

export const movesOf = (items: Items): Moves => ({
  ...items,
  moves: 'select scope, quantity, m.* from item join price_move m using (variant_id)',
});

/** One of each variant of the catalogue. What has no price is not looked at. */
export const MOVES_OF_CATALOGUE: Moves = {
  sql: `select '${WHOLE}' as scope from variant`,
  scopes: `select '${WHOLE}' as scope`,
  isWhole: true,
  params: 1,
  moves: `select '${WHOLE}' as scope, 1::bigint as quantity, m.* from price_move m`,
};

const orderOf = (by: MoverMeasure, direction: Direction): string =>
  `${MEASURES[by].of} ${direction === 'Gain' ? 'desc' : 'asc'}, variant_id`;

/** The first of each scope. Of one scope they are found without sorting all the others. */
function placed(items: Items, by: MoverMeasure, direction: Direction): string {
  const moved = `from moved where price ${direction === 'Gain' ? '>' : '<'} past`;
  const first = `$${items.params + 1}::integer`;
  if (items.isWhole) return `select * ${moved} order by ${orderOf(by, direction)} limit ${first}`;
  return `
    select * from (select *, row_number() over (partition by scope order by ${orderOf(by, direction)}) as place ${moved}) moved
    where place <= ${first}`;
}

/**
 * The variants of each scope whose price has moved most since the day that lies so many days before the day of the newest
 * prices: a row for each scope, with at most as many of them as the parameter behind those of the items says. Both prices are taken at the latest rates, as price alerts do
 * (domain/price-alerts.ts), so that only prices count. Those of one currency are compared before they are converted, as most have not moved that way.
 */
export const movers = (
  items: Moves,
  { period, by, direction }: { period: Period; by: MoverMeasure; direction: Direction },
): string => `
  with ${PREFERRED},
  ${RATES},
  item as (${items.sql}),
  known as not materialized (
    select * from (select scope, variant_id, quantity, currency, amount, ${period}_currency as past_currency, ${period}_amount as past_amount
      from (${items.moves}) m where source = (select source from preferred)) m
    where amount is not null and ${MEASURES[by].isKnown}
  ),
  moved as (
    select scope, variant_id, quantity, amount * latest.rate as price, past_amount * past.rate as past
    from known join rate latest using (currency) join rate past on past.currency = past_currency
    where amount ${direction === 'Gain' ? '>' : '<'} past_amount or known.currency <> past_currency
  ),
  placed as (${placed(items, by, direction)}),
  listed as (
    select scope, json_agg(json_build_object('variantId', variant_id, 'quantity', quantity, 'price', price::text, 'past', past::text)
      order by ${orderOf(by, direction)}) as movers
    from placed group by scope
  ),
  counted as (select scope, count(*) as variants from item group by scope),
  compared as (select scope, count(*) as variants from known
    where currency <> all (${UNRATED}) and past_currency <> all (${UNRATED}) group by scope)
  select s.scope, coalesce(counted.variants, 0) - coalesce(compared.variants, 0) as unknown, coalesce(l.movers, '[]') as movers, preferred.currency,
    (day.newest_day - ${PERIOD_DAYS[period]})::text as since, day.newest_day::text as until,
    (${PRICING_REVISION}) as "marketRevision", (${HISTORY_REVISION}) as "historyRevision"
  from (${items.scopes}) s cross join preferred left join market_data day on day.kind = 'prices'
  left join counted using (scope) left join compared using (scope) left join listed l using (scope)`;

/** Currencies without a rate: nothing is known of what is in them. */
const UNRATED = 'array(select currency from rate where rate is null)';

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
  historyRevision: number;
}
