import type { Database } from '../../db/client.ts';
import { MARKET_REVISION } from '../../db/queries/market.ts';
import { SEARCH_ENTRIES } from '../../db/queries/products.ts';
import { type CursorShape, type Page, type PageRequest, pageOfPositions } from '../../domain/pagination.ts';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../domain/search/parse.ts';
import {
  buildSearchIndex,
  type Facets,
  type SearchEntry,
  type SearchIndex,
} from '../../domain/search/search-index.ts';
import type { Context } from '../context.ts';
import { getProducts } from './get.ts';
import type { Product } from './model.ts';

/** The order of search results is not stored: a cursor holds the position. */
export const SEARCH_ORDER: CursorShape = { name: 'products-relevance', kinds: ['position'] };

export interface ProductSearch {
  page(request: PageRequest): Promise<Page<Product>>;
  /** How many results can be reached, at most 1,000. */
  count: number;
  didYouMean(): string | null;
  /** Over all that match, also beyond those that can be reached. */
  facets(): Facets;
}

/** Searches the catalogue, by relevance (decisions §6). Throws `InvalidQuery`. */
export async function searchProducts(ctx: Context, query: string): Promise<ProductSearch> {
  const parsed = parseQuery(query, PRODUCT_SEARCH_FIELDS);
  const result = (await searchIndex(ctx.db)).search(parsed);
  const { productIds } = result;
  return {
    page: async (request) => {
      const { start, end } = pageOfPositions(request, productIds.length);
      const products = await getProducts(ctx, productIds.slice(start, end));
      return {
        items: products.filter((product) => product !== null),
        keys: products.map((_, i) => [String(start + i)]),
        hasNextPage: end < productIds.length,
        hasPreviousPage: start > 0,
      };
    },
    count: productIds.length,
    didYouMean: result.didYouMean,
    facets: result.facets,
  };
}

interface Held {
  revision: number;
  index: Promise<SearchIndex>;
}

const held = new WeakMap<Database, Held>();

/** The index of the catalogue as it is now: made again by the first search after an import. */
export async function searchIndex(db: Database): Promise<SearchIndex> {
  const [{ revision }] = (await db.query<{ revision: number }>(MARKET_REVISION)) as [{ revision: number }];
  const known = held.get(db);
  if (known?.revision === revision) return known.index;
  const made: Held = { revision, index: db.query<SearchEntry>(SEARCH_ENTRIES).then(buildSearchIndex) };
  held.set(db, made);
  // One that could not be read is not kept.
  made.index.catch(() => held.delete(db));
  return made.index;
}
