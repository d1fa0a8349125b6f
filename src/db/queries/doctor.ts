import { HOLDING_SUMS, LEDGER_SUMS } from './derived.ts';
import { exchangeRate } from './exchange.ts';
import { collectionValue, IS_STALE } from './valuation.ts';

/** Statements that compare what is derived with what it is derived from. $1 is always the account. */

/** One value that is not what the ledger, the prices or the pull rates say. */
export interface Difference {
  kind: 'rate' | 'holding' | 'collection' | 'account' | 'expected value';
  /** uuid; null for what belongs to no account. */
  accountId: string | null;
  /** What has the value, e.g. a collection and a variant. */
  id: string;
  field: string;
  stored: string | null;
  expected: string | null;
}

export const ACCOUNTS =
  'select account_id as "accountId" from account where deleted_at is null order by account_id';

/** A row for each field of a pair of rows (aliases `stored` and `expected`) that is not the same in both. */
const fieldsThatDiffer = (kind: Difference['kind'], id: string, fields: readonly string[], pair: string) => `
  select '${kind}' as kind, coalesce(stored.account_id, expected.account_id)::text as "accountId", ${id} as id,
    f.field, f.stored, f.expected
  from ${pair}
  cross join lateral (values ${fields.map((field) => `('${field}', stored.${field}::numeric, expected.${field}::numeric)`).join(', ')})
    as f(field, stored, expected)
  where f.stored is distinct from f.expected`;

/** What collections have of the account's preferences. */
export const PREFERENCE_DIFFERENCES = `
  select 'collection' as kind, a.account_id::text as "accountId", c.id, f.field, f.stored, f.expected
  from account a join collection c on c.account_id = $1 and not c.deleted
  cross join lateral (values
    ('currency', c.currency, a.preferred_currency),
    ('cost_basis', c.cost_basis, a.cost_basis)
  ) as f(field, stored, expected)
  where a.account_id = $1 and f.stored <> f.expected`;

/** Of a ledger that is to get new rates, none is wrong yet. */
export const RATE_DIFFERENCES = `
  select 'rate' as kind, t.account_id::text as "accountId", t.id, 'rate' as field, t.rate::text as stored,
    due.rate::text as expected
  from transaction t join collection c on c.account_id = $1 and c.id = t.collection_id
  cross join lateral (select ${exchangeRate('t.currency', 'c.currency', 't.occurred')} as rate) due
  where t.account_id = $1 and not c.deleted and t.rate is distinct from due.rate
    and not exists (select from rate_change) and not exists (select from ledger_to_rate l where l.account_id = $1)`;

export const HOLDING_DIFFERENCES = fieldsThatDiffer(
  'holding',
  `coalesce(stored.collection_id, expected.collection_id) || ' ' || coalesce(stored.variant_id, expected.variant_id)`,
  ['transaction_count', 'bought', 'cost', 'bought_unknown', 'sold', 'proceeds'],
  `(select h.* from holding h join collection c on c.account_id = $1 and c.id = h.collection_id
    where h.account_id = $1 and not c.deleted and h.transaction_count > 0) stored
   full join (
     select l.* from (${LEDGER_SUMS}) l
     join collection c on c.account_id = $1 and c.id = l.collection_id and not c.deleted
   ) expected
   on stored.collection_id = expected.collection_id and stored.variant_id = expected.variant_id`,
);

export const COLLECTION_DIFFERENCES = fieldsThatDiffer(
  'collection',
  'stored.id',
  ['transaction_count', 'quantity', 'invested', 'profit', 'cash_position', 'bought_unknown'],
  `collection stored join (${HOLDING_SUMS}) expected
   on stored.account_id = $1 and stored.id = expected.collection_id`,
);

/** Values that are to be made afresh are not wrong. */
export const VALUE_DIFFERENCES = fieldsThatDiffer(
  'collection',
  'stored.id',
  ['market_value', 'gain', 'unpriced', 'unknown_cost', 'unknown_cost_value'],
  `(select c.* from collection c where c.account_id = $1 and not c.deleted and not (${IS_STALE})) stored
   join (
     select c.account_id, c.id, v.* from collection c cross join lateral (${collectionValue()}) v
     where c.account_id = $1
   ) expected on expected.id = stored.id`,
);

const COUNTS = `
  select count(*) as collection_count, count(*) filter (where valued) as valued_collection_count,
    (select count(*) from sub_account where account_id = $1) as account_count
  from collection where account_id = $1 and not deleted`;

export const ACCOUNT_DIFFERENCES = `
  select 'account' as kind, a.account_id::text as "accountId", a.account_id::text as id, f.field,
    f.stored::text as stored, f.expected::text as expected
  from account a cross join (${COUNTS}) n
  cross join lateral (values
    ('collection_count', a.collection_count, n.collection_count),
    ('valued_collection_count', a.valued_collection_count, n.valued_collection_count),
    ('account_count', a.account_count, n.account_count)
  ) as f(field, stored, expected)
  where a.account_id = $1 and f.stored <> f.expected`;

export const COMPARISONS = [
  PREFERENCE_DIFFERENCES,
  RATE_DIFFERENCES,
  HOLDING_DIFFERENCES,
  COLLECTION_DIFFERENCES,
  VALUE_DIFFERENCES,
  ACCOUNT_DIFFERENCES,
] as const;

export const INSERT_MISSING_HOLDINGS = `
  insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds)
  select account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds
  from (${LEDGER_SUMS}) l
  on conflict do nothing`;

export const DELETE_STRAY_HOLDINGS = `
  delete from holding h where h.account_id = $1 and not exists (
    select from transaction t where t.account_id = $1 and t.collection_id = h.collection_id and t.variant_id = h.variant_id)`;

export const RECOUNT = `
  update account a set collection_count = n.collection_count, valued_collection_count = n.valued_collection_count,
    account_count = n.account_count
  from (${COUNTS}) n where a.account_id = $1`;

/** The ids of the account's collections. */
export const COLLECTION_IDS = 'select id from collection where account_id = $1 and not deleted';
