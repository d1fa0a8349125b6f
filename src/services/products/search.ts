import type { Database } from '../../db/client.ts';
import { MARKET_REVISION } from '../../db/queries/market.ts';
import { SEARCHABLE_PRODUCTS, type SearchableProductRow } from '../../db/queries/products.ts';
import type { CacheCount } from '../../domain/cache-use.ts';
import { type CursorShape, type Page, type PageRequest, pageOfPositions } from '../../domain/pagination.ts';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../domain/search/parse.ts';
import {
  buildSearchIndex,
  type Facets,
  type Reason,
  type SearchIndex,
  type Suggestion,
} from '../../domain/search/search-index.ts';
import { heldCatalogue } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import type { Product } from './model.ts';

/** The order of search results is not stored: a cursor holds the position. */
export const SEARCH_ORDER: CursorShape = { name: 'products-relevance', kinds: ['position'] };

/** A page of a search, which knows why each product is there. */
export interface FoundProducts extends Page<Product> {
  /** What of the query the product matches, and where. */
  reasons(product: Product): Reason[];
}

export interface ProductSearch {
  page(request: PageRequest): FoundProducts;
  /** How many results can be reached, at most 1,000. */
  count: number;
  didYouMean(): string | null;
  /** Over all that match, also beyond those that can be reached. */
  facets(): Facets;
}

/** Searches the catalogue, by relevance (decisions §6). Throws `InvalidQuery`. */
export async function searchProducts(ctx: Context, query: string): Promise<ProductSearch> {
  const parsed = parseQuery(query, PRODUCT_SEARCH_FIELDS);
  const { index, products } = await searchableCatalogue(ctx);
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
        reasons: ({ id }) => result.reasons(id),
      };
    },
    count: productIds.length,
    didYouMean: result.didYouMean,
    facets: result.facets,
  };
}

/** What the text that somebody types may become: names, fields and values, the likeliest first. */
export async function suggestSearches(ctx: Context, text: string, most: number): Promise<Suggestion[]> {
  const { index } = await searchableCatalogue(ctx);
  return index.suggest(text, most);
}

/** The catalogue in memory, as of one revision of the market data. */
interface SearchableCatalogue {
  index: SearchIndex;
  products: Map<string, Product>;
}

const held = new WeakMap<object, { revision: number; catalogue: Promise<SearchableCatalogue> }>();
const uses = new WeakMap<object, CacheCount>();

/** How often the catalogue in memory was there, and how many products it holds. */
export function searchCacheUse(db: Database): CacheCount {
  let use = uses.get(db.identity);
  if (!use) {
    use = { hits: 0, misses: 0, size: 0 };
    uses.set(db.identity, use);
  }
  return use;
}

/** The catalogue as it is now: read again by the first search after an import. */
export async function searchableCatalogue(ctx: Pick<Context, 'db' | 'now'>): Promise<SearchableCatalogue> {
  const { db } = ctx;
  const revision = (await heldCatalogue(ctx))?.revision ?? (await marketRevision(db));
  const known = held.get(db.identity);
  const use = searchCacheUse(db);
  if (known?.revision === revision) {
    use.hits++;
    return known.catalogue;
  }
  use.misses++;
  const catalogue = db.query<SearchableProductRow>(SEARCHABLE_PRODUCTS).then(catalogueOf);
  catalogue.then(
    ({ products }) => {
      use.size = products.size;
    },
    () => {},
  );
  const fresh = { revision, catalogue };
  held.set(db.identity, fresh);
  // One that could not be read is not kept.
  catalogue.catch(() => held.get(db.identity) === fresh && held.delete(db.identity));
  return catalogue;
}

async function marketRevision(db: Database): Promise<number> {
  const [row] = await db.hot<{ revision: number }>(MARKET_REVISION);
  return row!.revision;
}

function catalogueOf(rows: SearchableProductRow[]): SearchableCatalogue {
  const index = buildSearchIndex(rows.map((row) => ({ ...row, productId: row.id })));
  const products = rows.map(
    ({ otherNumbers, otherFaces, keywords, legality, sealedProductType, sales30, variants, ...product }) =>
      product,
  );
  return { index, products: new Map(products.map((product) => [product.id, product])) };
}
