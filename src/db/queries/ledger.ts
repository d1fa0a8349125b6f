import type { TransactionSort } from '../../domain/orders.ts';
import { DETAIL_COLUMNS } from '../../domain/transaction-file.ts';
import type { CardCondition, Language } from '../../domain/transactions.ts';
import { AMOUNT_COLUMNS, cameTo } from './amounts.ts';
import { type EventKind, logChange } from './events.ts';
import { exchangeRate } from './exchange.ts';
import { ascending, indexed, type Order } from './page.ts';
import { isOneOf, parentCollection } from './parents.ts';
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

/**
 * How a write goes, by the collection's cost basis (docs/decisions.md#cost-basis): by the average it is one statement; where
 * the order counts, what cards have cost follows in the same transaction (queries/cost-states.ts). A statement of one way
 * finds no collection of the other, and none finds one whose basis is not the account's.
 */
export type Way = 'average' | 'ordered';

/** A condition on the collection `c`. The account is looked up beside it: on Citus a statement locks the rows of one table at a time. */
const HAS_BASIS = 'c.cost_basis = (select cost_basis from account where account_id = $1)';
export const IS_OF: Record<Way, string> = {
  average: `${HAS_BASIS} and c.cost_basis = 'Average'`,
  ordered: `${HAS_BASIS} and c.cost_basis <> 'Average'`,
};

export const ofWays = (statement: (way: Way) => string): Record<Way, string> => ({
  average: statement('average'),
  ordered: statement('ordered'),
});

/**
 * @param needed for how many transactions there is to be room in its share (queries/shares.ts), as SQL
 * @param hasSale whether there are sales among them, of which a wish list has none, as SQL
 */
const lockCollection = (way: Way, needed: string, hasSale: string, ifTaken: '' | 'skip locked' = '') => `
  select c.id, c.currency, ${PRICE_SOURCE} as price_source
  from collection c
  where c.account_id = $1 and c.id = $2 and not c.deleted and ${IS_OF[way]}
    and c.transaction_count + ${needed} <= c.transaction_share and (c.kind = 'Collection' or not (${hasSale}))
  for no key update ${ifTaken}`;

/** How the rows of a part are put together: `''` where there is one at most, which spares the database a good part. */
type Summing = 'sum' | '';

/** The difference that ledger rows make to each holding; `signed_entry` has +1 for rows that come, −1 for those that go. */
export const delta = (sum: Summing) => {
  const quantityOf = (action: string) =>
    `${sum}(case when action = '${action}' then sign * quantity else 0 end)::bigint`;
  const amountOf = (action: string) =>
    `${sum}(case when action = '${action}' then sign * ${cameTo()} else 0 end)`;
  return `
  select variant_id, ${sum}(sign)::bigint as transactions,
    ${quantityOf('Purchase')} as bought, ${amountOf('Purchase')} as cost,
    ${sum}(case when cost_unknown then sign * quantity else 0 end)::bigint as bought_unknown,
    ${quantityOf('Sale')} as sold, ${amountOf('Sale')} as proceeds
  from signed_entry ${sum && 'group by variant_id'}`;
};

/** Of a holding `h` after its change. */
const HOLDING_SUMS = `h.collection_id, h.variant_id, h.transaction_count, h.bought, h.cost, h.bought_unknown, h.sold, h.proceeds,
    h.quantity, h.invested, h.profit`;

/** @param which of those that `delta` has, where that is known to be one: joined alone, the planner may read all of the collection. */
export const updateHoldings = (which = '') => `
  update holding h set
    transaction_count = h.transaction_count + d.transactions, bought = h.bought + d.bought, cost = h.cost + d.cost,
    bought_unknown = h.bought_unknown + d.bought_unknown, sold = h.sold + d.sold, proceeds = h.proceeds + d.proceeds
  from delta d, col where h.account_id = $1 and h.collection_id = col.id and h.variant_id = d.variant_id ${which}
  returning ${HOLDING_SUMS}`;

/** That of the transaction `old`. */
const UPDATE_HOLDING = updateHoldings('and h.variant_id = (select variant_id from old)');

const UPSERT_HOLDINGS = `
  insert into holding as h (account_id, collection_id, variant_id, transaction_count, bought, cost, bought_unknown, sold, proceeds)
  select $1, col.id, d.variant_id, d.transactions, d.bought, d.cost, d.bought_unknown, d.sold, d.proceeds from delta d, col
  on conflict (account_id, collection_id, variant_id) do update set
    transaction_count = h.transaction_count + excluded.transaction_count, bought = h.bought + excluded.bought,
    cost = h.cost + excluded.cost, bought_unknown = h.bought_unknown + excluded.bought_unknown, sold = h.sold + excluded.sold, proceeds = h.proceeds + excluded.proceeds
  returning ${HOLDING_SUMS}`;

