import type { Database } from '../db/client.ts';
import type { CatalogueRevision } from '../db/queries/held-catalogue.ts';
import {
  type ProductRow,
  SEARCHABLE_MARKET,
  SEARCHABLE_PRODUCTS,
  type SearchableMarketRow,
  type SearchableProductRow,
} from '../db/queries/products.ts';
import { type CardSet, cardSets } from '../domain/card-sets.ts';
import type { SearchEntry } from '../domain/search/entries.ts';
import { type SearchIndex, searchIndex } from '../domain/search/search-index.ts';
import { SearchMarket, type VariantMarket } from '../domain/search/search-market.ts';
import { type SearchTexts, searchTexts } from '../domain/search/search-texts.ts';
import type { CacheCount } from '../lib/cache-use.ts';
import { inTurns } from '../lib/in-turns.ts';
import type { Catalogue } from './catalogue.ts';
import { type ProductIds, productIds } from './product-ids.ts';
import { batchesOf, readProducts, readRevisions } from './read.ts';

/** The products of one state of the market, and the search over them. */
export interface Searchable {
  index: SearchIndex;
  products: ReadonlyMap<string, ProductRow>;
  /** By their codes, in the order of these. */
  sets: ReadonlyMap<string, CardSet>;
  /** That of the prices that it looks at. */
  pricingRevision: number;
  /** The same for each state of the products. */
  productIds(): Promise<ProductIds>;
}

/** What is kept for the search; products are those of the catalogue, and its own only where that is not held. */
export class HeldSearch {
  readonly use: CacheCount = { hits: 0, misses: 0, size: 0 };
  readonly #texts = new Latest<HeldTexts>();

  /**
   * @param revisions those of the state that is to be searched
   * @param catalogue that of the same names, where it is held
   * @returns null where what had to be read is of another state by now
   */
  async of(
    db: Database,
    revisions: CatalogueRevision,
    catalogue: Catalogue | null,
  ): Promise<Searchable | null> {
    const { prices, rates, sales } = revisions;
    const pricedAs = `${prices} ${rates} ${sales}`;
    const isMade = this.#texts.at(revisions.names)?.index.at(pricedAs) !== undefined;
    this.use[isMade ? 'hits' : 'misses']++;
    const held = await this.#texts.get(revisions.names, db, () => readTexts(db, revisions, catalogue));
    if (catalogue && held) held.products = catalogue.parts.names.products;
    const index = await held?.index.get(pricedAs, db, async () => {
      const market = await readSearchMarket(db, held.texts, revisions, catalogue);
      return market && searchIndex(held.texts, market);
    });
    if (!held || !index) return null;
    this.use.size = held.products.size;
    return {
      index,
      products: held.products,
      sets: held.sets,
      pricingRevision: revisions.pricingRevision,
      productIds: () => held.productIds(),
    };
  }
}

/** What follows from the names alone, and the index with the market of its documents. */
class HeldTexts {
  products: ReadonlyMap<string, ProductRow>;
  readonly texts: SearchTexts;
  readonly sets: ReadonlyMap<string, CardSet>;
  readonly index = new Latest<SearchIndex>();
  #productIds: Promise<ProductIds> | undefined;

  constructor(
    products: ReadonlyMap<string, ProductRow>,
    texts: SearchTexts,
    sets: ReadonlyMap<string, CardSet>,
  ) {
    this.products = products;
    this.texts = texts;
    this.sets = sets;
  }

  productIds(): Promise<ProductIds> {
    this.#productIds ??= inTurns(productIds(this.products));
    return this.#productIds;
  }
}

/** Revisions. */
type Source = number | string;

/** What was made last, by what it was made of. */
class Latest<T extends object> {
  #made: { of: Source; value: T } | undefined;
  #making: { of: Source; value: Promise<T | null> } | undefined;

  at(of: Source): T | undefined {
    return this.#made?.of === of ? this.#made.value : undefined;
  }

  /**
   * Who comes while it is made waits for it. A transaction makes its own: what it would wait for may itself wait for the
   * connection that the transaction has.
   */
  get(of: Source, db: Database, make: () => Promise<T | null>): Promise<T | null> {
    const made = this.at(of);
    if (made) return Promise.resolve(made);
    if (db.isTransaction) return this.#make(of, make);
    if (this.#making?.of === of) return this.#making.value;
    const value = this.#make(of, make).finally(() => {
      if (this.#making?.value === value) this.#making = undefined;
    });
    this.#making = { of, value };
    return value;
  }

  async #make(of: Source, make: () => Promise<T | null>): Promise<T | null> {
    const value = await make();
    if (value !== null) this.#made = { of, value };
    return value;
  }
}

async function readTexts(
  db: Database,
  revisions: CatalogueRevision,
  catalogue: Catalogue | null,
): Promise<HeldTexts | null> {
  const products = catalogue?.parts.names.products ?? (await readProducts(db));
  const entries: SearchEntry[] = [];
  for await (const rows of batchesOf<SearchableProductRow>(db, SEARCHABLE_PRODUCTS)) {
    for (const row of rows) {
      const product = products.get(row.id);
      if (product) entries.push({ ...product, ...row, productId: product.id });
    }
  }
  if ((await readRevisions(db)).names !== revisions.names) return null;
  const sets = new Map(cardSets(entries).map((set) => [set.code, set]));
  return new HeldTexts(products, await inTurns(searchTexts(entries)), sets);
}

async function readSearchMarket(
  db: Database,
  { entries: { variantIds }, printings: { starts } }: SearchTexts,
  revisions: CatalogueRevision,
  catalogue: Catalogue | null,
): Promise<SearchMarket | null> {
  const isSame = (others: CatalogueRevision) =>
    (['prices', 'rates', 'sales'] as const).every((part) => others[part] === revisions[part]);
  if (catalogue && isSame(catalogue.revisions)) {
    return inTurns(SearchMarket.of(variantIds, starts, (id) => catalogue.variantMarket(id) ?? NO_MARKET));
  }
  const markets = new Map<string, VariantMarket>();
  for await (const rows of batchesOf<SearchableMarketRow>(db, SEARCHABLE_MARKET)) {
    for (const row of rows) markets.set(row.id, row);
  }
  if (!isSame(await readRevisions(db))) return null;
  return inTurns(SearchMarket.of(variantIds, starts, (id) => markets.get(id) ?? NO_MARKET));
}

/** Of a variant that is gone. */
const NO_MARKET: VariantMarket = { price: null, eur: null, sales30: 0 };
