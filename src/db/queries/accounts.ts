import { bySource } from './collections.ts';
import { PRICING_REVISION } from './market.ts';
import { IS_STALE } from './valuation.ts';

/** Statements on accounts. $1 is always the account. */

export interface AccountRow {
  id: string;
  name: string;
  preferredCurrency: string;
  preferredPriceSource: string;
  maxCollections: number;
  maxValuedCollections: number;
  collectionCount: number;
  valuedCollectionCount: number;
  createdAt: string;
}

export const ACCOUNT = `
  select account_id as id, name, preferred_currency as "preferredCurrency",
    preferred_price_source as "preferredPriceSource", max_collections as "maxCollections",
    max_valued_collections as "maxValuedCollections", collection_count as "collectionCount",
    valued_collection_count as "valuedCollectionCount", created_at as "createdAt"
  from account where account_id = $1`;

/** The sums of the valued collections; they are at most as many as the account's limit. */
export const DASHBOARD = bySource(
  (collections) => `
  select a.preferred_currency as currency, count(c.id) as "collectionCount",
    coalesce(sum(c.transaction_count), 0)::bigint as "transactionCount",
    coalesce(sum(c.quantity), 0)::bigint as quantity, coalesce(sum(c.invested), 0) as invested,
    coalesce(sum(c.profit), 0) as profit, coalesce(sum(c.cash_position), 0) as "cashPosition",
    coalesce(sum(c.market_value), 0) as "marketValue", coalesce(sum(c.gain), 0) as gain,
    percentage_gain(sum(c.gain), sum(c.invested)) as "percentageGain",
    (${PRICING_REVISION}) as "marketRevision",
    coalesce(jsonb_agg(c.id) filter (where ${IS_STALE}), '[]') as "staleIds"
  from account a left join ${collections} c on c.account_id = a.account_id and c.valued and not c.deleted
  where a.account_id = $1 group by a.account_id`,
);

/** The account before its collections, wherever both are locked. Writers of a ledger wait for its collection alone. */
export const LOCK_ACCOUNT = 'select account_id from account where account_id = $1 for no key update';
export const LOCK_COLLECTIONS =
  'select id from collection where account_id = $1 order by id for no key update';

/** $2 currency, $3 price source; null where it stays. */
export const UPDATE_PREFERENCES = `
  update account set preferred_currency = coalesce($2, preferred_currency),
    preferred_price_source = coalesce($3, preferred_price_source)
  where account_id = $1`;