/** What is invested in a holding `h` changes by; where the order counts, that is added when it is known. */
const MORE_INVESTED: Record<Way, string> = {
  average: 'h.invested - invested(before.bought, before.cost, before.sold)',
  ordered: '0',
};

const MORE_PROFIT: Record<Way, string> = {
  average: 'h.profit - profit(before.bought, before.cost, before.sold, before.proceeds)',
  ordered: 'd.proceeds - d.cost',
};

/**
 * The market value changes by the same prices that its stamp is of, or is left to be made afresh by whoever shows it: where
 * an import came between, and where cards are concerned whose cost is not known, of which no gain is made. By `offset 0` the price
 * is looked up once, not for each of the sums.
 */
export const updateTotals = (way: Way, sum: Summing) => `
  update collection c set
    revision = c.revision + 1,
    transaction_count = c.transaction_count + x.transactions,
    quantity = c.quantity + x.quantity,
    invested = c.invested + x.invested,
    profit = c.profit + x.profit,
    bought_unknown = c.bought_unknown + x.bought_unknown,
    cash_position = c.cash_position + x.cash_position,
    market_value = c.market_value + x.market_value,
    gain = c.gain + x.gain,
    unpriced = c.unpriced + x.unpriced,
    market_revision = case when c.market_revision = ${newestStamp('c.revision')} and not x.is_unknown then c.market_revision - 1 else 0 end
  from (
    select ${sum}(d.transactions) as transactions,
      ${sum}(d.bought - d.sold) as quantity,
      ${sum}(d.bought_unknown) as bought_unknown,
      ${sum && 'bool_or'}(h.bought_unknown > 0 or d.bought_unknown < 0) as is_unknown,
      ${sum}(${MORE_INVESTED[way]}) as invested,
      ${sum}(${MORE_PROFIT[way]}) as profit,
      ${sum}(d.proceeds - d.cost) as cash_position,
      coalesce(${sum}(more.market_value), 0) as market_value,
      coalesce(${sum}(more.market_value - (${MORE_INVESTED[way]})), 0) as gain,
      coalesce(${sum}(case when more.market_value is null then more.quantity else 0 end), 0) as unpriced
    from hold h join delta d using (variant_id) cross join lateral (
      select h.bought - d.bought as bought, h.cost - d.cost as cost, h.sold - d.sold as sold,
        h.proceeds - d.proceeds as proceeds) before
    cross join lateral (
      select held.quantity, held.quantity * price.amount as market_value
      from (select greatest(h.quantity, 0) - greatest(before.bought - before.sold, 0) as quantity) held,
        (select ${marketPrice('d.variant_id', 'col.price_source', 'col.currency')} as amount from col offset 0) price) more
  ) x, col
  where c.account_id = $1 and c.id = col.id and x.transactions is not null
  returning c.id, c.revision`;

/** For those who follow the collection; `entries` has the transactions concerned. */
export const logTransactions = (kind: EventKind, entries: string, sum: Summing) => {
  const list = sum ? 'jsonb_agg' : 'jsonb_build_array';
  return logChange(
    kind,
    'total',
    `(select ${list}(id) from ${entries})`,
    `(select ${list}(variant_id) from delta)`,
  );
};

/** What a collector says of the cards, as it is stored: null where nothing is said. */
export interface DetailsRow {
  card_condition: CardCondition | null;
  language: Language | null;
  grade_company: string | null;
  grade: string | null;
  certificate: string | null;
  notes: string | null;
  tags: string[] | null;
}

/** As columns of files are called, but in the spelling of the database. */
const DETAILS = DETAIL_COLUMNS.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const typed = (column: string) => `${column} ${column === 'tags' ? 'jsonb' : 'text'}`;
const detailsOf = (row: string) => DETAILS.map((column) => `${row}.${column}`).join(', ');
/** As the JSON $12 says, or as it was. */
const changedDetail = (column: string) =>
  `${column} = case when $12::jsonb ? '${column}' then ${column === 'tags' ? `nullif($12::jsonb -> 'tags', 'null')` : `$12::jsonb ->> '${column}'`} else old.${column} end`;

