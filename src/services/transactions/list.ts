import {
  type NamedTransactionRow,
  TRANSACTION_ORDERS,
  TRANSACTIONS,
  TRANSACTIONS_BY_NAME,
  TRANSACTIONS_WITH_PRODUCTS,
  type TransactionRow,
} from '../../db/queries/ledger.ts';
import { type Order, pageOf, readPages, reversed } from '../../db/queries/page.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import type { TransactionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { NamedPlace } from '../../memory/ledgers.ts';
import { heldCatalogue } from '../../memory/memory.ts';
import { pageOfCollection } from '../collections/get.ts';
import { type Context, turnToRead } from '../context.ts';
import { ledgersOf } from '../summaries/ledgers.ts';
import { type Transaction, transactionOf } from './model.ts';

/** An order of transactions. */
export interface TransactionOrder extends Order {
  isByName: boolean;
}

export function transactionOrder(sort: TransactionSort, reverse = false): TransactionOrder {
  return { ...reversed(TRANSACTION_ORDERS[sort], reverse), isByName: sort === 'Alphabetical' };
}

/** The page of the transactions of each collection; empty for one that is not the caller's. */
export async function listTransactions(
  ctx: Context,
  collectionIds: readonly string[],
  order: TransactionOrder,
  request: PageRequest,
): Promise<Page<Transaction>[]> {
  const pages = order.isByName
    ? await pagesByName(ctx, collectionIds, order, request)
    : new Map<string, Page<TransactionRow>>();
  const others = collectionIds.filter((id) => !pages.has(id));
  if (others.length > 0) {
    const list = { ...(order.isByName ? TRANSACTIONS_WITH_PRODUCTS : TRANSACTIONS), order };
    const read = await readPages<TransactionRow>(ctx.db, list, [ctx.caller.accountId], request, others);
    for (const [i, id] of others.entries()) pages.set(id, read[i]!);
  }
  return collectionIds.map((id) => {
    const page = pages.get(id)!;
    return { ...page, items: page.items.map(transactionOf) };
  });
}

/** Pages by way of what the collections hold, which memory has in that order; none for a collection where it does not. */
async function pagesByName(
  ctx: Context,
  collectionIds: readonly string[],
  order: TransactionOrder,
  request: PageRequest,
): Promise<Map<string, Page<TransactionRow>>> {
  const pages = new Map<string, Page<TransactionRow>>();
  const catalogue = await heldCatalogue(ctx);
  if (!catalogue || request.kind === 'position' || (request.after && request.before)) return pages;
  const [product, variant, id = null] = request.after ?? request.before ?? [];
  const from = product === undefined || variant === undefined ? null : ([product, variant] as const);
  // One from the end goes backwards to its cursor, whichever that is.
  if (from && (request.before !== null) !== request.fromEnd) return pages;
  const descending = order.descending !== request.fromEnd;
  const prices = { catalogue, priceSource: PRICE_SOURCE };
  const ledgers = await ledgersOf(ctx, collectionIds);
  const asked: { id: string; variants: NamedPlace[] }[] = [];
  for (const id of collectionIds) {
    const turn = turnToRead(ctx);
    if (turn) await turn;
    // A name more, as that of the cursor may have nothing behind it.
    const variants = ledgers.get(id)?.variantsByName(from, descending, request.size + 2, prices);
    if (variants) asked.push({ id, variants });
  }
  if (asked.length === 0) return pages;
  const rows = await ctx.db.query<NamedTransactionRow>(TRANSACTIONS_BY_NAME[descending ? 'desc' : 'asc'], [
    ctx.caller.accountId,
    JSON.stringify(asked),
    request.size + 1,
    id,
  ]);
  for (const id of new Set(rows.map(({ parent }) => parent))) {
    const own = rows.filter(({ parent }) => parent === id);
    // Else it was written meanwhile, and other names may be on the page.
    if (own[0]!.state !== ledgers.get(id)!.state) continue;
    const items = own.flatMap(({ parent: _, state: __, ...row }) => (row.id === null ? [] : row));
    const keyOf = (place: number) => {
      const { variantId, id } = items[place]!;
      const { productName, variantName } = catalogue.label(variantId)!;
      return [productName, variantName, id];
    };
    pages.set(id, pageOf(items, keyOf, request));
  }
  return pages;
}

/** The page of the transactions of one collection. Throws `NotFound` where there is no such collection. */
export function transactionsOf(
  ctx: Context,
  collectionId: string,
  order: TransactionOrder,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return pageOfCollection(ctx, collectionId, (ids) => listTransactions(ctx, ids, order, request));
}
