import type { TransactionRow } from '../../db/queries/ledger.ts';
import { type Keyed, keyedPage, type Statement } from '../../db/queries/page.ts';
import { type TransactionSearch, transactionSearch } from '../../db/queries/recorded.ts';
import {
  HOLDING_ORDER,
  holdingCounts,
  holdingPages,
  type ListParent,
  type TransactionConditions,
  transactionCounts,
  transactionPages,
} from '../../db/queries/transaction-lists.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf, summaryId } from '../../domain/ids.ts';
import type { KeyRequest, Page } from '../../domain/pagination.ts';
import { parseQuery, TRANSACTION_SEARCH_FIELDS } from '../../domain/search/parse.ts';
import { checkTransactionFilter, type TransactionFilter } from '../../domain/transaction-filter.ts';
import { groupBy } from '../../lib/lists.ts';
import type { Context } from '../context.ts';
import { heldVariants } from '../held-variants.ts';
import { searched } from '../searched.ts';
import { getSummaries } from '../summaries/get.ts';
import type { TransactionSummary } from '../summaries/model.ts';
import type { TransactionOrder } from './list.ts';
import { type Transaction, transactionOf } from './model.ts';

export { HOLDING_ORDER, type ListParent } from '../../db/queries/transaction-lists.ts';

/** Which transactions of a parent are meant. */
export interface TransactionsAsked {
  filter?: TransactionFilter | null | undefined;
  /** In the language of product search, which here takes what is recorded of the cards, too. */
  searchQuery?: string | null | undefined;
}

/**
 * The page of the transactions of each parent, over all collections of the caller where it is none. Throws `InvalidQuery` and
 * `ValidationFailed`.
 */
export async function findTransactions(
  ctx: Context,
  parent: ListParent,
  ids: readonly string[],
  asked: TransactionsAsked,
  order: TransactionOrder,
  request: KeyRequest,
): Promise<Page<Transaction>[]> {
  const conditions = await conditionsOf(ctx, asked, collectionsOf(parent, ids));
  const statement = transactionPages(parent, conditions, order, request);
  const rows = await send<Keyed<TransactionRow>>(ctx, statement, ids);
  return ids.map((id) => {
    const page = keyedPage(rows.get(id) ?? [], order, request);
    return { ...page, items: page.items.map(transactionOf) };
  });
}

export async function countFoundTransactions(
  ctx: Context,
  parent: ListParent,
  ids: readonly string[],
  asked: TransactionsAsked,
): Promise<number[]> {
  const conditions = await conditionsOf(ctx, asked, collectionsOf(parent, ids));
  return counted(ctx, transactionCounts(parent, conditions), ids);
}

/** Null for all. */
const collectionsOf = (parent: ListParent, ids: readonly string[]) => (parent === 'Collection' ? ids : null);

/** What the collections of the caller hold of each variant or product, by the time that they were made. */
export async function listHoldings(
  ctx: Context,
  parent: 'Variant' | 'Product',
  ids: readonly string[],
  request: KeyRequest,
): Promise<Page<TransactionSummary>[]> {
  const rows = await send<Keyed<HoldingKey>>(ctx, holdingPages(parent, request), ids);
  const pages = ids.map((id) => keyedPage(rows.get(id) ?? [], HOLDING_ORDER, request));
  const held = [...new Set(pages.flatMap(({ items }) => items.map(idOf)))];
  const summaries = new Map((await getSummaries(ctx, held)).map((summary, i) => [held[i]!, summary]));
  return pages.map((page) => ({
    ...page,
    items: page.items.map((key) => summaries.get(idOf(key)) ?? torn(ctx)),
  }));
}

export function countHoldings(
  ctx: Context,
  parent: 'Variant' | 'Product',
  ids: readonly string[],
): Promise<number[]> {
  return counted(ctx, holdingCounts(parent), ids);
}

/** One of the two statements found what is deleted in the other. */
function torn({ seen }: Context): never {
  if (seen) seen.isTorn = true;
  throw notFound('transaction summary');
}

interface HoldingKey {
  collectionId: string;
  variantId: string;
}

function idOf({ collectionId, variantId }: HoldingKey): string {
  return summaryId(collectionId, variantId);
}

/**
 * Throws `InvalidQuery` and `ValidationFailed`.
 *
 * @param collectionIds null for all of the caller's
 */
export async function conditionsOf(
  ctx: Context,
  { filter, searchQuery }: TransactionsAsked,
  collectionIds: readonly string[] | null,
): Promise<TransactionConditions> {
  checkTransactionFilter(filter ?? {});
  const { variantId, productId, action, from, to, cardCondition, language, tags, graded } = filter ?? {};
  return {
    variantId: idOrNone('Variant', variantId),
    productId: idOrNone('Product', productId),
    action: action ?? null,
    from: from ?? null,
    to: to ?? null,
    cardCondition: listOrNone(cardCondition),
    language: listOrNone(language),
    // As they are stored.
    tags: listOrNone(tags?.map((tag) => tag.trim())),
    graded: graded ?? null,
    search: searchQuery == null ? null : await searchOf(ctx, searchQuery, collectionIds),
  };
}

/** What is no id is one of nothing. */
function idOrNone(type: 'Variant' | 'Product', id: string | null | undefined): string | null {
  if (id == null) return null;
  return isIdOf(type, id) ? id : '';
}

function listOrNone(values: readonly string[] | null | undefined): string | null {
  return values == null ? null : JSON.stringify(values);
}

/** Of transactions `t`, with what the catalogue finds of it. */
async function searchOf(
  ctx: Context,
  searchQuery: string,
  collectionIds: readonly string[] | null,
): Promise<TransactionSearch> {
  const { root } = parseQuery(searchQuery, TRANSACTION_SEARCH_FIELDS);
  const search = await searched(ctx, [root], ({ index }) =>
    transactionSearch(root, (part) => index.matchingVariants(part)),
  );
  const variants = await heldVariants(ctx, collectionIds, search.found);
  for (const [i, part] of search.found.entries()) part.variants = variants[i]!;
  return search;
}

/** The rows of each parent. */
async function send<Row>(
  { db, caller }: Context,
  { text, values }: Statement,
  ids: readonly string[],
): Promise<Map<string, Row[]>> {
  const params = [caller.accountId, JSON.stringify(ids), ...values.slice(2)];
  const rows = await db.query<Row & { parent: string }>(text, params, { varies: true });
  return groupBy(rows, ({ parent }) => parent);
}

async function counted(ctx: Context, statement: Statement, ids: readonly string[]): Promise<number[]> {
  const rows = await send<{ count: number }>(ctx, statement, ids);
  return ids.map((id) => rows.get(id)?.[0]?.count ?? 0);
}
