import type { TransactionSort } from '../../domain/orders.ts';
import { type EventKind, logChange } from './events.ts';
import { ascending, type Order } from './page.ts';
import { marketPrice, newestStamp, PRICE_SOURCE } from './valuation.ts';

/**
 * Every write of the ledger is one statement: the ledger row, the holding's running sums and the collection's totals
 * change together, by differences, so that the cost does not depend on the size of the ledger.
 *
 * The collection's row is locked first by all of them, so writers of one collection take turns and never deadlock. A
 * statement that had to wait sees the rest of the database as it was before; therefore nothing here trusts a value
 * that it read, except under `for update` or as the result of a write: the sums before the change are the sums after
 * it minus the difference.
 */

const lockCollection = (ifTaken: '' | 'skip locked' = '') => `
  select c.id, c.currency, a.preferred_price_source as price_source
  from collection c join account a on a.account_id = c.account_id
  where c.account_id = $1 and c.id = $2 and not c.deleted
  for no key update of c ${ifTaken}`;

/** How the rows of a part are put together: `''` where there is one at most, which spares the database a good part. */
type Summing = 'sum' | '';

/** The difference that ledger rows make to each holding; `signed_entry` has +1 for rows that come, −1 for those that go. */
const delta = (sum: Summing) => {
  const quantityOf = (action: string) =>
    `${sum}(case action when '${action}' then sign * quantity else 0 end)::bigint`;
  const amountOf = (action: string) =>
    `${sum}(case action when '${action}' then sign * quantity * unit_amount * rate else 0 end)`;
  return `
  select variant_id, ${sum}(sign)::bigint as transactions,
    ${quantityOf('Purchase')} as bought, ${amountOf('Purchase')} as cost,
    ${quantityOf('Sale')} as sold, ${amountOf('Sale')} as proceeds
  from signed_entry ${sum && 'group by variant_id'}`;
};

/** Of a holding `h` after its change. */
const HOLDING_SUMS = `h.collection_id, h.variant_id, h.transaction_count, h.bought, h.cost, h.sold, h.proceeds, h.quantity,
    h.invested, h.profit`;

const UPDATE_HOLDINGS = `
  update holding h set
    transaction_count = h.transaction_count + d.transactions, bought = h.bought + d.bought, cost = h.cost + d.cost,
    sold = h.sold + d.sold, proceeds = h.proceeds + d.proceeds
  from delta d, col where h.account_id = $1 and h.collection_id = col.id and h.variant_id = d.variant_id
  returning ${HOLDING_SUMS}`;

const UPSERT_HOLDINGS = `
  insert into holding as h (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
  select $1, col.id, d.variant_id, d.transactions, d.bought, d.cost, d.sold, d.proceeds from delta d, col
  on conflict (account_id, collection_id, variant_id) do update set
    transaction_count = h.transaction_count + excluded.transaction_count, bought = h.bought + excluded.bought,
    cost = h.cost + excluded.cost, sold = h.sold + excluded.sold, proceeds = h.proceeds + excluded.proceeds
  returning ${HOLDING_SUMS}`;

/**
 * The market value changes by the same prices that its stamp is of, or is left to be made afresh: by whoever shows it,
 * where an import came between.
 */
const updateTotals = (sum: Summing) => `
  update collection c set
    revision = c.revision + 1,
    transaction_count = c.transaction_count + x.transactions,
    quantity = c.quantity + x.quantity,
    invested = c.invested + x.invested,
    profit = c.profit + x.profit,
    cash_position = c.cash_position + x.cash_position,
    market_value = c.market_value + x.market_value,
    gain = c.gain + x.gain,
    market_revision = case when c.market_revision = ${newestStamp('c.revision')} then c.market_revision - 1 else 0 end
  from (
    select ${sum}(d.transactions) as transactions,
      ${sum}(d.bought - d.sold) as quantity,
      ${sum}(h.invested - invested(before.bought, before.cost, before.sold)) as invested,
      ${sum}(h.profit - profit(before.bought, before.cost, before.sold, before.proceeds)) as profit,
      ${sum}(d.proceeds - d.cost) as cash_position,
      coalesce(${sum}(more.market_value), 0) as market_value,
      coalesce(${sum}(more.market_value - h.invested + invested(before.bought, before.cost, before.sold)), 0) as gain
    from hold h join delta d using (variant_id) cross join lateral (
      select h.bought - d.bought as bought, h.cost - d.cost as cost, h.sold - d.sold as sold,
        h.proceeds - d.proceeds as proceeds) before
    cross join lateral (
      select (greatest(h.quantity, 0) - greatest(before.bought - before.sold, 0)) * price.amount as market_value
      from (select ${marketPrice('d.variant_id', 'col.price_source', 'col.currency')} as amount from col) price) more
  ) x, col
  where c.account_id = $1 and c.id = col.id and x.transactions is not null
  returning c.id, c.revision`;

