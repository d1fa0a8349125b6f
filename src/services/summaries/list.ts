import type { Param } from '../../db/client.ts';
import { ascending, descending, type Order, readPages, reversed } from '../../db/queries/page.ts';
import {
  FIRST_OCCURRED,
  FIRST_TRANSACTION_ID,
  SUMMARIES_FROM,
  SUMMARIES_WHERE,
  SUMMARY_COLUMNS,
  type SummaryRow,
} from '../../db/queries/summaries.ts';
import type { SummarySort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { holdingCondition } from './filter.ts';
import { summaryOf, type TransactionSummary } from './model.ts';

const VARIANT = ['h.variant_id', 'text'] as const;

/** Highest first, nulls last: no stored amount is infinite. */
const highest = (name: string, sql: string): Order =>
  descending(`summaries-${name}`, [`coalesce(${sql}, '-Infinity')`, 'numeric'], VARIANT);

const ORDERS: Record<SummarySort, Order> = {
  Alphabetical: ascending('summaries-name', ['p.name', 'text'], ['v.name', 'text'], VARIANT),
  MarketValue: highest('market-value', 'coalesce(h.market_value, 0)'),
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
  const { where, params } = await filter(ctx, searchQuery);
  const list = { columns: SUMMARY_COLUMNS, from: SUMMARIES_FROM, where, order };
  const pages = await readPages<SummaryRow>(ctx.db, list, params, request, collectionIds);
  return pages.map((page) => ({ ...page, items: observed(ctx, page.items).map(summaryOf) }));
}

/** How many summaries each collection has, or how many of them match the query. */
export async function countSummaries(
  ctx: Context,
  collectionIds: readonly string[],
  searchQuery: string | null,
): Promise<number[]> {
  const { where, params } = await filter(ctx, searchQuery);
  const rows = await ctx.db.read<{ parent: string; count: number }>(
    `select x.parent, count(*) as count from jsonb_array_elements_text($${params.length + 1}::jsonb) as x(parent),
     ${SUMMARIES_FROM} where ${where} group by x.parent`,
    [...params, JSON.stringify(collectionIds)],
  );
  const counts = new Map(rows.map(({ parent, count }) => [parent, count]));
  return collectionIds.map((id) => counts.get(id) ?? 0);
}

async function filter(ctx: Context, searchQuery: string | null): Promise<{ where: string; params: Param[] }> {
  const params: Param[] = [ctx.caller.accountId];
  if (searchQuery === null) return { where: SUMMARIES_WHERE, params };
  const condition = await holdingCondition(ctx, searchQuery, params);
  return { where: `${SUMMARIES_WHERE} and ${condition}`, params };
}
