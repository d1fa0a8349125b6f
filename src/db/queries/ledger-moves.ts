import { ofWays } from './ledger.ts';

/**
 * Moves transactions ($4 ids as JSON) from the collection $2 to $3 of the same currency, both of which whoever moves has locked. Gives
 * where those are that were there.
 */
export const MOVE_TRANSACTIONS = ofWays(
  (isOrdered) => `
  select id, variant_id as "variantId", occurred::text as occurred
  from move_transactions($1::uuid, $2, $3, $4::jsonb, ${isOrdered})`,
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