/** A transaction, without what its variant is called: the catalogue knows that (getVariantLabels). */
export const TRANSACTION_COLUMNS = `
  t.id, t.collection_id as "collectionId", t.variant_id as "variantId", t.occurred::text as "occurred", t.action,
  t.quantity, t.unit_amount as "unitAmount", t.cost_unknown as "costUnknown", t.fees, t.shipping, t.currency, t.revision, ${detailsOf('t')}`;

const insertTransactions = (entries: string, rate: string) => `
    insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, cost_unknown, fees,
      shipping, currency, rate, ${DETAILS.join(', ')})
    select $1, e.id, col.id, e."variantId", e.occurred, e.action, e.quantity, e."unitAmount", coalesce(e."costUnknown", false),
      e.fees, e.shipping, e.currency, ${rate}, ${detailsOf('e')}
    from ${entries} e, col`;

export const addedUp = (way: Way, sum: Summing) => `
  signed_entry as (select 1 as sign, variant_id, ${AMOUNT_COLUMNS} from new),
  delta as (${delta(sum)}),
  hold as (${UPSERT_HOLDINGS}),
  total as (${updateTotals(way, sum)}),
  logged as (${logTransactions('TransactionsCreated', 'new', sum)})`;

/**
 * $1 account, $2 collection, $3 the entries as JSON, $4 how many its share is to have room for, $5 whether it has joined those who write
 * converted amounts (JOIN_CONVERTED_WRITES). All or none: no row comes back where there is less room, the collection or one of the
 * variants does not exist, a wish list would have a sale, or it would convert an amount and may not.
 */
export const CREATE_TRANSACTIONS = ofWays(
  (way) => `
  with col as (${lockCollection(way, '$4::bigint', `$3::jsonb @> '[{"action": "Sale"}]'`)}),
  entry as (
    select * from jsonb_to_recordset($3::jsonb) as e(
      id text, "variantId" text, occurred date, action text, quantity integer, "unitAmount" numeric, "costUnknown" boolean,
      fees numeric, shipping numeric, currency text, ${DETAILS.map(typed).join(', ')})
  ),
  new as (
    ${insertTransactions('entry', exchangeRate('e.currency', 'col.currency', 'e.occurred'))}
    where not exists (
        select from entry e cross join lateral (select count(*) from variant v where v.id = e."variantId") known(count)
        where known.count = 0)
      and ($5::boolean or not exists (select from entry e, col where e.currency <> col.currency))
    returning *
  ),
  ${addedUp(way, 'sum')}
  select ${TRANSACTION_COLUMNS} from new t order by t.id`,
);

/**
 * The same for one entry by the average, at four fifths of the cost: $3 id, $4 variant, $5 occurred, $6 action, $7 quantity, $8 amount,
 * $9 currency, $10 fees, $11 shipping, $12 details as JSON, or null, $13 whether the cost is unknown. No row comes back, too, where its amount would be
 * converted, or another writer has the collection: nobody is to wait behind one who waits.
 */
export const CREATE_TRANSACTION_AT_ONCE = `
  with col as (${lockCollection('average', '1', `$6::text = 'Sale'`, 'skip locked')}),
  new as (
    ${insertTransactions(
      `(
      select $3 as id, v.id as "variantId", $5::date as occurred, $6 as action, $7::integer as quantity,
        $8::numeric as "unitAmount", $9 as currency, $10::numeric as fees, $11::numeric as shipping, $13::boolean as "costUnknown", ${detailsOf('said')}
      from variant v, jsonb_populate_record(null::transaction, $12::jsonb) said where v.id = $4)`,
      '1',
    )}
    where e.currency = col.currency
    returning *
  ),
  ${addedUp('average', '')}
  select ${TRANSACTION_COLUMNS} from new t`;

/** $1 account, $2 collection, $3 entries as JSON: those whose like is in the ledger already, with the first of those. */
export const TRANSACTIONS_LIKE = `
  select e.line, t.id as "transactionId"
  from jsonb_to_recordset($3::jsonb) as e(
    line integer, "variantId" text, occurred date, action text, quantity integer, "unitAmount" numeric, currency text,
    "costUnknown" boolean)
  cross join lateral (
    select t.id from transaction t
    where t.account_id = $1 and t.collection_id = $2 and t.variant_id = e."variantId" and t.occurred = e.occurred
      and t.action = e.action and t.quantity = e.quantity and t.unit_amount = e."unitAmount" and t.currency = e.currency
      and t.cost_unknown = e."costUnknown"
    order by t.id limit 1) t`;

