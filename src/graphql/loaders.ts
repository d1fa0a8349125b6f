import DataLoader from 'dataloader';
import type { Currency } from '../domain/currencies.ts';
import { typeOfId } from '../domain/ids.ts';
import type { PriceSource } from '../domain/inputs.ts';
import type { Money } from '../domain/money.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
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
import type { EvBreakdown } from '../services/evs/model.ts';
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
import { countSummaries, listSummaries, type summaryOrder } from '../services/summaries/list.ts';
import type { TransactionSummary } from '../services/summaries/model.ts';
import { type ExportedPage, exportedPages } from '../services/transactions/export.ts';
import { getTransactions } from '../services/transactions/get.ts';
import { listTransactions, type transactionOrder } from '../services/transactions/list.ts';
import type { Transaction } from '../services/transactions/model.ts';

type EvRange = Parameters<typeof getEvHistories>[2];
type HistoryRange = Parameters<typeof getValueHistory>[2];
type TransactionOrder = ReturnType<typeof transactionOrder>;
type SummaryOrder = ReturnType<typeof summaryOrder>;

/** Look-ups of one request: those of one tick go to a service together, and each is made once. */
export interface Loaders {
  account(): Promise<Account>;
  preferences(): Promise<Preferences>;
  dashboard(): Promise<Dashboard>;
  collection: DataLoader<string, Collection | null>;
  transaction: DataLoader<string, Transaction | null>;
  summary: DataLoader<string, TransactionSummary | null>;
  product: DataLoader<string, Product | null>;
  variant: DataLoader<string, Variant | null>;
  variantsOfProduct: DataLoader<string, readonly Variant[]>;
  evBreakdown: DataLoader<string, EvBreakdown | null>;
  priceAlert: DataLoader<string, PriceAlert | null>;
  marketPrice(variantId: string, currency: Currency, source: PriceSource): Promise<Money | null>;
  transactions(
    collectionId: string,
    order: TransactionOrder,
    request: PageRequest,
  ): Promise<Page<Transaction>>;
  exported(collectionId: string, after: string | null): Promise<ExportedPage>;
  summaries(
    collectionId: string,
    query: string | null,
    order: SummaryOrder,
    request: PageRequest,
  ): Promise<Page<TransactionSummary>>;
  summaryCount(collectionId: string, query: string | null): Promise<number>;
  evHistory(id: string, range: EvRange): Promise<EvPoint[]>;
  valueHistory(collectionId: string, range: HistoryRange): Promise<ValuePoint[]>;
  realizedGains(collectionId: string, year: number): Promise<RealizedGains>;
  /** Anything that has an id, or null. */
  node(id: string): Promise<NodeObject | null>;
}

/** Every object with a global id carries it. */
export interface NodeObject {
  id: string;
}

export function createLoaders(ctx: Context): Loaders {
  // A batch has no size limit, since the cost of an operation bounds it: one statement, however many items.
  const loader = <V>(load: (ids: readonly string[]) => Promise<V[]>) => new DataLoader(load);
  const account = once(() => getAccount(ctx));
  const loaders: Loaders = {
    account,
    preferences: once(() => getPreferences(ctx)),
    dashboard: once(() => getDashboard(ctx)),
    collection: loader((ids) => getCollections(ctx, ids)),
    transaction: loader((ids) => getTransactions(ctx, ids)),
    summary: loader((ids) => getSummaries(ctx, ids)),
    product: loader((ids) => getProducts(ctx, ids)),
    variant: loader((ids) => getVariants(ctx, ids)),
    variantsOfProduct: loader((ids) => getVariantsOfProducts(ctx, ids)),
    evBreakdown: loader((ids) => getEvBreakdowns(ctx, ids)),
    priceAlert: loader((ids) => getPriceAlerts(ctx, ids)),
    marketPrice: keyed((currency: Currency, source: PriceSource) =>
      loader((ids) => getMarketPrices(ctx, ids, currency, source)),
    ),
    transactions: keyed((order: TransactionOrder, request: PageRequest) =>
      loader((ids) => listTransactions(ctx, ids, order, request)),
    ),
    exported: keyed((after: string | null) => loader((ids) => exportedPages(ctx, ids, after))),
    summaries: keyed((query: string | null, order: SummaryOrder, request: PageRequest) =>
      loader((ids) => listSummaries(ctx, ids, query, order, request)),
    ),
    summaryCount: keyed((query: string | null) => loader((ids) => countSummaries(ctx, ids, query))),
    evHistory: keyed((range: EvRange) => loader((ids) => getEvHistories(ctx, ids, range))),
    valueHistory: keyed((range: HistoryRange) => loader((ids) => getValueHistory(ctx, ids, range))),
    realizedGains: keyed((year: number) => loader((ids) => getRealizedGains(ctx, ids, year))),
    node: (id) => loadNode(loaders, id),
  };
  return loaders;
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= load();
    return result;
  };
}

/** A loader for each set of arguments, so that only look-ups with the same ones share a statement. */
function keyed<Args extends unknown[], V>(make: (...args: Args) => DataLoader<string, V>) {
  const loaders = new Map<string, DataLoader<string, V>>();
  return (id: string, ...args: Args): Promise<V> => {
    const key = JSON.stringify(args);
    let loader = loaders.get(key);
    if (!loader) {
      loader = make(...args);
      loaders.set(key, loader);
    }
    return loader.load(id);
  };
}

async function loadNode(loaders: Loaders, id: string): Promise<NodeObject | null> {
  switch (typeOfId(id)) {
    case 'Account': {
      const account = await loaders.account();
      return account.id === id ? account : null;
    }
    case 'Collection':
      return loaders.collection.load(id);
    case 'Transaction':
      return loaders.transaction.load(id);
    case 'TransactionSummary':
      return loaders.summary.load(id);
    case 'Product':
      return loaders.product.load(id);
    case 'Variant':
      return loaders.variant.load(id);
    case 'ProductEv':
      return loaders.evBreakdown.load(id);
    case 'PriceAlert':
      return loaders.priceAlert.load(id);
    case null:
      return null;
  }
}
