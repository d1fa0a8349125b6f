import type { Param } from '../../db/client.ts';
import { parentCollections } from '../../db/queries/collections.ts';
import {
  ascending,
  descending,
  type Order,
  pageOf,
  pageStatement,
  reversed,
  type Statement,
} from '../../db/queries/page.ts';
import {
  FIRST_OCCURRED,
  FIRST_TRANSACTION_ID,
  linesInOne,
  SUMMARIES_FROM,
  SUMMARIES_WHERE,
  SUMMARIES_WITH_PRODUCTS_FROM,
  SUMMARY_LINE,
  type SummariesRow,
  summariesOfParents,
  summaryRows,
} from '../../db/queries/summaries.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { SummarySort } from '../../domain/orders.ts';
import type { KeyCursor, Page, PageRequest } from '../../domain/pagination.ts';
import { heldCatalogue } from '../catalogue/held.ts';
import { getCollection } from '../collections/get.ts';
import { type Context, observed } from '../context.ts';
import { pagesByName } from './by-name.ts';
import { holdingCondition } from './filter.ts';
import { TransactionSummary } from './model.ts';

const VARIANT = ['h.variant_id', 'text'] as const;

/** Highest first, nulls last: no stored amount is infinite. */
const highest = (name: string, sql: string): Order =>
  descending(`summaries-${name}`, [`coalesce(${sql}, '-Infinity')`, 'numeric'], VARIANT);

const ORDERS: Record<SummarySort, Order> = {
  Alphabetical: ascending('summaries-name', ['p.name', 'text'], ['v.name', 'text'], VARIANT),
  // The index holding_by_value has it.
  MarketValue: descending('summaries-market-value', ['coalesce(h.market_value, 0)', 'numeric'], VARIANT),
  UnitValue: highest('unit-value', 'h.market_price'),
  Gain: highest('gain', 'h.gain'),
  PercentageGain: highest('percentage-gain', 'h.percentage_gain'),
  Quantity: highest('quantity', 'h.quantity::numeric'),
  CardNumber: ascending('summaries-number', ['p.number_key', 'text'], VARIANT),
  Chronological: ascending(
    'summaries-first-transaction',
    [FIRST_OCCURRED, 'date'],
    [FIRST_TRANSACTION_ID, 'text'],
  ),
};

/** Then a page is best made in memory, where the catalogue is. */
export function isByName({ key }: Order): boolean {
  return key === ORDERS.Alphabetical.key;
}

/** Then the keys are in the lines, and need not be read beside them. */
function isByValue({ key }: Order): boolean {
  return key === ORDERS.MarketValue.key;
}

/** Whether the order needs more than the holdings have. */
function isByProduct({ key }: Order): boolean {
  return key.some((sql) => sql.startsWith('p.'));
}

export function summaryOrder(sort: SummarySort, reverse = false): Order {
  return reversed(ORDERS[sort], reverse);
}

/**
 * The page of the summaries of each collection, or of those that match the query. Throws `InvalidQuery`.
 */
export async function listSummaries(
  ctx: Context,
  collectionIds: readonly string[],
  searchQuery: string | null,
  order: Order,
  request: PageRequest,
): Promise<Page<TransactionSummary>[]> {
  const catalogue = isByName(order) && searchQuery === null ? await heldCatalogue(ctx) : null;
  const byName = catalogue && (await pagesByName(ctx, catalogue, collectionIds, request, order.descending));
  if (byName) return byName;
  const { where, params } = await filter(ctx, searchQuery);
  const from = isByProduct(order) || searchQuery !== null ? SUMMARIES_WITH_PRODUCTS_FROM : SUMMARIES_FROM;
  const { text, values } = pageOfLines({ from, where, order }, params, request);
  values.push(JSON.stringify(collectionIds));
  const rows = await ctx.db.hot<KeyedRow>(summariesOfParents(text, values.length), values);
  const byCollection = new Map(observed(ctx, rows).map((row) => [row.collectionId, row]));
  return collectionIds.map((id) => summariesPage(byCollection.get(id), request));
}

