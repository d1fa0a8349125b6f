import { AMOUNT_COLUMNS } from './amounts.ts';
import {
  addedUp,
  delta,
  IS_OF,
  logTransactions,
  ofWays,
  updateHoldings,
  updateTotals,
  type Way,
} from './ledger.ts';

/** Of the collection $2, whose row whoever moves has locked. */
const ofLocked = (way: Way) => `
  select c.id, c.currency, a.preferred_price_source as price_source
  from collection c join account a on a.account_id = $1
  where c.account_id = $1 and c.id = $2 and not c.deleted and ${IS_OF[way]}`;

/**
 * Two statements that move transactions ($3 ids as JSON) between collections of one currency, within a database transaction that has
 * locked both: out of the collection $2, then into it. Who follows one sees that they have gone, who follows the other that they have
 * come. Both give where they are. Each row is looked up: for a list of JSON the planner would go through all of the collection.
 */
export const MOVE_OUT = ofWays(
  (way) => `
  with col as (${ofLocked(way)}),
  moved as (
    select t.* from jsonb_array_elements_text($3::jsonb) as x(id)
    cross join lateral (select * from transaction where account_id = $1 and id = x.id limit 1) t
    join col on col.id = t.collection_id
  ),
  signed_entry as (select -1 as sign, variant_id, ${AMOUNT_COLUMNS} from moved),
  delta as (${delta('sum')}),
  hold as (${updateHoldings()}),
  total as (${updateTotals(way, 'sum')}),
  logged as (${logTransactions('TransactionDeleted', 'moved', 'sum')})
  select id, variant_id as "variantId", occurred::text as occurred from moved`,
);
export const MOVE_IN = ofWays(
  (way) => `
  with col as (${ofLocked(way)}),
  new as (
    update transaction t set collection_id = col.id, revision = t.revision + 1 from col
    where t.account_id = $1 and t.id = any (array(select jsonb_array_elements_text($3::jsonb))) returning t.*
  ),
  ${addedUp(way, 'sum')}
  select id, variant_id as "variantId", occurred::text as occurred from new`,
);

/** $2 collection, $3 rows at most, and $4 variant. */
export const TRANSACTION_IDS = `
  select id from transaction where account_id = $1 and collection_id = $2 order by occurred, id limit $3::integer`;
export const TRANSACTION_IDS_OF_VARIANT = `
  select id from transaction where account_id = $1 and collection_id = $2 and variant_id = $4
  order by occurred, id limit $3::integer`;

/** $2 collection, $3 variant or null for all: how many there are. */
export const TRANSACTIONS_HELD = `
  select case when $3::text is null then c.transaction_count else coalesce((
    select h.transaction_count from holding h where h.account_id = $1 and h.collection_id = c.id and h.variant_id = $3), 0) end as count
  from collection c where c.account_id = $1 and c.id = $2`;

/** Of the collection $2, which is locked, those of variants ($3 ids as JSON), each of which is looked up. */
export const DELETE_EMPTY_HOLDINGS = `
  delete from holding
  where account_id = $1 and collection_id = $2 and variant_id = any (array(select jsonb_array_elements_text($3::jsonb)))
    and transaction_count = 0`;
