import { asksForPrices, type QueryNode } from '../domain/search/query.ts';
import { searchPoints } from '../domain/search/search-points.ts';
import { searchableCatalogue } from '../memory/memory.ts';
import type { Searchable } from '../memory/search.ts';
import { type Context, observed, turnToRead } from './context.ts';

/** Searches the catalogue for these parts of a query, when it may be: their points are charged, and whose turn is first has had it. */
export async function searched<T>(
  ctx: Context,
  parts: readonly QueryNode[],
  search: (searchable: Searchable) => T,
): Promise<T> {
  const searchable = await searchableCatalogue(ctx);
  ctx.charge?.(searchPoints({ kind: 'and', parts: [...parts] }, searchable.index.size));
  // An operation may have many searches, each of which takes some milliseconds.
  const turn = turnToRead(ctx);
  if (turn) await turn;
  if (parts.some(asksForPrices)) observePrices(ctx, searchable);
  // Without a promise between: all searches of an operation would be told that there is time, before the first has taken any.
  return search(searchable);
}

/** Notes that an answer depends on the prices that the search looks at. */
export function observePrices(ctx: Context, { pricingRevision }: Searchable): void {
  observed(ctx, [{ marketRevision: pricingRevision }]);
}
