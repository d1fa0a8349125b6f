import type { CollectionKind } from '../../domain/collections.ts';
import type { CollectionSort } from '../../domain/orders.ts';
import { PRICING_REVISION } from './market-data.ts';
import { ascending, descending, indexed, type List, type Order, ofFew } from './page.ts';
import { isOneOf, LEDGER_STATE } from './parents.ts';
import { collectionValue, IS_ANY_STALE, newestStamp, PERCENTAGE_GAIN } from './valuation.ts';

/** Statements on collections. $1 is always the account. */

const COLUMNS = `
  c.id, c.name, c.description, c.kind, c.valued, c.pinned, c.is_goal as "isGoalCollection", c.image,
  c.created_at as "createdAt", c.revision, c.currency, c.cost_basis as "costBasis", c.transaction_count as "transactionCount", c.quantity,
  c.invested, c.profit, c.cash_position as "cashPosition", c.market_value as "marketValue", c.gain, c.unpriced,
  c.bought_unknown as "boughtUnknown", c.unknown_cost as "unknownCost", c.unknown_cost_value as "unknownCostValue",
  ${PERCENTAGE_GAIN} as "percentageGain", -c.market_revision - c.revision as "marketRevision"`;

/** Of a row that is read, not written. */
const READ_COLUMNS = `${COLUMNS}, (${PRICING_REVISION}) as "pricingRevision", ${LEDGER_STATE} as "ledgerState"`;

/** Of one that a function gives: beside its call nothing else is read, so that Citus gives it to the node of the account. */
export const GIVEN_COLUMNS = `${COLUMNS}, newest_pricing_revision() as "pricingRevision"`;

export interface CollectionRow {
  id: string;
  name: string;
  description: string;
  kind: CollectionKind;
  valued: boolean;
  pinned: boolean;
  isGoalCollection: boolean;
  image: number;
  createdAt: string;
  /** Undefined where no row has what it shows. */
  revision: number | undefined;
  currency: string;
  costBasis: string;
  transactionCount: number;
  quantity: number;
  invested: string;
  profit: string;
  cashPosition: string;
  marketValue: string;
  gain: string;
  /** Cards that are held without a known price. */
  unpriced: number;
  /** Cards that were bought at a cost that is not known. */
  boughtUnknown: number;
  /** Cards that are held whose cost is not known, or in part, and what they are worth: the gain leaves them out. */
  unknownCost: number;
  unknownCostValue: string;
  percentageGain: string | null;
  /** The state of the market that the last six are of: where it is not the newest any more, they are not to be shown. */
  marketRevision: number;
  /** The newest one. */
  pricingRevision: number;
  ledgerState?: string;
  /** In an order of values. */
  isAnyStale?: boolean;
}

const VALUE_COLUMNS = ['market_value', 'gain', 'unpriced', 'unknown_cost', 'unknown_cost_value'];

/** The collections `c` with what they are worth now, whatever is stored: the source of a statement about them. */
const VALUED_COLLECTIONS = `(
    select c.account_id, c.id, c.name, c.description, c.kind, c.valued, c.pinned, c.is_goal, c.deleted, c.image, c.created_at,
      c.revision, c.currency, c.cost_basis, c.transaction_count, c.quantity, c.invested, c.profit, c.cash_position, c.bought_unknown, c.xmin,
      newest.stamp as market_revision,
      ${VALUE_COLUMNS.map((column) => `case when c.market_revision = newest.stamp then c.${column} else fresh.${column} end as ${column}`).join(', ')}
    from collection c cross join lateral (select ${newestStamp('c.revision')} as stamp) newest
    cross join lateral (${collectionValue('c.market_revision <> newest.stamp')}) fresh
    where c.account_id = $1
  )`;

/** Where statements on collections `c` read from: as they are stored, or with what they are worth now. */
const COLLECTION_SOURCES = { stored: 'collection', valued: VALUED_COLLECTIONS } as const;
export type CollectionSource = keyof typeof COLLECTION_SOURCES;

export function bySource(statement: (collections: string) => string): Record<CollectionSource, string> {
  return { stored: statement(COLLECTION_SOURCES.stored), valued: statement(COLLECTION_SOURCES.valued) };
}

/** The columns for a page in the order of values, which is another one as soon as any collection of the account is stale. */
const COLUMNS_BY_VALUE = `${READ_COLUMNS}, ${IS_ANY_STALE} as "isAnyStale"`;

/** An account has 200 collections, or what the operator lets it have. */
export const COLLECTION_ORDERS: Record<CollectionSort, Order> = {
  Chronological: indexed(ascending('collections-created', ['c.id', 'text'])),
  Alphabetical: ofFew(ascending('collections-name', ['c.name', 'text'], ['c.id', 'text'])),
  Value: ofFew(descending('collections-value', ['c.market_value', 'numeric'], ['c.id', 'text'])),
  PercentageGain: ofFew(
    descending(
      'collections-percentage-gain',
      [`coalesce(${PERCENTAGE_GAIN}, '-Infinity')`, 'numeric'],
      ['c.id', 'text'],
    ),
  ),
};

