import { type Order, pageOf, reversed } from '../../db/queries/page.ts';
import {
  bothConditions,
  countOfSummaries,
  type HoldingCondition,
  holdingRow,
  isByPrice,
  priceIn,
  SUMMARY_ORDERS,
  type SummariesPageRow,
  type SummaryCountRow,
  summaryPages,
} from '../../db/queries/summaries.ts';
import { hasTransaction } from '../../db/queries/transaction-lists.ts';
import type { Currency } from '../../domain/currencies.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import type { SummarySort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Reason } from '../../domain/search/search-index.ts';
import type { TransactionFilter } from '../../domain/transaction-filter.ts';
import { Bits } from '../../lib/bits.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import type { HeldLedger, Prices } from '../../memory/ledgers.ts';
import { ORDER_NAMES, type OrderName } from '../../memory/market-order.ts';
import { catalogueAtHand, heldCatalogue, memoryOf } from '../../memory/memory.ts';
import { pageOfCollection } from '../collections/get.ts';
import { type Context, observed, readInTurns, turnToRead } from '../context.ts';
import { ofOneMarket } from '../one-market.ts';
import { conditionsOf } from '../transactions/find.ts';
import { type HoldingSearch, holdingSearch } from './filter.ts';
import { ledgersOf } from './ledgers.ts';
import { TransactionSummary } from './model.ts';

/** An order of summaries, with its name where it can be made in memory. */
export interface SummaryOrder extends Order {
  inMemory: OrderName | null;
}

export function summaryOrder(sort: SummarySort, reverse = false): SummaryOrder {
  const inMemory = ORDER_NAMES.find((name) => name === sort) ?? null;
  return { ...reversed(SUMMARY_ORDERS[sort], reverse), inMemory };
}

/** A page of summaries; where it is that of a query, it knows why each is there. */
export interface FoundSummaries extends Page<TransactionSummary> {
  /** What of the query the holding matches, and where. */
  reasons?(summary: TransactionSummary): Reason[];
}

/**
 * The page of the summaries of each collection, or of those that match the query and of which a transaction fulfils the
 * filter. Throws `InvalidQuery` and `ValidationFailed`.
 */
export async function listSummaries(
  ctx: Context,
  collectionIds: readonly string[],
  searchQuery: string | null,
  order: SummaryOrder,
  request: PageRequest,
  filter: TransactionFilter | null = null,
): Promise<FoundSummaries[]> {
  const search = searchQuery === null ? null : await holdingSearch(ctx, searchQuery);
  const catalogue = await heldCatalogue(ctx);
  const pages =
    catalogue && filter === null
      ? await pagesInMemory(ctx, catalogue, collectionIds, search, order, request)
      : new Map<string, FoundSummaries>();
  const others = collectionIds.filter((id) => !pages.has(id));
  if (others.length > 0) {
    const found = await pagesByStatement(ctx, catalogue, others, search, filter, order, request);
    for (const [i, id] of others.entries()) pages.set(id, found[i]!);
  }
  return collectionIds.map((id) => pages.get(id)!);
}

/** Larger ones are put in order when others have had their turn. */
const QUICKLY_ORDERED = 500;

/**
 * The page of a collection that was just read, where its ledger is kept in the state that it has, and the catalogue is at
 * hand: without a statement. Null where it is to be asked for.
 */
export function summariesAtHand(
  ctx: Context,
  { id, ledgerState }: { id: string; ledgerState: string | undefined },
  order: SummaryOrder,
  request: PageRequest,
): Page<TransactionSummary> | null {
  if (order.inMemory === null || ledgerState === undefined) return null;
  const catalogue = catalogueAtHand(ctx);
  const ledger = catalogue && memoryOf(ctx.db).ledgers.inState(id, ledgerState);
  if (!ledger) return null;
  const isQuick = ledger.size <= QUICKLY_ORDERED || ledger.isOrdered(order.inMemory, pricesOf(catalogue));
  return isQuick ? pageOfLedger(ctx, ledger, catalogue, order, request) : null;
}

function pageOfLedger(
  ctx: Context,
  ledger: HeldLedger,
  catalogue: Catalogue,
  order: SummaryOrder,
  request: PageRequest,
  only?: Bits,
): Page<TransactionSummary> | null {
  const page = ledger.page(order.inMemory!, order.descending, request, pricesOf(catalogue), only);
  if (!page) return null;
  observed(ctx, [{ marketRevision: catalogue.pricingRevision, ...ledger.terms }]);
  return {
    ...page,
    items: page.items.map((row) => new TransactionSummary(row)),
    total: only?.count() ?? ledger.size,
  };
}

function pricesOf(catalogue: Catalogue): Prices {
  return { catalogue, priceSource: PRICE_SOURCE };
}

/** The pages that can be made in memory, by collection. */
async function pagesInMemory(
  ctx: Context,
  catalogue: Catalogue,
  collectionIds: readonly string[],
  search: HoldingSearch | null,
  order: SummaryOrder,
  request: PageRequest,
): Promise<Map<string, FoundSummaries>> {
  const pages = new Map<string, FoundSummaries>();
  if (order.inMemory === null) return pages;
  for (const [id, ledger] of await ledgersOf(ctx, collectionIds)) {
    const turn = turnToRead(ctx);
    if (turn) await turn;
    const page = ledger
      ? await orderedPageOf(ctx, ledger, catalogue, search, order, request)
      : noPage(request);
    if (page) pages.set(id, page);
  }
  return pages;
}

