import { bySource } from './collections.ts';
import { PRICING_REVISION } from './market-data.ts';
import { LEDGER_STATE } from './parents.ts';

/** Statements on accounts. $1 is always the account. */

export interface AccountRow {
  id: string;
  name: string;
  preferredCurrency: string;
  preferredPriceSource: string;
  costBasis: string;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
  maxAccounts: number;
  collectionCount: number;
  valuedCollectionCount: number;
  accountCount: number;
  parentId: string | null;
  createdAt: string;
}

const COLUMNS = `account_id as id, name, preferred_currency as "preferredCurrency",
    preferred_price_source as "preferredPriceSource", cost_basis as "costBasis", max_collections as "maxCollections",
    max_valued_collections as "maxValuedCollections", max_transactions as "maxTransactions", max_accounts as "maxAccounts",
    collection_count as "collectionCount", valued_collection_count as "valuedCollectionCount", account_count as "accountCount",
    parent_id as "parentId", created_at as "createdAt"`;

export const ACCOUNT = `select ${COLUMNS} from account where account_id = $1 and deleted_at is null`;

/** Those that are not below another, oldest first. */
export const ALL_ACCOUNTS = `
  select ${COLUMNS},
    (select coalesce(sum(c.transaction_count), 0)::bigint from collection c
     where c.account_id = account.account_id and not c.deleted) as "transactionCount"
  from account where parent_id is null order by created_at, account_id`;

/**
 * $2 name, $3 currency, $4 price source, $5 collections, $6 valued collections and $7 transactions that it may have, $8 time.
 */
export const INSERT_ACCOUNT = `
  insert into account (account_id, name, preferred_currency, preferred_price_source, max_collections,
    max_valued_collections, max_transactions, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz)`;

/**
 * $2 collections, $3 valued collections, $4 transactions and $5 accounts below it that it may have; null where it stays. Shares of
 * transactions that were set aside for collections are taken back with another limit. No row comes back of an account
 * below another, which has none below it.
 */
export const SET_LIMITS = `
  with changed as (
    update account set max_collections = coalesce($2::integer, max_collections),
      max_valued_collections = coalesce($3::integer, max_valued_collections),
      max_transactions = coalesce($4::integer, max_transactions),
      max_accounts = coalesce($5::integer, max_accounts), revision = revision + 1
    where account_id = $1 and deleted_at is null and (parent_id is null or coalesce($5::integer, 0) = 0)
    returning *, $4::integer is not null as has_other_limit
  ),
  taken_back as (
    update collection set transaction_share = 0 from changed
    where collection.account_id = $1 and changed.has_other_limit
    returning collection.id
  )
  select ${COLUMNS} from changed`;

/** Of the collections whose value is of the newest prices and rates. */
const FRESH = '(where -c.market_revision - c.revision = newest.revision)';

/**
 * The sums of the valued collections; they are at most as many as the account's limit. What the `stale` ones are worth, by what is
 * stored, is in none of them.
 */
export const DASHBOARD = bySource(
  (collections) => `
  select a.preferred_currency as currency, a.cost_basis as "costBasis", count(c.id) as "collectionCount",
    coalesce(sum(c.transaction_count), 0)::bigint as "transactionCount",
    coalesce(sum(c.quantity), 0)::bigint as quantity, coalesce(sum(c.invested), 0) as invested,
    coalesce(sum(c.profit), 0) as profit, coalesce(sum(c.cash_position), 0) as "cashPosition",
    coalesce(sum(c.market_value) filter ${FRESH}, 0) as "marketValue", coalesce(sum(c.gain) filter ${FRESH}, 0) as gain,
    coalesce(sum(c.unpriced) filter ${FRESH}, 0)::bigint as unpriced,
    coalesce(sum(c.unknown_cost) filter ${FRESH}, 0)::bigint as "unknownCost",
    coalesce(sum(c.bought_unknown), 0)::bigint as "boughtUnknown",
    coalesce(sum(c.unknown_cost_value) filter ${FRESH}, 0) as "unknownCostValue",
    percentage_gain(sum(c.gain) filter ${FRESH}, sum(c.market_value - c.unknown_cost_value - c.gain) filter ${FRESH}) as "percentageGain",
    newest.revision as "marketRevision",
    coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'ledgerState', ${LEDGER_STATE}))
      filter (where -c.market_revision - c.revision <> newest.revision), '[]') as stale
  from account a cross join (${PRICING_REVISION}) as newest(revision)
  left join ${collections} c on c.account_id = $1 and c.valued and not c.deleted
  where a.account_id = $1 group by a.account_id, newest.revision`,
);

/** The account before its collections, wherever both are locked. Writers of a ledger wait for its collection alone. */
export const LOCK_ACCOUNT = 'select account_id from account where account_id = $1 for no key update';
export const LOCK_COLLECTIONS =
  'select id from collection where account_id = $1 order by id for no key update';

/** $2 and $3: gives those that are there. */
export const LOCK_TWO_COLLECTIONS =
  'select id, kind from collection where account_id = $1 and id in ($2, $3) and not deleted order by id for no key update';

/** $2 currency, $3 price source, $4 cost basis; null where it stays. */
export const UPDATE_PREFERENCES = `
  update account set preferred_currency = coalesce($2, preferred_currency),
    preferred_price_source = coalesce($3, preferred_price_source), cost_basis = coalesce($4, cost_basis)
  where account_id = $1`;