/** For those who follow the collection; `entries` has the transactions concerned. */
const logTransactions = (kind: EventKind, entries: string, sum: Summing) => {
  const list = sum ? 'jsonb_agg' : 'jsonb_build_array';
  return logChange(
    kind,
    'total',
    `(select ${list}(id) from ${entries})`,
    `(select ${list}(variant_id) from delta)`,
  );
};

/** A transaction with what the contract shows of its variant and product. */
const TRANSACTION_COLUMNS = `
  t.id, t.collection_id as "collectionId", t.variant_id as "variantId", t.occurred::text as "occurred", t.action,
  t.quantity, t.unit_amount as "unitAmount", t.currency, t.revision, v.name as "variantName", v.fc_id as "fcId",
  p.id as "productId", p.name as "productName", p.number, p.image_url as "imageUrl"`;

/** Looked up for each row: the planner, who takes any JSON for a hundred rows, would read the whole catalogue. */
const WITH_PRODUCT = `
  cross join lateral (select * from variant where variant.id = t.variant_id limit 1) v
  cross join lateral (select * from product where product.id = v.product_id limit 1) p`;

const insertTransactions = (entries: string) => `
    insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
    select $1, e.id, col.id, e."variantId", e.occurred, e.action, e.quantity, e."unitAmount", e.currency,
      recorded_rate(e.currency, col.currency, e.occurred)
    from ${entries} e, col`;

const addedUp = (sum: Summing) => `
  signed_entry as (select 1 as sign, variant_id, action, quantity, unit_amount, rate from new),
  delta as (${delta(sum)}),
  hold as (${UPSERT_HOLDINGS}),
  total as (${updateTotals(sum)}),
  logged as (${logTransactions('TransactionsCreated', 'new', sum)})`;

/**
 * $1 account, $2 collection, $3 the entries as JSON. All or none: no row comes back where the collection or one of
 * the variants does not exist.
 */
export const CREATE_TRANSACTIONS = `
  with col as (${lockCollection()}),
  entry as (
    select * from jsonb_to_recordset($3::jsonb) as e(
      id text, "variantId" text, occurred date, action text, quantity integer, "unitAmount" numeric, currency text)
  ),
  new as (
    ${insertTransactions('entry')}
    where not exists (
        select from entry e cross join lateral (select count(*) from variant v where v.id = e."variantId") known(count)
        where known.count = 0)
    returning *
  ),
  ${addedUp('sum')}
  select ${TRANSACTION_COLUMNS} from new t ${WITH_PRODUCT} order by t.id`;

/**
 * The same for one entry, at four fifths of the cost: $3 id, $4 variant, $5 occurred, $6 action, $7 quantity, $8 amount,
 * $9 currency. No row comes back, too, where another writer has the collection: nobody is to wait behind one who waits.
 */
export const CREATE_TRANSACTION_AT_ONCE = `
  with col as (${lockCollection('skip locked')}),
  new as (
    ${insertTransactions(`(
      select $3 as id, v.id as "variantId", $5::date as occurred, $6 as action, $7::integer as quantity,
        $8::numeric as "unitAmount", $9 as currency
      from variant v where v.id = $4)`)}
    returning *
  ),
  ${addedUp('')}
  select ${TRANSACTION_COLUMNS} from new t join variant v on v.id = t.variant_id join product p on p.id = v.product_id`;

/** $1 account, $2 collection, $3 entries as JSON: those whose like is in the ledger already, with the first of those. */
export const TRANSACTIONS_LIKE = `
  select e.line, t.id as "transactionId"
  from jsonb_to_recordset($3::jsonb) as e(
    line integer, "variantId" text, occurred date, action text, quantity integer, "unitAmount" numeric, currency text)
  cross join lateral (
    select t.id from transaction t
    where t.account_id = $1 and t.collection_id = $2 and t.variant_id = e."variantId" and t.occurred = e.occurred
      and t.action = e.action and t.quantity = e.quantity and t.unit_amount = e."unitAmount" and t.currency = e.currency
    order by t.id limit 1) t`;

/** The collection of the transaction $2, locked; then the transaction itself, in its newest version. */
const LOCK_TRANSACTION = `
  col as (
    select c.id, c.currency, ${PRICE_SOURCE} as price_source from collection c
    where c.account_id = $1 and not c.deleted
      and c.id = (select collection_id from transaction where account_id = $1 and id = $2)
    for no key update of c
  ),
  old as (
    select t.* from transaction t, col
    where t.account_id = $1 and t.id = $2 and t.collection_id = col.id for update of t
  )`;