/** In parts: to search or order the holdings of a large one takes some 20 ms. */
async function orderedPageOf(
  ctx: Context,
  ledger: HeldLedger,
  catalogue: Catalogue,
  search: HoldingSearch | null,
  order: SummaryOrder,
  request: PageRequest,
): Promise<FoundSummaries | null> {
  const prices = pricesOf(catalogue);
  const only = search ? await readInTurns(ctx, search.matching(ledger, prices)) : undefined;
  if (only === null) return null;
  if (!ledger.isOrdered(order.inMemory!, prices))
    await readInTurns(ctx, ledger.putInOrder(order.inMemory!, prices));
  const page = pageOfLedger(ctx, ledger, catalogue, order, request, only);
  return page && search ? { ...page, reasons: search.reasons } : page;
}

/** Of a collection that is not there, or without holdings. */
function noPage(request: PageRequest): Page<TransactionSummary> {
  return pageOf<TransactionSummary>([], () => [], request);
}

async function pagesByStatement(
  ctx: Context,
  catalogue: Catalogue | null,
  collectionIds: readonly string[],
  search: HoldingSearch | null,
  filter: TransactionFilter | null,
  order: SummaryOrder,
  request: PageRequest,
): Promise<FoundSummaries[]> {
  const condition = await conditionOn(ctx, collectionIds, search, filter);
  const withPrices = catalogue === null || isByPrice(order, condition);
  const { text, values } = summaryPages(
    collectionIds,
    order,
    request,
    { ...(condition && { condition }), withPrices },
    ctx.caller.accountId,
  );
  const rows = await ctx.db.query<SummariesPageRow>(text, values, { varies: true });
  const prices = withPrices ? null : catalogue;
  observed(
    ctx,
    rows.map(({ currency, costBasis, marketRevision }) => ({
      currency,
      costBasis,
      marketRevision: prices?.pricingRevision ?? marketRevision,
    })),
  );
  const reasons = search && { reasons: search.reasons };
  const pages = new Map(
    rows.map((row) => [
      row.collectionId,
      { ...pageOf(summariesIn(row, prices), (place) => row.keys![place]!, request), ...reasons },
    ]),
  );
  return collectionIds.map((id) => pages.get(id) ?? noPage(request));
}

/** Ledgers in memory have no transactions, so what a filter finds is found by the database. */
async function conditionOn(
  ctx: Context,
  collectionIds: readonly string[],
  search: HoldingSearch | null,
  filter: TransactionFilter | null,
): Promise<HoldingCondition | undefined> {
  const searched = await search?.condition(ctx, collectionIds);
  if (filter === null) return searched;
  const filtered = hasTransaction(await conditionsOf(ctx, { filter }, null), searched?.params.length ?? 0);
  return searched ? bothConditions(searched, filtered) : filtered;
}

/** With the prices of the catalogue, or else those in the lines. */
function summariesIn(page: SummariesPageRow, prices: Catalogue | null): TransactionSummary[] {
  if (page.lines === null) return [];
  return page.lines.split('\n').map((line) => {
    const row = holdingRow(page, line);
    const price = prices
      ? (prices.exactPrice(row.variantId, row.currency as Currency, PRICE_SOURCE) ?? null)
      : priceIn(line);
    return new TransactionSummary({ ...row, price });
  });
}

/** The page of the summaries of one collection. Throws `NotFound` where there is no such collection, `InvalidQuery`. */
export function summariesOf(
  ctx: Context,
  collectionId: string,
  searchQuery: string | null,
  order: SummaryOrder,
  request: PageRequest,
): Promise<Page<TransactionSummary>> {
  return ofOneMarket(ctx, (ctx) =>
    pageOfCollection(ctx, collectionId, (ids) => listSummaries(ctx, ids, searchQuery, order, request)),
  );
}

/** How many summaries a collection has that was just read; null where its ledger is not kept in the state that it has. */
export function countAtHand(
  { db }: Context,
  { id, ledgerState }: { id: string; ledgerState: string | undefined },
): number | null {
  if (ledgerState === undefined) return null;
  return memoryOf(db).ledgers.inState(id, ledgerState)?.size ?? null;
}

/** How many summaries each collection has, or how many match the query and fulfil the filter. */
export async function countSummaries(
  ctx: Context,
  collectionIds: readonly string[],
  searchQuery: string | null,
  filter: TransactionFilter | null = null,
): Promise<number[]> {
  const search = searchQuery === null ? null : await holdingSearch(ctx, searchQuery);
  const counts =
    search && filter === null ? await countsInMemory(ctx, collectionIds, search) : new Map<string, number>();
  const others = collectionIds.filter((id) => !counts.has(id));
  if (others.length > 0) {
    const condition = await conditionOn(ctx, others, search, filter);
    const params = [ctx.caller.accountId, ...(condition?.params ?? []), JSON.stringify(others)];
    const text = countOfSummaries(params.length, condition?.sql);
    const varies = condition !== undefined;
    const rows = observed(ctx, await ctx.db.query<SummaryCountRow>(text, params, { varies }));
    for (const { id, count } of rows) counts.set(id, count);
  }
  return collectionIds.map((id) => counts.get(id) ?? 0);
}

/** Those that can be counted in memory, by collection. */
async function countsInMemory(
  ctx: Context,
  collectionIds: readonly string[],
  search: HoldingSearch,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const catalogue = await heldCatalogue(ctx);
  if (!catalogue) return counts;
  for (const [id, ledger] of await ledgersOf(ctx, collectionIds)) {
    const turn = turnToRead(ctx);
    if (turn) await turn;
    const holdings = ledger
      ? await readInTurns(ctx, search.matching(ledger, pricesOf(catalogue)))
      : new Bits(0);
    if (!holdings) continue;
    counts.set(id, holdings.count());
    if (ledger) observed(ctx, [{ marketRevision: catalogue.pricingRevision, ...ledger.terms }]);
  }
  return counts;
}
