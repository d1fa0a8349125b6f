import { validationFailed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ProductSort } from '../../domain/orders.ts';
import {
  type CursorShape,
  type KeyRequest,
  type Page,
  type PageRequest,
  pageOfPositions,
} from '../../domain/pagination.ts';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../domain/search/parse.ts';
import { filterNodes, type ProductFilter } from '../../domain/search/product-filter.ts';
import type { QueryNode } from '../../domain/search/query.ts';
import type {
  Facet,
  FacetField,
  Reason,
  SearchResult,
  Suggestion,
} from '../../domain/search/search-index.ts';
import { hasAtMostCharacters } from '../../lib/text.ts';
import { searchableCatalogue } from '../../memory/memory.ts';
import type { Searchable } from '../../memory/search.ts';
import { type Context, readInTurn, readInTurns } from '../context.ts';
import { observePrices, searched } from '../searched.ts';
import type { Product } from './model.ts';

/** The order of search results is not stored: a cursor holds the position. */
const BY_RELEVANCE: CursorShape = { name: 'products-relevance', kinds: ['position'] };

/** A page of a search, which knows why each product is there. */
export interface FoundProducts extends Page<Product> {
  /** What of the query the product matches, and where. */
  reasons(product: Product): Reason[] | Promise<Reason[]>;
}

export interface Matches {
  didYouMean(): string | null | Promise<string | null>;
  /** Over all that match, also beyond those that can be reached. */
  facet(field: FacetField, most: number): Facet[] | Promise<Facet[]>;
}

export interface ProductSearch extends Matches {
  page(request: PageRequest): FoundProducts;
  /** How many results can be reached, at most 1,000. */
  count: number;
}

/** What of the catalogue is looked at, and in which order. */
export interface ProductsAsked {
  query?: string | null | undefined;
  filter?: ProductFilter | null | undefined;
  sort: ProductSort;
  reverse: boolean;
}

export interface ProductList extends Matches {
  /** What its cursors are of. */
  order: CursorShape;
  page(request: KeyRequest): FoundProducts | Promise<FoundProducts>;
  /** How many can be reached: by relevance at most 1,000. */
  count: number;
}

/** Searches the catalogue, by relevance (docs/decisions.md#search). Throws `InvalidQuery`. */
export async function searchProducts(ctx: Context, query: string): Promise<ProductSearch> {
  const { result, searchable } = await search(ctx, query, []);
  return byRelevance(ctx, result, searchable);
}

/** The products that match a query and filters, or all of them. Throws `InvalidQuery` and `ValidationFailed`. */
export async function listProducts(
  ctx: Context,
  { query, filter, sort, reverse }: ProductsAsked,
): Promise<ProductList> {
  if (sort === 'Relevance' && reverse)
    throw validationFailed([{ path: ['reverse'], detail: 'must be false with the sort RELEVANCE' }]);
  const { result, searchable } = await search(ctx, query ?? null, filterNodes(filter ?? {}));
  if (sort === 'Relevance') return { ...byRelevance(ctx, result, searchable), order: BY_RELEVANCE };
  return {
    ...matchesOf(ctx, result),
    order: searchable.index.order(sort, reverse),
    count: result.total,
    page: async (request) => {
      if (sort === 'Price') observePrices(ctx, searchable);
      const page = await readInTurns(ctx, result.page(sort, reverse, request));
      return foundPage(ctx, result, searchable, page);
    },
  };
}

async function search(
  ctx: Context,
  query: string | null,
  filters: readonly QueryNode[],
): Promise<{ result: SearchResult; searchable: Searchable }> {
  const parsed = query === null ? null : parseQuery(query, PRODUCT_SEARCH_FIELDS);
  return searched(ctx, parsed ? [...filters, parsed.root] : filters, (searchable) => ({
    result: searchable.index.search(parsed, filters),
    searchable,
  }));
}

function byRelevance(ctx: Context, result: SearchResult, searchable: Searchable): ProductSearch {
  const count = Math.min(result.total, LIMITS.searchResults);
  return {
    ...matchesOf(ctx, result),
    page: (request) => {
      const { start, end } = pageOfPositions(request, count);
      return foundPage(ctx, result, searchable, {
        items: result.productIds(start, end),
        keyOf: (place) => [String(start + place)],
        hasNextPage: end < count,
        hasPreviousPage: start > 0,
      });
    },
    count,
  };
}

function matchesOf(ctx: Context, result: SearchResult): Matches {
  return {
    didYouMean: () => readInTurn(ctx, result.didYouMean),
    facet: (field, most) => readInTurn(ctx, () => result.facet(field).slice(0, most)),
  };
}

function foundPage(
  ctx: Context,
  result: SearchResult,
  { products }: Searchable,
  page: Page<string>,
): FoundProducts {
  return {
    ...page,
    items: page.items.map((id) => products.get(id)!),
    reasons: ({ id }) => readInTurn(ctx, () => result.reasons(id)),
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
  if (!hasAtMostCharacters(text, LIMITS.searchQueryCharacters)) {
    const detail = `must have at most ${LIMITS.searchQueryCharacters} characters`;
    throw validationFailed([{ path: ['text'], detail }]);
  }
  const { index } = await searchableCatalogue(ctx);
  return readInTurn(ctx, () => index.suggest(text, first));
}
