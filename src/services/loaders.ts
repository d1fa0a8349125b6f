import DataLoader from 'dataloader';
import type { Order } from '../db/queries/page.ts';
import type { ProductType } from '../domain/catalogue.ts';
import type { Currency } from '../domain/currencies.ts';
import { typeOfId } from '../domain/ids.ts';
import type { PriceSource } from '../domain/inputs.ts';
import type { Money } from '../domain/money.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
import type { EvBreakdown, ProductEv } from '../domain/product-ev.ts';
import { after } from '../lib/after.ts';
import type { Catalogue } from '../memory/catalogue.ts';
import { catalogueAtHand } from '../memory/memory.ts';
import { type Account, type Dashboard, getAccount, getDashboard } from './accounts/get.ts';
import { getPreferences, type Preferences, preferencesAtHand } from './accounts/preferences.ts';
import { getCollections } from './collections/get.ts';
import {
  getRealizedGains,
  getValueHistory,
  type RealizedGains,
  type ValuePoint,
} from './collections/history.ts';
import type { Collection } from './collections/model.ts';
import type { Context } from './context.ts';
import { evAtHand, getEvBreakdowns } from './evs/breakdown.ts';
import { type EvPoint, getEvHistories } from './evs/history.ts';
import { countProductEvs, listProductEvs, productEvsAtHand } from './evs/list.ts';
import { getPriceAlerts } from './price-alerts/get.ts';
import type { PriceAlert } from './price-alerts/model.ts';
import {
  getMarketPrices,
  getProducts,
  getVariants,
  getVariantsOfProducts,
  type PriceChoice,
  priceAtHand,
} from './products/get.ts';
import type { Product, Variant } from './products/model.ts';
import { getSummaries } from './summaries/get.ts';
import { countSummaries, listSummaries, type SummaryOrder, summariesAtHand } from './summaries/list.ts';
import type { TransactionSummary } from './summaries/model.ts';
import { type ExportedPage, exportedPages } from './transactions/export.ts';
import { getTransactions } from './transactions/get.ts';
import { listTransactions, type transactionOrder } from './transactions/list.ts';
import type { Transaction } from './transactions/model.ts';

type EvRange = Parameters<typeof getEvHistories>[2];
type HistoryRange = Parameters<typeof getValueHistory>[2];
type TransactionOrder = ReturnType<typeof transactionOrder>;

/** Every object with a global id carries it. */
export interface NodeObject {
  id: string;
}

/** Without a promise where it is at hand. */
type Found<V> = V | Promise<V>;

type Load<V> = (ctx: Context, ids: readonly string[]) => Promise<V[]>;

/**
 * Look-ups of one answer: what is at hand is given at once, the others of one tick go to a verb together, and each is
 * made once.
 */
