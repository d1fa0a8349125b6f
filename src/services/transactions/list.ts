import { TRANSACTION_COLUMNS, TRANSACTIONS_FROM, type TransactionRow } from '../../db/queries/ledger.ts';
import { ascending, type Order, readPages, reversed } from '../../db/queries/page.ts';
import type { TransactionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';
import { type Transaction, transactionOf } from './model.ts';

const ORDERS: Record<TransactionSort, Order> = {
  Chronological: ascending('transactions-occurred', ['t.occurred', 'date'], ['t.id', 'text']),
  Alphabetical: ascending('transactions-name', ['p.name', 'text'], ['v.name', 'text'], ['t.id', 'text']),
};

export function transactionOrder(sort: TransactionSort, reverse = false): Order {
  return reversed(ORDERS[sort], reverse);
}

/** The page of the transactions of each collection; the collections are known to be the caller's. */
export async function listTransactions(
  ctx: Context,
  collectionIds: readonly string[],
  order: Order,
  request: PageRequest,
): Promise<Page<Transaction>[]> {
  const list = {
    columns: TRANSACTION_COLUMNS,
    from: TRANSACTIONS_FROM,
    where: 't.account_id = c.account_id and t.collection_id = c.id',
    order,
  };
  const pages = await readPages<TransactionRow>(ctx.db, list, [ctx.caller.accountId], request, collectionIds);
  return pages.map((page) => ({ ...page, items: page.items.map(transactionOf) }));
}