/** $1 account, $2 collection, $3 ids of variants as JSON: bought less sold of each. */
export const HELD_QUANTITIES = `
  select variant_id as "variantId", quantity from holding
  where account_id = $1 and collection_id = $2 and variant_id in (select jsonb_array_elements_text($3::jsonb))`;

/** The collection of the transaction $2, locked; then the transaction itself, in its newest version. */
const lockTransaction = (way: Way) => `
  col as (
    select c.id, c.currency, c.kind, ${PRICE_SOURCE} as price_source
    from collection c
    where c.account_id = $1 and not c.deleted and ${IS_OF[way]}
      and c.id = (select collection_id from transaction where account_id = $1 and id = $2)
    for no key update
  ),
  old as (
    select t.* from transaction t
    where t.account_id = $1 and t.id = $2 and t.collection_id = (select id from col) for update
  )`;

const COST_UNKNOWN = 'coalesce($13::boolean, $6::numeric is null and old.cost_unknown)';

/**
 * $1 account, $2 transaction, $3 occurred, $4 action, $5 quantity, $6 amount, $7 currency (each null where it stays),
 * $8 the revisions of which it must have one, as JSON, or null, $9 fees, $10 shipping (each null where it stays), $11 their
 * currency, null where none is given, $12 the details that change as JSON, null in it where they are taken away, $13 whether the
 * cost is unknown, null where that stays, but known with an amount, $14 whether it has joined those who write converted amounts
 * (JOIN_CONVERTED_WRITES). Where charges would be in another currency than the amount, the cost of a sale unknown, or an amount
 * converted and it may not be, it changes nothing. Gives the day that it occurred before, too.
 */
export const UPDATE_TRANSACTION = ofWays(
  (way) => `
  with ${lockTransaction(way)},
  due as (
    select ${exchangeRate('x.currency', 'x.of_collection', 'x.occurred')} as rate, x.currency <> x.of_collection as is_converted
    from (
      select coalesce($7, old.currency) as currency, col.currency as of_collection, coalesce($3::date, old.occurred) as occurred
      from old, col
    ) x
  ),
  new as (
    update transaction t set
      occurred = coalesce($3::date, old.occurred), action = coalesce($4, old.action),
      quantity = coalesce($5::integer, old.quantity), cost_unknown = ${COST_UNKNOWN},
      unit_amount = case when ${COST_UNKNOWN} then 0 else coalesce($6::numeric, old.unit_amount) end,
      fees = coalesce($9::numeric, old.fees), shipping = coalesce($10::numeric, old.shipping),
      currency = coalesce($7, old.currency), revision = old.revision + 1,
      rate = due.rate,
      ${DETAILS.map(changedDetail).join(', ')}
    from old, col, due
    where t.account_id = $1 and t.id = old.id and ${isOneOf('$8', 'old.revision')}
      and (col.kind = 'Collection' or $4 is distinct from 'Sale')
      and not (${COST_UNKNOWN} and coalesce($4, old.action) = 'Sale')
      and coalesce($11, $7, old.currency) = coalesce($7, old.currency)
      and ($14::boolean or not due.is_converted)
      and (coalesce($7, old.currency) = old.currency
        or ((old.fees = 0 or $9::numeric is not null) and (old.shipping = 0 or $10::numeric is not null)))
    returning t.*
  ),
  signed_entry as (
    select 1 as sign, variant_id, ${AMOUNT_COLUMNS} from new
    union all
    select -1, variant_id, ${AMOUNT_COLUMNS} from old where exists (select from new)
  ),
  delta as (${delta('sum')}),
  hold as (${UPDATE_HOLDING}),
  total as (${updateTotals(way, '')}),
  logged as (${logTransactions('TransactionUpdated', 'new', '')})
  select ${TRANSACTION_COLUMNS}, (select occurred::text from old) as "occurredBefore" from new t`,
);

/** $1 account, $2 transaction, $3 the revisions of which it must have one, as JSON, or null. */
export const DELETE_TRANSACTION = ofWays(
  (way) => `
  with ${lockTransaction(way)},
  gone as (
    delete from transaction t using old
    where t.account_id = $1 and t.id = old.id and ${isOneOf('$3', 'old.revision')}
    returning t.*
  ),
  signed_entry as (select -1 as sign, variant_id, ${AMOUNT_COLUMNS} from gone),
  delta as (${delta('')}),
  hold as (${UPDATE_HOLDING}),
  total as (${updateTotals(way, '')}),
  logged as (${logTransactions('TransactionDeleted', 'gone', '')})
  select h.collection_id as "collectionId", h.variant_id as "variantId", h.transaction_count as "transactionsLeft",
    (select occurred::text from gone) as occurred
  from hold h`,
);

