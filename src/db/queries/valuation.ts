import { logChange } from './events.ts';
import { PRICING_REVISION } from './market.ts';

/**
 * What collections are worth. The ledger's tables have no prices: a collection's `market_value` and `gain` are kept with
 * a stamp, the state of the market that they were made at, and are right only while that is the newest. Writers of the
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

/** The latest price of a variant in a currency, as SQL; null where none is known. The arguments are SQL. */
export const marketPrice = (variantId: string, source: string, currency: string) => `
  (select price.amount * latest_exchange_rate(price.currency, ${currency}) from price
   where price.variant_id = ${variantId} and price.source = ${source})`;

/** The price source of the account $1. */
export const PRICE_SOURCE = '(select preferred_price_source from account where account_id = $1)';

/**
 * The market value and the gain of the collection `c`, from its holdings: one row. Amounts are converted once for each
 * currency that prices are in, which gives the same sum. By `offset 0` the price of each holding is looked up: the planner,
 * left to itself, reads the prices of all variants for each collection.
 */
export const collectionValue = (condition = 'true') => `
  select coalesce(sum(priced.value * rate.rate), 0) as market_value,
    coalesce(sum(priced.value * rate.rate - priced.invested), 0) as gain
  from (
    select price.currency, sum(greatest(h.quantity, 0) * price.amount) as value, sum(h.invested) as invested
    from holding h cross join lateral (
      select price.currency, price.amount from price
      where price.variant_id = h.variant_id and price.source = ${PRICE_SOURCE} and price.amount is not null offset 0
    ) price
    where ${condition} and h.account_id = $1 and h.account_id = c.account_id and h.collection_id = c.id
      and h.transaction_count > 0
    group by price.currency
  ) priced cross join lateral (select latest_exchange_rate(priced.currency, c.currency) as rate) rate`;

/** Whether the stored values of the collection `c` are of another state of the market than the newest. */
export const IS_STALE = `c.market_revision <> ${newestStamp('c.revision')}`;

/** Whether those of any collection of the account $1 are. */
export const IS_ANY_STALE = `exists (
  select from collection other where other.account_id = $1 and not other.deleted and other.market_revision <> ${newestStamp('other.revision')})`;

/**
 * Values collections of the account $1 afresh, where they are stale: those of $2, ids as JSON, or all where that is null.
 * One that somebody writes at the moment is left to the next reader, and so is one that was written since this statement
 * began: nobody waits. Gives those whose value is another one now, which is a change for those who follow them.
 */
export const REVALUE_COLLECTIONS = `
  with fresh as materialized (
    select c.id, c.revision, c.market_revision, v.market_value, v.gain from collection c cross join lateral (${collectionValue()}) v
    where c.account_id = $1 and not c.deleted and ${IS_STALE}
      and ($2::jsonb is null or c.id in (select jsonb_array_elements_text($2::jsonb)))
    -- All are computed before the first is locked.
    order by c.id
  ),
  valued as (
    update collection c set market_value = x.market_value, gain = x.gain, revision = c.revision + x.is_other::integer,
      market_revision = ${newestStamp('c.revision')} - x.is_other::integer
    from (
      select fresh.*, (free.market_value, free.gain) is distinct from (fresh.market_value, fresh.gain) as is_other
      from fresh cross join lateral (
        select c.market_value, c.gain from collection c
        where c.account_id = $1 and c.id = fresh.id and c.revision = fresh.revision
          and c.market_revision = fresh.market_revision for no key update skip locked
      ) free
    ) x
    where c.account_id = $1 and c.id = x.id
    returning c.id, c.revision, x.is_other
  ),
  changed as (select id, revision from valued where is_other),
  logged as (${logChange('Revalued', 'changed')})
  select id from changed`;

/** $1 a list of `{accountId, stream}` as JSON: the collections of those streams that are to be valued afresh. */
export const STALE_FOLLOWED = `
  select c.account_id as "accountId", c.id
  from jsonb_to_recordset($1::jsonb) as w("accountId" uuid, stream text)
  join collection c on c.account_id = w."accountId" and c.id = w.stream
  where not c.deleted and ${IS_STALE}`;
