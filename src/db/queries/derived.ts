import { cameTo } from './amounts.ts';
import type { CostPlace } from './cost-states.ts';
import { exchangeRate } from './exchange.ts';
import { INVESTED, PROFIT } from './holdings.ts';

/**
 * The derived state computed afresh from the ledger, set-based, for one account ($1). Rows are written only where they
 * differ, so a pass over what is right writes nothing. Callers lock the account's collections first, as every writer does.
 */

/** The sums of the ledger, to which the holdings must be equal. */
export const LEDGER_SUMS = `
  select account_id, collection_id, variant_id, count(*) as transaction_count,
    coalesce(sum(quantity) filter (where action = 'Purchase'), 0)::bigint as bought,
    coalesce(sum(${cameTo()}) filter (where action = 'Purchase'), 0) as cost,
    coalesce(sum(quantity) filter (where cost_unknown), 0)::bigint as bought_unknown,
    coalesce(sum(quantity) filter (where action = 'Sale'), 0)::bigint as sold,
    coalesce(sum(${cameTo()}) filter (where action = 'Sale'), 0) as proceeds
  from transaction where account_id = $1 group by account_id, collection_id, variant_id`;

/** The sums of the holdings, to which the collections' totals must be equal. */
export const HOLDING_SUMS = `
  select c.account_id, c.id as collection_id, coalesce(sum(h.transaction_count), 0)::bigint as transaction_count,
    coalesce(sum(h.quantity), 0)::bigint as quantity, coalesce(sum(${INVESTED}), 0) as invested,
    coalesce(sum(${PROFIT}), 0) as profit, coalesce(sum(h.cash_position), 0) as cash_position,
    coalesce(sum(h.bought_unknown), 0)::bigint as bought_unknown
  from collection c left join holding h on h.account_id = $1 and h.collection_id = c.id
  where c.account_id = $1 and not c.deleted group by c.account_id, c.id`;

/** Ids as JSON ($n), as an array: by a condition on it, unlike by a list, sums are made of those collections alone. */
const idsOf = (n: number) => `array(select jsonb_array_elements_text($${n}::jsonb))`;

/** What is converted anew at a time, so many transactions or one collection: a statement's memory follows from it. */
export const RATED_AT_ONCE = 200_000;

/** The account's collections, in parts of `RATED_AT_ONCE`. */
export const PARTS_TO_RATE = `
  select json_agg(id order by id) as ids from (
    select id, (sum(transaction_count) over (order by id) - transaction_count)::bigint / ${RATED_AT_ONCE} as part
    from collection where account_id = $1 and not deleted
  ) c group by part order by part`;

/**
 * The rate of each transaction of the days from $2 to $3 of collections ($4, ids as JSON); gives the collections of those that
 * had another, and where the order counts, the first of them of each variant. Each rate is looked up once. One that is 1 tells by its
 * scale whether it was.
 */
export const RATE_LEDGER = `
  with asked as materialized (
    select distinct t.currency as own, c.currency as target, t.occurred
    from transaction t join collection c on c.account_id = $1 and c.id = t.collection_id
    where t.account_id = $1 and not c.deleted and c.id = any(${idsOf(4)})
      and t.occurred between $2::date and $3::date
  ),
  rate as materialized (
    select own, target, occurred, ${exchangeRate('asked.own', 'asked.target', 'asked.occurred')} as value from asked
  ),
  rated as (
    update transaction t set rate = r.value
    from collection c, rate r
    where t.account_id = $1 and c.account_id = $1 and c.id = t.collection_id and not c.deleted and c.id = any(${idsOf(4)})
      and t.occurred between $2::date and $3::date
      and r.own = t.currency and r.target = c.currency and r.occurred = t.occurred
      and (t.rate, scale(t.rate)) is distinct from (r.value, scale(r.value))
    returning t.collection_id, t.variant_id, t.occurred, t.id, c.cost_basis
  )
  select collection_id as id, coalesce(
    json_agg(json_build_object('variantId', variant_id, 'occurred', occurred, 'id', id)) filter (where cost_basis <> 'Average'),
    '[]') as places
  from (
    select distinct on (collection_id, variant_id) * from rated order by collection_id, variant_id, occurred, id
  ) first
  group by collection_id`;

export interface RatedCollection {
  id: string;
  /** By the average none. */
  places: CostPlace[];
}

/** The holdings of collections ($2, ids as JSON) after their transactions have got other rates. */
export const REDERIVE_HOLDINGS = `
  update holding h set bought = l.bought, cost = l.cost, bought_unknown = l.bought_unknown, sold = l.sold,
    proceeds = l.proceeds, transaction_count = l.transaction_count
  from (${LEDGER_SUMS}) l
  where h.account_id = $1 and h.collection_id = l.collection_id and h.variant_id = l.variant_id
    and l.collection_id = any(${idsOf(2)})
    and (h.bought, h.cost, h.bought_unknown, h.sold, h.proceeds, h.transaction_count)
      is distinct from (l.bought, l.cost, l.bought_unknown, l.sold, l.proceeds, l.transaction_count)`;

/**
 * The totals of collections whose holdings have changed ($2, ids as JSON). Their market value is to be made afresh.
 */
export const RETOTAL_COLLECTIONS = `
  update collection c set transaction_count = s.transaction_count, quantity = s.quantity, invested = s.invested,
    profit = s.profit, cash_position = s.cash_position, bought_unknown = s.bought_unknown, market_revision = 0, revision = c.revision + 1
  from (${HOLDING_SUMS}) s
  where c.account_id = $1 and c.id = s.collection_id and s.collection_id = any(${idsOf(2)})
  returning c.id, c.revision`;

const HAS_OTHER_PREFERENCES = `c.account_id = $1 and a.account_id = $1 and not c.deleted
    and (c.currency, c.cost_basis) <> (a.preferred_currency, a.cost_basis)`;

/** How many transactions there are in each collection whose currency or cost basis is not the account's. */
export const COLLECTIONS_OF_OTHER_PREFERENCES = `select c.transaction_count as count from collection c, account a where ${HAS_OTHER_PREFERENCES}`;

/** Gives them the account's; what is derived is still by theirs. */
export const SET_COLLECTION_PREFERENCES = `
  update collection c set currency = a.preferred_currency, cost_basis = a.cost_basis
  from account a where ${HAS_OTHER_PREFERENCES} returning c.id`;
