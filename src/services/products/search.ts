import { validationFailed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type CursorShape, type Page, type PageRequest, pageOfPositions } from '../../domain/pagination.ts';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../domain/search/parse.ts';
import type { Facets, Reason, Suggestion } from '../../domain/search/search-index.ts';
import { searchPoints } from '../../domain/search/search-points.ts';
import { inTurn, turnOf } from '../../lib/in-turns.ts';
import { searchableCatalogue } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import type { Product } from './model.ts';

/** The order of search results is not stored: a cursor holds the position. */
export const SEARCH_ORDER: CursorShape = { name: 'products-relevance', kinds: ['position'] };

/** A page of a search, which knows why each product is there. */
export interface FoundProducts extends Page<Product> {
  /** What of the query the product matches, and where. */
  reasons(product: Product): Reason[] | Promise<Reason[]>;
}

export interface ProductSearch {
  page(request: PageRequest): FoundProducts;
  /** How many results can be reached, at most 1,000. */
  count: number;
  didYouMean(): string | null | Promise<string | null>;
  /** Over all that match, also beyond those that can be reached. */
  facets(): Facets | Promise<Facets>;
}

/** Searches the catalogue, by relevance (docs/decisions.md#search). Throws `InvalidQuery`. */
export async function searchProducts(ctx: Context, query: string): Promise<ProductSearch> {
  const parsed = parseQuery(query, PRODUCT_SEARCH_FIELDS);
  const { index, products } = await searchableCatalogue(ctx);
  ctx.charge?.(searchPoints(parsed.root, index.size));
  // An operation may have many searches, each of which takes some milliseconds.
  const { work } = ctx;
  const turn = turnOf(work);
  if (turn) await turn;
  const result = index.search(parsed);
  const { productIds } = result;
  return {
    page: (request) => {
      const { start, end } = pageOfPositions(request, productIds.length);
      return {
        items: productIds.slice(start, end).map((id) => products.get(id)!),
        keys:
          request.kind === 'position'
            ? []
            : Array.from({ length: end - start }, (_, i) => [String(start + i)]),
        hasNextPage: end < productIds.length,
        hasPreviousPage: start > 0,
        reasons: ({ id }) => inTurn(work, () => result.reasons(id)),
      };
    },
    count: productIds.length,
    didYouMean: () => inTurn(work, result.didYouMean),
    facets: () => inTurn(work, result.facets),
  };
}

/**
 * What the text that somebody types may become: names, fields and values, the likeliest first. Throws
 * `ValidationFailed`.
 */
export async function suggestSearches(
  ctx: Context,
  text: string,
  first: number = LIMITS.defaultSuggestions,
): Promise<Suggestion[]> {
  if (first < 1 || first > LIMITS.suggestions)
    throw validationFailed([{ path: ['first'], detail: `must be from 1 to ${LIMITS.suggestions}` }]);
  if ([...text].length > LIMITS.searchQueryCharacters) {
    const detail = `must have at most ${LIMITS.searchQueryCharacters} characters`;
    throw validationFailed([{ path: ['text'], detail }]);
  }
  const { index } = await searchableCatalogue(ctx);
  return inTurn(ctx.work, () => index.suggest(text, first));
}