export class Loaders {
  /** One and the same for the whole answer; null where it is not at hand, and the database is asked. */
  readonly catalogue: Catalogue | null;
  readonly #ctx: Context;
  readonly #made = new Map<string, unknown>();
  #preferences: Preferences | null | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.catalogue = catalogueAtHand(ctx);
  }

  /** The caller's, the same for the whole answer; null where they are not at hand. */
  get preferencesAtHand(): Preferences | null {
    if (this.#preferences === undefined) this.#preferences = preferencesAtHand(this.#ctx);
    return this.#preferences;
  }

  account(): Promise<Account> {
    return this.#as('account', () => getAccount(this.#ctx));
  }

  preferences(): Found<Preferences> {
    return this.preferencesAtHand ?? this.#as('preferences', () => getPreferences(this.#ctx));
  }

  dashboard(): Promise<Dashboard> {
    return this.#as('dashboard', () => getDashboard(this.#ctx));
  }

  collection(id: string): Promise<Collection | null> {
    return this.#load('collection', id, getCollections);
  }

  transaction(id: string): Promise<Transaction | null> {
    return this.#load('transaction', id, getTransactions);
  }

  summary(id: string): Promise<TransactionSummary | null> {
    return this.#load('summary', id, getSummaries);
  }

  product(id: string): Found<Product | null> {
    return this.catalogue?.product(id) ?? this.#load('product', id, getProducts);
  }

  variant(id: string): Found<Variant | null> {
    return this.catalogue?.variant(id) ?? this.#load('variant', id, getVariants);
  }

  variantsOfProduct(id: string): Found<readonly Variant[]> {
    return this.catalogue?.variantsOf(id) ?? this.#load('variantsOfProduct', id, getVariantsOfProducts);
  }

  evBreakdown(id: string): Found<EvBreakdown | null> {
    const held = evAtHand(this.#ctx, this.catalogue, this.preferencesAtHand, id);
    return held ?? this.#load('evBreakdown', id, getEvBreakdowns);
  }

  productEvs(productType: ProductType | null, order: Order, request: PageRequest): Found<Page<ProductEv>> {
    return (
      productEvsAtHand(this.#ctx, this.catalogue, this.preferencesAtHand, productType, order, request) ??
      listProductEvs(this.#ctx, productType, order, request)
    );
  }

  productEvCount(productType: ProductType | null): Found<number> {
    return this.catalogue?.evCount(productType) ?? countProductEvs(this.#ctx, productType);
  }

  priceAlert(id: string): Promise<PriceAlert | null> {
    return this.#load('priceAlert', id, getPriceAlerts);
  }

  /** In the caller's currency, and of the caller's price source, where they are left out. */
  marketPrice(variantId: string, { currency, priceSource }: PriceChoice): Found<Money | null> {
    if (currency && priceSource) return this.#marketPrice(variantId, currency, priceSource);
    return after(this.preferences(), ({ preferredCurrency, preferredPriceSource }) =>
      this.#marketPrice(variantId, currency ?? preferredCurrency, priceSource ?? preferredPriceSource),
    );
  }

  transactions(
    collectionId: string,
    order: TransactionOrder,
    request: PageRequest,
  ): Promise<Page<Transaction>> {
    return this.#load(keyOf('transactions', order.name, request), collectionId, (ctx, ids) =>
      listTransactions(ctx, ids, order, request),
    );
  }

  exported(collectionId: string, after: string | null): Promise<ExportedPage> {
    return this.#load(keyOf('exported', after), collectionId, (ctx, ids) => exportedPages(ctx, ids, after));
  }

  /** Without a promise where the ledger of the collection is in memory as it was read. */
  summaries(
    collection: Collection,
    query: string | null,
    order: SummaryOrder,
    request: PageRequest,
  ): Found<Page<TransactionSummary>> {
    const atHand = query === null ? summariesAtHand(this.#ctx, collection, order, request) : null;
    return (
      atHand ??
      this.#load(keyOf('summaries', query, order.name, request), collection.id, (ctx, ids) =>
        listSummaries(ctx, ids, query, order, request),
      )
    );
  }

  summaryCount(collectionId: string, query: string | null): Promise<number> {
    return this.#load(keyOf('summaryCount', query), collectionId, (ctx, ids) =>
      countSummaries(ctx, ids, query),
    );
  }

  evHistory(id: string, range: EvRange): Promise<EvPoint[]> {
    return this.#load(keyOf('evHistory', range), id, (ctx, ids) => getEvHistories(ctx, ids, range));
  }

  valueHistory(collectionId: string, range: HistoryRange): Promise<ValuePoint[]> {
    return this.#load(keyOf('valueHistory', range), collectionId, (ctx, ids) =>
      getValueHistory(ctx, ids, range),
    );
  }

  realizedGains(collectionId: string, year: number): Promise<RealizedGains> {
    return this.#load(keyOf('realizedGains', year), collectionId, (ctx, ids) =>
      getRealizedGains(ctx, ids, year),
    );
  }

  #marketPrice(variantId: string, currency: Currency, source: PriceSource): Found<Money | null> {
    const price = priceAtHand(this.#ctx, this.catalogue, variantId, currency, source);
    if (price !== undefined) return price;
    return this.#load(keyOf('marketPrice', currency, source), variantId, (ctx, ids) =>
      getMarketPrices(ctx, ids, currency, source),
    );
  }

  /** Anything that has an id, or null. */
  node(id: string): Promise<NodeObject | null> {
    return loadNode(this, id);
  }

  /** A batch has no size limit, since the cost of an operation bounds it: one statement, however many items. */
  #load<V>(name: string, id: string, load: Load<V>): Promise<V> {
    return this.#as(name, () => new DataLoader<string, V>((ids) => load(this.#ctx, ids))).load(id);
  }

  #as<T>(name: string, make: () => T): T {
    let made = this.#made.get(name) as T | undefined;
    if (made === undefined) {
      made = make();
      this.#made.set(name, made);
    }
    return made;
  }
}

/** Only look-ups with the same arguments share a statement. */
function keyOf(name: string, ...args: unknown[]): string {
  return `${name} ${JSON.stringify(args)}`;
}

async function loadNode(loaders: Loaders, id: string): Promise<NodeObject | null> {
  switch (typeOfId(id)) {
    case 'Account': {
      const account = await loaders.account();
      return account.id === id ? account : null;
    }
    case 'Collection':
      return loaders.collection(id);
    case 'Transaction':
      return loaders.transaction(id);
    case 'TransactionSummary':
      return loaders.summary(id);
    case 'Product':
      return loaders.product(id);
    case 'Variant':
      return loaders.variant(id);
    case 'ProductEv':
      return loaders.evBreakdown(id);
    case 'PriceAlert':
      return loaders.priceAlert(id);
    case null:
      return null;
  }
}
