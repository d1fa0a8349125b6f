import DataLoader from 'dataloader';
import type { Currency } from '../domain/currencies.ts';
import { typeOfId } from '../domain/ids.ts';
import type { PriceSource } from '../domain/inputs.ts';
import type { Money } from '../domain/money.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
import type { EvBreakdown } from '../domain/product-ev.ts';
import { type Account, type Dashboard, getAccount, getDashboard } from '../services/accounts/get.ts';
import { getPreferences, type Preferences } from '../services/accounts/preferences.ts';
import { getCollections } from '../services/collections/get.ts';
import {
  getRealizedGains,
  getValueHistory,
  type RealizedGains,
  type ValuePoint,
} from '../services/collections/history.ts';
import type { Collection } from '../services/collections/model.ts';
import type { Context } from '../services/context.ts';
import { getEvBreakdowns } from '../services/evs/breakdown.ts';
import { type EvPoint, getEvHistories } from '../services/evs/history.ts';
import { getPriceAlerts } from '../services/price-alerts/get.ts';
import type { PriceAlert } from '../services/price-alerts/model.ts';
import {
  getMarketPrices,
  getProducts,
  getVariants,
  getVariantsOfProducts,
} from '../services/products/get.ts';
import type { Product, Variant } from '../services/products/model.ts';
import { getSummaries } from '../services/summaries/get.ts';
import {
  countSummaries,
  listSummaries,
  type SummaryOrder,
  summariesAtHand,
} from '../services/summaries/list.ts';
import type { TransactionSummary } from '../services/summaries/model.ts';
import { type ExportedPage, exportedPages } from '../services/transactions/export.ts';
import { getTransactions } from '../services/transactions/get.ts';
import { listTransactions, type transactionOrder } from '../services/transactions/list.ts';
import type { Transaction } from '../services/transactions/model.ts';

type EvRange = Parameters<typeof getEvHistories>[2];
type HistoryRange = Parameters<typeof getValueHistory>[2];
type TransactionOrder = ReturnType<typeof transactionOrder>;

/** Every object with a global id carries it. */
export interface NodeObject {
  id: string;
}

type Load<V> = (ctx: Context, ids: readonly string[]) => Promise<V[]>;

/** Look-ups of one request: those of one tick go to a service together, and each is made once. Made when they are needed. */
export class Loaders {
  readonly #ctx: Context;
  readonly #made = new Map<string, unknown>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  account(): Promise<Account> {
    return this.#as('account', () => getAccount(this.#ctx));
  }

  preferences(): Promise<Preferences> {
    return this.#as('preferences', () => getPreferences(this.#ctx));
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

  product(id: string): Promise<Product | null> {
    return this.#load('product', id, getProducts);
  }

  variant(id: string): Promise<Variant | null> {
    return this.#load('variant', id, getVariants);
  }

  variantsOfProduct(id: string): Promise<readonly Variant[]> {
    return this.#load('variantsOfProduct', id, getVariantsOfProducts);
  }

  evBreakdown(id: string): Promise<EvBreakdown | null> {
    return this.#load('evBreakdown', id, getEvBreakdowns);
  }

  priceAlert(id: string): Promise<PriceAlert | null> {
    return this.#load('priceAlert', id, getPriceAlerts);
  }

  marketPrice(variantId: string, currency: Currency, source: PriceSource): Promise<Money | null> {
    return this.#load(keyOf('marketPrice', currency, source), variantId, (ctx, ids) =>
      getMarketPrices(ctx, ids, currency, source),
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
  ): Page<TransactionSummary> | Promise<Page<TransactionSummary>> {
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
