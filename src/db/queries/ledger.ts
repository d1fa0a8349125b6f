import type { TransactionSort } from '../../domain/orders.ts';
import { DETAIL_COLUMNS } from '../../domain/transaction-file.ts';
import type { Action, CardCondition, Language } from '../../domain/transactions.ts';
import { ascending, indexed, type Order } from './page.ts';
import { parentCollection } from './parents.ts';

/**
 * Every write of the ledger is one call of a function of the database (migrations/0045_functions_of_the_ledger.sql): the ledger row,
 * the holding's running sums and the collection's totals change together, by differences, so that the cost does not depend on the
 * size of the ledger. On Citus the node that has the account works all of it (docs/operations.md#changes-on-citus).
 *
 * The collection's row is locked first by all of them, so writers of one collection take turns and never deadlock.
 */

/**
 * How a write goes, by the collection's cost basis (docs/decisions.md#cost-basis): by the average it is one statement; where
 * the order counts, what cards have cost follows in the same transaction (queries/cost-states.ts). A statement of one way
 * finds no collection of the other, and none finds one whose basis is not the account's.
 */
export type Way = 'average' | 'ordered';

export const ofWays = (statement: (isOrdered: boolean) => string): Record<Way, string> => ({
  average: statement(false),
  ordered: statement(true),
});

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
const detailsOf = (row: string) => DETAILS.map((column) => `${row}.${column}`).join(', ');

/** A transaction, without what its variant is called: the catalogue knows that (getVariantLabels). */
export const TRANSACTION_COLUMNS = `
  t.id, t.collection_id as "collectionId", t.variant_id as "variantId", t.occurred::text as "occurred", t.action,
  t.quantity, t.unit_amount as "unitAmount", t.cost_unknown as "costUnknown", t.fees, t.shipping, t.currency, t.revision, ${detailsOf('t')}`;

/**
 * $1 account, $2 collection, $3 the entries as JSON, $4 how many its share is to have room for, $5 whether it has joined those who write
 * converted amounts (JOIN_CONVERTED_WRITES). All or none: no row comes back where there is less room, the collection or one of the
 * variants does not exist, a wish list would have a sale, or it would convert an amount and may not.
 */
export const CREATE_TRANSACTIONS = ofWays(
  (isOrdered) => `
  select ${TRANSACTION_COLUMNS} from create_transactions($1::uuid, $2, $3::jsonb, $4::bigint, ${isOrdered}, $5::boolean) t`,
);

/** A row of `CREATE_TRANSACTIONS`. */
export interface NewTransactionRow extends Partial<DetailsRow> {
  /** Those of one process are in the order in which they are made. */
  id: string;
  variant_id: string;
  occurred: string;
  action: Action;
  quantity: number;
  unit_amount: string;
  cost_unknown: boolean;
  currency: string;
  fees: string;
  shipping: string;
}

/**
 * The same for one entry by the average, at less cost: $3 id, $4 variant, $5 occurred, $6 action, $7 quantity, $8 amount,
 * $9 currency, $10 fees, $11 shipping, $12 details as JSON, or null, $13 whether the cost is unknown. No row comes back, too, where its amount would be
 * converted, or another writer has the collection: nobody is to wait behind one who waits.
 */
export const CREATE_TRANSACTION_AT_ONCE = `
  select ${TRANSACTION_COLUMNS}
  from create_transaction($1::uuid, $2, $3, $4, $5::date, $6, $7::integer, $8::numeric, $9, $10::numeric, $11::numeric, $12::jsonb, $13::boolean) t`;

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

/**
 * $1 account, $2 transaction, $3 occurred, $4 action, $5 quantity, $6 amount, $7 currency (each null where it stays),
 * $8 the revisions of which it must have one, as JSON, or null, $9 fees, $10 shipping (each null where it stays), $11 their
 * currency, null where none is given, $12 the details that change as JSON, null in it where they are taken away, $13 whether the
 * cost is unknown, null where that stays, but known with an amount, $14 whether it has joined those who write converted amounts
 * (JOIN_CONVERTED_WRITES). Where charges would be in another currency than the amount, the cost of a sale unknown, or an amount
 * converted and it may not be, it changes nothing. Gives two rows: as it was, and as it is.
 */
export const UPDATE_TRANSACTION = ofWays(
  (isOrdered) => `
  select ${TRANSACTION_COLUMNS}
  from update_transaction($1::uuid, $2, $3::date, $4, $5::integer, $6::numeric, $7, $8::jsonb, $9::numeric, $10::numeric, $11, $12::jsonb, $13::boolean,
    ${isOrdered}, $14::boolean) t`,
);

/** $1 account, $2 transaction, $3 the revisions of which it must have one, as JSON, or null. */
export const DELETE_TRANSACTION = ofWays(
  (isOrdered) => `
  select collection_id as "collectionId", variant_id as "variantId", transactions_left as "transactionsLeft", occurred::text as occurred
  from delete_transaction($1::uuid, $2, $3::jsonb, ${isOrdered})`,
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