/** Adds to each row of a page of collections what `summariesPage` makes the page of its summaries of. */
export function withSummaries(collections: Statement, order: Order, request: PageRequest): Statement {
  const from = isByProduct(order) ? SUMMARIES_WITH_PRODUCTS_FROM : SUMMARIES_FROM;
  const { text, values } = pageOfLines({ from, where: SUMMARIES_WHERE, order }, collections.values, request);
  // A nested loop, since it is lateral: it keeps the order.
  return { text: `select * from (${collections.text}) c cross join lateral (${text}) page`, values };
}

/** The lines, and the keys, of a page of the parent `c`, in one row. */
function pageOfLines(
  list: { from: string; where: string; order: Order },
  params: readonly Param[],
  request: PageRequest,
): Statement {
  const { order } = list;
  const hasKeys = request.kind === 'key' && !isByValue(order);
  const keys = hasKeys ? order.key.map((sql, i) => `${sql} as key${i}`) : [];
  const { text, values } = pageStatement({ columns: ['h.*', ...keys].join(', '), ...list }, params, request);
  const key = hasKeys ? `, json_build_array(${keys.map((_, i) => `h.key${i}::text`)}) as key` : '';
  // Around the page: within it, the line would be made of every holding that is to be sorted.
  const lines = `select ${SUMMARY_LINE} as line${key} from (${text}) h`;
  return { text: linesInOne(lines, hasKeys ? ', json_agg(key) as keys' : ''), values };
}

interface KeyedRow extends SummariesRow {
  /** Of each line, unless the lines have them. */
  keys?: KeyCursor[] | undefined;
}

/** Of a collection that has no summaries, there is no row. */
export function summariesPage(row: KeyedRow | undefined, request: PageRequest): Page<TransactionSummary> {
  const summaries = row ? summaryRows(row) : [];
  const keys = row?.keys ?? summaries.map(({ marketValue, variantId }) => [marketValue ?? '0', variantId]);
  const page = pageOf(summaries, keys, request);
  return { ...page, items: page.items.map((summary) => new TransactionSummary(summary)) };
}

/** The page of the summaries of one collection. Throws `NotFound` where there is no such collection, `InvalidQuery`. */
export async function summariesOf(
  ctx: Context,
  collectionId: string,
  searchQuery: string | null,
  order: Order,
  request: PageRequest,
): Promise<Page<TransactionSummary>> {
  const known = isIdOf('Collection', collectionId) ? [collectionId] : [];
  const [page] = await listSummaries(ctx, known, searchQuery, order, request);
  if (page && page.items.length > 0) return page;
  // What has no summaries may not be there at all.
  await getCollection(ctx, collectionId);
  return page!;
}

/** How many summaries each collection has, or how many of them match the query. */
export async function countSummaries(
  ctx: Context,
  collectionIds: readonly string[],
  searchQuery: string | null,
): Promise<number[]> {
  const { where, params } = await filter(ctx, searchQuery);
  const rows = await ctx.db.hot<{ id: string; count: number }>(
    `select c.id, count(*) as count from ${parentCollections(params.length + 1)}
     cross join ${searchQuery === null ? SUMMARIES_FROM : SUMMARIES_WITH_PRODUCTS_FROM} where ${where} group by c.id`,
    [...params, JSON.stringify(collectionIds)],
  );
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return collectionIds.map((id) => counts.get(id) ?? 0);
}

async function filter(ctx: Context, searchQuery: string | null): Promise<{ where: string; params: Param[] }> {
  const params: Param[] = [ctx.caller.accountId];
  if (searchQuery === null) return { where: SUMMARIES_WHERE, params };
  const condition = await holdingCondition(ctx, searchQuery, params);
  return { where: `${SUMMARIES_WHERE} and ${condition}`, params };
}
