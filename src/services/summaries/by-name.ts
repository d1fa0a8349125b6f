import { boundsOf, pageAtHand, pageOf } from '../../db/queries/page.ts';
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
  const rankOf = ({ rank }: HeldVariant) => (descending ? -rank : rank);
  const bounds = boundsOf(request, (cursor) => {
    const variant = variantOf(catalogue, cursor);
    return variant && rankOf(variant);
  });
  if (bounds === null) return null;
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
    held.sort((a, b) => rankOf(a.variant) - rankOf(b.variant));
    const { items, ...page } = pageAtHand(
      held,
      request,
      bounds,
      ({ variant }) => rankOf(variant),
      ({ variant }) => keyOf(catalogue, variant),
    );
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

/** Undefined where the names are others by now: the position is by what they were. */
function variantOf(catalogue: Catalogue, cursor: KeyCursor): HeldVariant | undefined {
  const variant = catalogue.variant(cursor[2]!);
  return variant && keyOf(catalogue, variant).join('\0') === cursor.join('\0') ? variant : undefined;
}

function keyOf(catalogue: Catalogue, { id, productId, variantName }: HeldVariant): KeyCursor {
  return [catalogue.product(productId)!.name, variantName, id];
}
