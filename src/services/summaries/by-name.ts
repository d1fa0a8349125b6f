import { pageOf } from '../../db/queries/page.ts';
import {
  linesInOne,
  SUMMARIES_FROM,
  SUMMARIES_WHERE,
  SUMMARY_LINE,
  type SummariesRow,
  summariesOfParents,
  summaryRow,
} from '../../db/queries/summaries.ts';
import type { KeyCursor, Page, PageRequest } from '../../domain/pagination.ts';
import type { Catalogue, HeldVariant } from '../catalogue/catalogue.ts';
import { type Context, observed } from '../context.ts';
import { TransactionSummary } from './model.ts';

/**
 * Up to so many it is quicker to take all holdings of a collection and to order them by the catalogue in memory: of one
 * that is asked for alone, and of each where there are more, which keep all others waiting longer.
 */
const MAX_HOLDINGS_ALONE = 2000;
const MAX_HOLDINGS_EACH = 400;

const upTo = (max: number) =>
  summariesOfParents(
    linesInOne(
      `select ${SUMMARY_LINE} as line from ${SUMMARIES_FROM} where ${SUMMARIES_WHERE} limit ${max + 1}`,
    ),
    2,
  );
const HOLDINGS_ALONE = upTo(MAX_HOLDINGS_ALONE);
const HOLDINGS_EACH = upTo(MAX_HOLDINGS_EACH);

/** A holding; its line is read where it is on the page. */
interface Held {
  line: string;
  variant: HeldVariant;
}

/**
 * The page by name of each collection, without joins: null where one of them is too large, or where the catalogue in
 * memory is not that of the holdings or of the cursors.
 */
export async function pagesByName(
  ctx: Context,
  catalogue: Catalogue,
  collectionIds: readonly string[],
  request: PageRequest,
  descending: boolean,
): Promise<Page<TransactionSummary>[] | null> {
  const bounds = request.kind === 'key' ? boundsOf(catalogue, request) : { after: null, before: null };
  if (bounds === null) return null;
  const sign = descending ? -1 : 1;
  const isAlone = collectionIds.length === 1;
  const maxHoldings = isAlone ? MAX_HOLDINGS_ALONE : MAX_HOLDINGS_EACH;
  const rows = await ctx.db.hot<SummariesRow>(isAlone ? HOLDINGS_ALONE : HOLDINGS_EACH, [
    ctx.caller.accountId,
    JSON.stringify(collectionIds),
  ]);
  const pages = new Map<string, Page<TransactionSummary>>();
  for (const row of rows) {
    const held = heldIn(row, catalogue);
    if (!held || held.length > maxHoldings) return null;
    held.sort((a, b) => sign * (a.variant.rank - b.variant.rank));
    const shown = within(held, request, bounds, sign);
    const keys = request.kind === 'key' ? shown.map(({ variant }) => keyOf(catalogue, variant)) : [];
    const { items, ...page } = pageOf(shown, keys, request);
    const summaries = items.map(({ line }) => new TransactionSummary(summaryRow(row, line)));
    pages.set(row.collectionId, { ...page, items: summaries });
  }
  observed(ctx, rows);
  return collectionIds.map((id) => pages.get(id) ?? pageOf([], [], request));
}

/** Null where the catalogue in memory does not have one of the variants. */
function heldIn({ lines }: SummariesRow, catalogue: Catalogue): Held[] | null {
  const held: Held[] = [];
  for (const line of lines.split('\n')) {
    const variant = catalogue.variant(line.slice(0, line.indexOf(' ')));
    if (!variant) return null;
    held.push({ line, variant });
  }
  return held;
}

interface Bounds {
  /** Ranks, exclusive. */
  after: number | null;
  before: number | null;
}

function boundsOf(catalogue: Catalogue, request: PageRequest & { kind: 'key' }): Bounds | null {
  const after = request.after && rankOf(catalogue, request.after);
  const before = request.before && rankOf(catalogue, request.before);
  return after === undefined || before === undefined ? null : { after, before };
}

/** Undefined where the names are others by now: the position is by what they were. */
function rankOf(catalogue: Catalogue, cursor: KeyCursor): number | undefined {
  const variant = catalogue.variant(cursor[2]!);
  return variant && keyOf(catalogue, variant).join('\0') === cursor.join('\0') ? variant.rank : undefined;
}

function keyOf(catalogue: Catalogue, { id, productId, variantName }: HeldVariant): KeyCursor {
  return [catalogue.product(productId)!.name, variantName, id];
}

/** What the statement of the page would give of the holdings in their order: one more than the page, last ones first. */
function within(
  held: readonly Held[],
  request: PageRequest,
  { after, before }: Bounds,
  sign: 1 | -1,
): Held[] {
  if (request.kind === 'position') return held.slice(request.position, request.position + request.size + 1);
  const between = held.filter(
    ({ variant }) =>
      (after === null || sign * (variant.rank - after) > 0) &&
      (before === null || sign * (variant.rank - before) < 0),
  );
  return request.fromEnd ? between.reverse().slice(0, request.size + 1) : between.slice(0, request.size + 1);
}