/** A holding whose last transaction went. The condition is checked again under the row's lock. */
export const DELETE_EMPTY_HOLDING = `
  delete from holding where account_id = $1 and collection_id = $2 and variant_id = $3 and transaction_count = 0`;

/** What a change of a transaction that is there depends on, to tell why it changed nothing. */
export const TRANSACTION_STATE = `
  select t.revision, t.action, t.cost_unknown as "costUnknown", t.currency, t.fees, t.shipping, c.kind
  from transaction t join collection c on c.account_id = $1 and c.id = t.collection_id
  where t.account_id = $1 and t.id = $2 and not c.deleted`;

export interface TransactionRow extends DetailsRow {
  id: string;
  collectionId: string;
  variantId: string;
  occurred: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  unitAmount: string;
  costUnknown: boolean;
  fees: string;
  shipping: string;
  currency: string;
  revision: number;
}

/** Of transactions `t`. */
export const JOIN_PRODUCTS = 'join variant v on v.id = t.variant_id join product p on p.id = v.product_id';
const WITH_PRODUCTS = `transaction t ${JOIN_PRODUCTS}`;

/** $2 ids as JSON. */
export const TRANSACTIONS_BY_ID = `
  select ${TRANSACTION_COLUMNS} from transaction t
  join collection c on c.account_id = $1 and c.id = t.collection_id
  where t.account_id = $1 and not c.deleted and t.id in (select jsonb_array_elements_text($2::jsonb))`;

const OF_PARENT = 't.account_id = $1 and t.collection_id = c.id';

/** The list of the parent `c`. */
export const TRANSACTIONS = { columns: TRANSACTION_COLUMNS, from: 'transaction t', where: OF_PARENT };

/** The same in an order by what is in the catalogue. */
export const TRANSACTIONS_WITH_PRODUCTS = { ...TRANSACTIONS, from: WITH_PRODUCTS };

/** The same with what an export has of each. */
export const EXPORTED_TRANSACTIONS = {
  columns: `t.id, t.occurred::text as "occurred", t.action, t.quantity, t.unit_amount as "unitAmount", t.cost_unknown as "costUnknown", t.fees, t.shipping,
  t.currency, ${detailsOf('t')}, t.variant_id as "variantId", v.fc_id as "fcId", p.vendor_product_id as "vendorProductId", p.number,
  p.name as "productName", v.name as "variantName", p.set_name as "setName", p.pitch_value as "pitchValue",
  (select c.name from collection c where c.account_id = $1 and c.id = t.collection_id) as "collectionName"`,
  from: WITH_PRODUCTS,
  where: OF_PARENT,
};

/**
 * Pages in the order of names, by what may be on them: $2 collections with their variants as JSON, each variant with the
 * place of its name on the way that the page goes; $3 rows at most; $4 the id behind which the first name goes on, or
 * null. So a page reads the transactions of some names, not all to put them in order. A row at least for each collection.
 */
const byName = (direction: 'asc' | 'desc') => `
  select c.id as parent, c.ledger_state as state, page.*
  from jsonb_to_recordset($2::jsonb) as x(id text, variants jsonb)
  cross join lateral (${parentCollection('x.id')}) c
  left join lateral (
    select ${TRANSACTION_COLUMNS}
    from (
      select t.*, named.place from jsonb_to_recordset(x.variants) as named(id text, place integer)
      cross join lateral (
        select t.* from transaction t
        where t.account_id = $1 and t.collection_id = c.id and t.variant_id = named.id
          and (named.place > 0 or $4::text is null or t.id ${direction === 'asc' ? '>' : '<'} $4)
        order by t.id ${direction} limit $3::integer
      ) t
      order by named.place, t.id ${direction} limit $3::integer
    ) t
    order by t.place, t.id ${direction}
  ) page on true`;
export const TRANSACTIONS_BY_NAME = { asc: byName('asc'), desc: byName('desc') } as const;

/** Null in all columns of the transaction where the page has none. */
export type NamedTransactionRow = { parent: string; state: string } & (TransactionRow | { id: null });

export const TRANSACTION_ORDERS: Record<TransactionSort, Order> = {
  Chronological: indexed(ascending('transactions-occurred', ['t.occurred', 'date'], ['t.id', 'text'])),
  Alphabetical: ascending('transactions-name', ['p.name', 'text'], ['v.name', 'text'], ['t.id', 'text']),
};