/**
 * $1 account, $2 transaction, $3 occurred, $4 action, $5 quantity, $6 amount, $7 currency (each null where it stays),
 * $8 the revisions of which it must have one, as JSON, or null.
 */
export const UPDATE_TRANSACTION = `
  with ${LOCK_TRANSACTION},
  new as (
    update transaction t set
      occurred = coalesce($3::date, old.occurred), action = coalesce($4, old.action),
      quantity = coalesce($5::integer, old.quantity), unit_amount = coalesce($6::numeric, old.unit_amount),
      currency = coalesce($7, old.currency), revision = old.revision + 1,
      rate = recorded_rate(coalesce($7, old.currency), col.currency, coalesce($3::date, old.occurred))
    from old, col
    where t.account_id = $1 and t.id = old.id and ($8::jsonb is null or $8::jsonb @> to_jsonb(old.revision))
    returning t.*
  ),
  signed_entry as (
    select 1 as sign, variant_id, action, quantity, unit_amount, rate from new
    union all
    select -1, variant_id, action, quantity, unit_amount, rate from old where exists (select from new)
  ),
  delta as (${delta('sum')}),
  hold as (${UPDATE_HOLDINGS}),
  total as (${updateTotals('')}),
  logged as (${logTransactions('TransactionUpdated', 'new', '')})
  select ${TRANSACTION_COLUMNS} from new t ${WITH_PRODUCT}`;

/** $1 account, $2 transaction, $3 the revisions of which it must have one, as JSON, or null. */
export const DELETE_TRANSACTION = `
  with ${LOCK_TRANSACTION},
  gone as (
    delete from transaction t using old
    where t.account_id = $1 and t.id = old.id and ($3::jsonb is null or $3::jsonb @> to_jsonb(old.revision))
    returning t.*
  ),
  signed_entry as (select -1 as sign, variant_id, action, quantity, unit_amount, rate from gone),
  delta as (${delta('')}),
  hold as (${UPDATE_HOLDINGS}),
  total as (${updateTotals('')}),
  logged as (${logTransactions('TransactionDeleted', 'gone', '')})
  select h.collection_id as "collectionId", h.variant_id as "variantId", h.transaction_count as "transactionsLeft" from hold h`;

/** A holding whose last transaction went. The condition is checked again under the row's lock. */
export const DELETE_EMPTY_HOLDING = `
  delete from holding where account_id = $1 and collection_id = $2 and variant_id = $3 and transaction_count = 0`;

/** The revision of a transaction that is there, to tell a stale one from a missing one. */
export const TRANSACTION_REVISION = `
  select t.revision from transaction t join collection c on c.account_id = t.account_id and c.id = t.collection_id
  where t.account_id = $1 and t.id = $2 and not c.deleted`;

export interface TransactionRow {
  id: string;
  collectionId: string;
  variantId: string;
  occurred: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  unitAmount: string;
  currency: string;
  revision: number;
  variantName: string;
  fcId: string;
  productId: string;
  productName: string;
  number: string | null;
  imageUrl: string;
}

const TRANSACTIONS_FROM = `transaction t join variant v on v.id = t.variant_id join product p on p.id = v.product_id`;

/** $2 ids as JSON. */
export const TRANSACTIONS_BY_ID = `
  select ${TRANSACTION_COLUMNS} from ${TRANSACTIONS_FROM}
  join collection c on c.account_id = t.account_id and c.id = t.collection_id
  where t.account_id = $1 and not c.deleted and t.id in (select jsonb_array_elements_text($2::jsonb))`;

const OF_PARENT = {
  from: TRANSACTIONS_FROM,
  where: 't.account_id = c.account_id and t.collection_id = c.id',
};

/** The list of the parent `c`. */
export const TRANSACTIONS = { columns: TRANSACTION_COLUMNS, ...OF_PARENT };

/** The same with what an export has of each. */
export const EXPORTED_TRANSACTIONS = {
  columns: `t.id, t.occurred::text as "occurred", t.action, t.quantity, t.unit_amount as "unitAmount", t.currency,
  t.variant_id as "variantId", v.fc_id as "fcId", p.vendor_product_id as "vendorProductId", p.number,
  p.name as "productName", v.name as "variantName",
  (select c.name from collection c where c.account_id = $1 and c.id = t.collection_id) as "collectionName"`,
  ...OF_PARENT,
};

export const TRANSACTION_ORDERS: Record<TransactionSort, Order> = {
  Chronological: ascending('transactions-occurred', ['t.occurred', 'date'], ['t.id', 'text']),
  Alphabetical: ascending('transactions-name', ['p.name', 'text'], ['v.name', 'text'], ['t.id', 'text']),
};
