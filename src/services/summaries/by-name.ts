import {
  SUMMARIES_FROM,
  SUMMARIES_WHERE,
  SUMMARY_COLUMNS,
  type SummaryRow,
} from '../../db/queries/summaries.ts';
import type { KeyCursor, Page, PageRequest } from '../../domain/pagination.ts';
import type { Catalogue, HeldVariant } from '../catalogue/catalogue.ts';
import type { Context } from '../context.ts';

/** Up to this number it is quicker to take all holdings of a collection and to order them by the catalogue in memory. */
export const MAX_HOLDINGS = 400;

const HOLDINGS = `
  select page.* from jsonb_array_elements_text($2::jsonb) as x(parent)
  cross join lateral (
    select ${SUMMARY_COLUMNS} from ${SUMMARIES_FROM} where ${SUMMARIES_WHERE} limit ${MAX_HOLDINGS + 1}) page`;

interface Held {
  row: SummaryRow;
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
): Promise<Page<SummaryRow>[] | null> {
  const bounds = request.kind === 'key' ? boundsOf(catalogue, request) : { after: null, before: null };
  if (bounds === null) return null;
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds)];
  const rows = await ctx.db.hot<SummaryRow>(HOLDINGS, params);
  const byParent = new Map<string, Held[]>(collectionIds.map((id) => [id, []]));
  for (const row of rows) {
    const variant = catalogue.variant(row.variantId);
    if (!variant) return null;
    byParent.get(row.collectionId)!.push({ row, variant });
  }
  const pages: Page<SummaryRow>[] = [];
  for (const id of collectionIds) {
    const held = byParent.get(id)!;
    if (held.length > MAX_HOLDINGS) return null;
    held.sort(
      descending ? (a, b) => b.variant.rank - a.variant.rank : (a, b) => a.variant.rank - b.variant.rank,
    );
    pages.push(pageOf(held, catalogue, request, bounds, descending ? -1 : 1));
  }
  return pages;
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

function pageOf(
  held: readonly Held[],
  catalogue: Catalogue,
  request: PageRequest,
  { after, before }: Bounds,
  sign: 1 | -1,
): Page<SummaryRow> {
  if (request.kind === 'position') {
    const end = request.position + request.size;
    const items = held.slice(request.position, end).map(({ row }) => row);
    return { items, keys: [], hasNextPage: held.length > end, hasPreviousPage: request.position > 0 };
  }
  const within = held.filter(
    ({ variant }) =>
      (after === null || sign * (variant.rank - after) > 0) &&
      (before === null || sign * (variant.rank - before) < 0),
  );
  const hasMore = within.length > request.size;
  const page = request.fromEnd ? within.slice(-request.size) : within.slice(0, request.size);
  return {
    items: page.map(({ row }) => row),
    keys: page.map(({ variant }) => keyOf(catalogue, variant)),
    hasNextPage: request.fromEnd ? request.before !== null : hasMore,
    hasPreviousPage: request.fromEnd ? hasMore : request.after !== null,
  };
}