/** $2 kind, or null for all. What they are worth now is summed up of all that they hold, so that is not hot. */
export function collectionList(source: CollectionSource, order: Order, isByValue: boolean): List {
  const isStored = source === 'stored';
  return {
    columns: isByValue && isStored ? COLUMNS_BY_VALUE : READ_COLUMNS,
    from: `${COLLECTION_SOURCES[source]} c`,
    where: 'c.account_id = $1 and not c.deleted and ($2::text is null or c.kind = $2)',
    order: isStored ? order : { ...order, isHot: false },
  };
}

/** $2 id, $3 name, $4 time, $5 valued, $6 kind. No row comes back where the account has all the collections, or valued ones, that it may have. */
export const CREATE_COLLECTION = `
  select ${GIVEN_COLUMNS} from create_collection($1::uuid, $2, $3, $4::timestamptz, $5::boolean, $6) c`;

/**
 * $2 id, $3 name, $4 valued, $5 description, $6 pinned, $7 image (each null where it stays), $8 the revisions of
 * which it must have one, as JSON, or null. No row comes back where there is none, or it would be one valued too many, or a valued wish list.
 */
export const UPDATE_COLLECTION = `
  select ${GIVEN_COLUMNS}
  from update_collection($1::uuid, $2, $3, $4::boolean, $5, $6::boolean, $7::integer, $8::jsonb) c`;

/**
 * $2 id, $3 the revisions of which it must have one, as JSON, or null; the account is locked. The collection is gone for every
 * reader at once; its ledger is purged afterwards, since the cost of a request must not depend on the size of the ledger.
 */
export const DELETE_COLLECTION = `
  with was as (
    select c.id, c.valued, c.revision, c.is_goal from collection c
    where c.account_id = $1 and c.id = $2 and not c.deleted for no key update
  ),
  gone as (
    update collection c set deleted = true, valued = false, revision = c.revision + 1 from was
    where c.account_id = $1 and c.id = was.id and not was.is_goal
      and not exists (select from price_alert p where p.account_id = $1 and p.collection_id = was.id)
      and not exists (select from goal g where g.account_id = $1 and g.target_collection_id = was.id)
      and ${isOneOf('$3', 'was.revision')}
    returning c.id, c.revision, was.valued as was_valued
  ),
  counted as (
    update account a set collection_count = a.collection_count - 1,
      valued_collection_count = a.valued_collection_count - gone.was_valued::integer
    from gone where a.account_id = $1
    returning a.account_id
  )
  select id, revision from gone`;

/** $2 id: what is needed to say why a write changed nothing. */
export const COLLECTION_STATE = `
  select c.revision, c.valued, c.kind, c.is_goal as "isGoalCollection", c.transaction_count as "transactionCount",
    exists (select from goal g where g.account_id = $1 and g.target_collection_id = c.id) as "isGoalTarget"
  from collection c
  where c.account_id = $1 and c.id = $2 and not c.deleted`;

/** $2 kind. */
export const COLLECTIONS_OF_KIND = `
  select count(*) as count from collection where account_id = $1 and not deleted and kind = $2`;

/** $2 ids as JSON. */
export const COLLECTIONS_BY_ID = bySource(
  (collections) => `
  select ${READ_COLUMNS} from ${collections} c
  where c.account_id = $1 and not c.deleted and c.id in (select jsonb_array_elements_text($2::jsonb))`,
);

/**
 * $2 the collection that becomes the goal, or null for none, $3 whether what it is to hold is changed too. Both give the
 * collections that they change.
 */
export const CLEAR_GOAL_COLLECTION = `
  update collection set is_goal = false, revision = revision + 1, market_revision = market_revision - 1
  where account_id = $1 and is_goal and id is distinct from $2 returning id, revision`;
export const SET_GOAL_COLLECTION = `
  update collection set is_goal = true, revision = revision + 1, market_revision = market_revision - 1
  where account_id = $1 and id = $2 and (not is_goal or $3::boolean) and not deleted and kind = 'Collection' returning id, revision`;

/** Deleted collections that are still to be purged, of any account. */
export const DELETED_COLLECTIONS =
  'select account_id as "accountId", id from collection where deleted limit 100';

/** $2 id, $3 rows at most: the parts of a deleted collection, in batches, then itself. */
export const PURGE_TRANSACTIONS = `
  delete from transaction where account_id = $1 and id in (
    select id from transaction where account_id = $1 and collection_id = $2 limit $3::integer)
  returning 1 as one`;
export const PURGE_HOLDINGS = `
  delete from holding where account_id = $1 and collection_id = $2 and variant_id in (
    select variant_id from holding where account_id = $1 and collection_id = $2 limit $3::integer)
  returning 1 as one`;
export const PURGE_COST_STATES = `
  delete from cost_state where account_id = $1 and (collection_id, variant_id, occurred, transaction_id) in (
    select collection_id, variant_id, occurred, transaction_id from cost_state
    where account_id = $1 and collection_id = $2 limit $3::integer)
  returning 1 as one`;
export const PURGE_COLLECTION = 'delete from collection where account_id = $1 and id = $2 and deleted';
