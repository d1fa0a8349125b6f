import { latestRate } from './exchange.ts';
import { INVESTED, UNKNOWN_COST } from './holdings.ts';
import { PRICING_REVISION } from './market-data.ts';
import { LEDGER_STATE } from './parents.ts';

/**
 * What collections are worth. The ledger's tables have no prices: a collection's `market_value`, `gain`, `unpriced` (the
 * cards that have no price), `unknown_cost` and its value (those whose cost is not known) are kept with a stamp, the state of the market that they were made at, and are right only while that is the newest. Writers of the
 * ledger change them by differences; whoever shows a stale one has it made afresh (services/collections/valued.ts).
 */

/**
 * The stamp of values by the newest prices and rates of a collection at `revision` (SQL): minus the sum of both states. As
 * they only grow, it is a value's stamp only where neither has changed since. 0 stands for values that are to be made afresh.
 *
 * Nodes of the version before, which kept prices in holdings, leave stamps alone when they change a collection, but raise
 * its revision: then its value is stale. They take a negative stamp for a state that they have to catch up with. Whoever
 * raises the revision and leaves the values right lowers the stamp by as much.
 */
export const newestStamp = (revision: string) => `-(${PRICING_REVISION}) - ${revision}`;

/** The price source of the account $1. */
export const PREFERRED_SOURCE = '(select preferred_price_source from account where account_id = $1)';

/**
 * Of a collection `c`: its gain of what the same cards have cost, which is their market value less that gain
 * (docs/decisions.md#unknown-prices).
 */
export const PERCENTAGE_GAIN = 'percentage_gain(c.gain, c.market_value - c.unknown_cost_value - c.gain)';

/** Of holdings `h` with their `price`. */
const HELD_SUMS = `sum(greatest(h.quantity, 0)) as quantity, sum(greatest(h.quantity, 0) * price.amount) as value,
      sum(${INVESTED}) filter (where ${UNKNOWN_COST} = 0) as invested,
      sum(greatest(h.quantity, 0) * price.amount) filter (where ${UNKNOWN_COST} > 0) as unknown_value, sum(${UNKNOWN_COST}) as unknown`;

/** Of those `priced` by the currency of their prices, null for those without one, at a `rate` that is null where none is known. */
const VALUE_SUMS = {
  marketValue: 'coalesce(sum(priced.value * rate.rate), 0)',
  gain: 'coalesce(sum((priced.value - coalesce(priced.unknown_value, 0)) * rate.rate - coalesce(priced.invested, 0)), 0)',
  unpriced: 'coalesce(sum(priced.quantity) filter (where rate.rate is null), 0)::bigint',
  unknownCost: 'coalesce(sum(priced.unknown), 0)::bigint',
  unknownCostValue: 'coalesce(sum(priced.unknown_value * rate.rate), 0)',
};

/**
 * The market value of the collection `c` and what goes with it, from its holdings: one row. Amounts are converted
 * once for each currency that prices are in, which gives the same sum. By `offset 0` the price of each holding is looked up: the
 * planner, left to itself, reads the prices of all variants for each collection.
 */
export const collectionValue = (condition = 'true') => `
  select ${VALUE_SUMS.marketValue} as market_value, ${VALUE_SUMS.gain} as gain, ${VALUE_SUMS.unpriced} as unpriced,
    ${VALUE_SUMS.unknownCost} as unknown_cost, ${VALUE_SUMS.unknownCostValue} as unknown_cost_value
  from (
    select price.currency, ${HELD_SUMS}
    from holding h left join lateral (
      select price.currency, price.amount from price
      where price.variant_id = h.variant_id and price.source = ${PREFERRED_SOURCE} and price.amount is not null offset 0
    ) price on true
    where ${condition} and h.account_id = $1 and h.collection_id = c.id
      and h.transaction_count > 0
    group by price.currency
  ) priced cross join lateral (select ${latestRate('priced.currency', 'c.currency')} as rate) rate`;

/** Whether the stored values of the collection `c` are of another state of the market than the newest. */
export const IS_STALE = `c.market_revision <> ${newestStamp('c.revision')}`;

/** Whether those of any collection of the account $1 are. */
export const IS_ANY_STALE = `exists (
  select from collection other where other.account_id = $1 and not other.deleted and other.market_revision <> ${newestStamp('other.revision')})`;

/** The stale ones of the account $1: those of $2, ids as JSON, or all where that is null. */
const STALE_ASKED = `
  c.account_id = $1 and not c.deleted and ${IS_STALE}
    and ($2::jsonb is null or c.id in (select jsonb_array_elements_text($2::jsonb)))`;

/** What a stale collection is worth: the values that `STORE_VALUES` of stored-values.ts takes, and the state of prices and rates they are of. */
export interface FreshValueRow {
  id: string;
  state: string;
  marketValue: string;
  gain: string;
  unpriced: number;
  unknownCost: number;
  unknownCostValue: string;
  pricingRevision: number;
}

/** Of few of the account $1 ($2, ids as JSON), by a look-up of the price of each holding. */
export const VALUES_OF_FEW = `
  select c.id, ${LEDGER_STATE} as state, v.market_value as "marketValue", v.gain, v.unpriced, v.unknown_cost as "unknownCost",
    v.unknown_cost_value as "unknownCostValue",
    (${PRICING_REVISION}) as "pricingRevision"
  from collection c cross join lateral (${collectionValue()}) v
  where ${STALE_ASKED}`;

/**
 * Of many, or of all where $2 is null, by one join with all prices: for a million holdings some 0.45 of the time that
 * look-ups take, and half of that where PostgreSQL has a second processor free, as it changes nothing. It is planned each
 * time: a prepared statement's plan, for any number, takes twice as long.
 */
export const VALUES_OF_MANY = `
  with sums as materialized (
    select c.id, price.currency, ${HELD_SUMS}
    from collection c
    join holding h on h.account_id = $1 and h.collection_id = c.id and h.transaction_count > 0
    left join price on price.variant_id = h.variant_id and price.source = ${PREFERRED_SOURCE} and price.amount is not null
    where ${STALE_ASKED}
    group by c.id, price.currency
  )
  select c.id, ${LEDGER_STATE} as state, ${VALUE_SUMS.marketValue} as "marketValue", ${VALUE_SUMS.gain} as gain,
    ${VALUE_SUMS.unpriced} as unpriced, ${VALUE_SUMS.unknownCost} as "unknownCost",
    ${VALUE_SUMS.unknownCostValue} as "unknownCostValue", (${PRICING_REVISION}) as "pricingRevision"
  from collection c left join sums priced on priced.id = c.id
  left join lateral (select ${latestRate('priced.currency', 'c.currency')} as rate) rate on true
  where ${STALE_ASKED}
  group by c.id, c.revision, c.xmin`;

/** $1 a list of `{accountId, stream}` as JSON: the collections of those streams that are to be valued afresh. */
export const STALE_FOLLOWED = `
  select c.account_id as "accountId", c.id
  from jsonb_to_recordset($1::jsonb) as w("accountId" uuid, stream text)
  join collection c on c.account_id = w."accountId" and c.id = w.stream
  where not c.deleted and ${IS_STALE}`;
