import { TRANSACTION_ORDERS, TRANSACTIONS, type TransactionRow } from '../../db/queries/ledger.ts';
import { type Order, readPages, reversed } from '../../db/queries/page.ts';
import type { TransactionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { pageOfCollection } from '../collections/get.ts';
import type { Context } from '../context.ts';
import { type Transaction, transactionOf } from './model.ts';

export function transactionOrder(sort: TransactionSort, reverse = false): Order {
  return reversed(TRANSACTION_ORDERS[sort], reverse);
}

/** The page of the transactions of each collection; empty for one that is not the caller's. */
export async function listTransactions(
  ctx: Context,
  collectionIds: readonly string[],
  order: Order,
  request: PageRequest,
): Promise<Page<Transaction>[]> {
  const list = { ...TRANSACTIONS, order };
  const pages = await readPages<TransactionRow>(ctx.db, list, [ctx.caller.accountId], request, collectionIds);
  return pages.map((page) => ({ ...page, items: page.items.map(transactionOf) }));
}

/** The page of the transactions of one collection. Throws `NotFound` where there is no such collection. */
export function transactionsOf(
  ctx: Context,
  collectionId: string,
  order: Order,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return pageOfCollection(ctx, collectionId, (ids) => listTransactions(ctx, ids, order, request));
}
