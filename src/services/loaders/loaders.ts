import type { Order } from '../../db/queries/page.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { Currency } from '../../domain/currencies.ts';
import { daysInRange } from '../../domain/history.ts';
import { typeOfId } from '../../domain/ids.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import type { Money } from '../../domain/money.ts';
import type { CountedPage, KeyRequest, Page, PageRequest } from '../../domain/pagination.ts';
import type { EvBreakdown, ProductEv } from '../../domain/product-ev.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../domain/search/parse.ts';
import { recordedCount } from '../../domain/search/query.ts';
import type { ExportFormat, ImportRowState } from '../../domain/transaction-file.ts';
import type { TransactionFilter } from '../../domain/transaction-filter.ts';
import { after } from '../../lib/after.ts';
import type { BranchTurns } from '../../lib/in-turns.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import {
  type Account,
  countTransactions,
  type Dashboard,
  getAccount,
  getDashboard,
} from '../accounts/get.ts';
import { getPreferences, type Preferences, preferencesAtHand } from '../accounts/preferences.ts';
import { getCollections } from '../collections/get.ts';
import type { HistoryRange } from '../collections/history.ts';
import type { Collection } from '../collections/model.ts';
import type { Context } from '../context.ts';
import { evAtHand, getEvBreakdowns } from '../evs/breakdown.ts';
import { type EvPoint, getEvHistories } from '../evs/history.ts';
import { countProductEvs, listProductEvs, productEvsAtHand } from '../evs/list.ts';
import { getPriceAlerts } from '../price-alerts/get.ts';
import type { PriceAlert } from '../price-alerts/model.ts';
import {
  getMarketPrices,
  getProducts,
  getVariants,
  getVariantsOfProducts,
  type PriceChoice,
  priceAtHand,
} from '../products/get.ts';
import type { Product, Variant } from '../products/model.ts';
import { getOwned } from '../products/owned.ts';
import { getPriceHistories, type PricePoint } from '../products/price-history.ts';
import { getSummaries } from '../summaries/get.ts';
import {
  countAtHand,
  countSummaries,
  listSummaries,
  type SummaryOrder,
  summariesAtHand,
} from '../summaries/list.ts';
import { getLots, type HeldLot } from '../summaries/lots.ts';
import type { TransactionSummary } from '../summaries/model.ts';
import { getQuantities, type QuantityPart } from '../summaries/quantities.ts';
import { getRateWarnings } from '../summaries/warnings.ts';
import { type ExportedPage, exportedPages } from '../transactions/export.ts';
import { getTransactions } from '../transactions/get.ts';
import { countImportRows, getImportPreviews, type ImportPreview } from '../transactions/import-preview.ts';
import { listTransactions, type TransactionOrder } from '../transactions/list.ts';
import type { Transaction } from '../transactions/model.ts';
import { Batches, keyOf } from './batches.ts';
import { FigureLoaders } from './figures.ts';
import { GoalLoaders } from './goals.ts';
import { SetLoaders } from './sets.ts';
import { TransactionLoaders } from './transactions.ts';

/** Which summaries of a collection are meant; all of them where both are null. */
interface SummariesAsked {
  searchQuery: string | null;
  filter: TransactionFilter | null;
}

type EvRange = Parameters<typeof getEvHistories>[2];

/** Every object with a global id carries it. */
export interface NodeObject {
  id: string;
}

/** Without a promise where it is at hand. */
type Found<V> = V | Promise<V>;

/**
 * Look-ups of one answer: what is at hand is given at once, the others of one tick go to a verb together, and each is
 * made once.
 */
export class Loaders {
  readonly figures: FigureLoaders;
  readonly goals: GoalLoaders;
  readonly sets: SetLoaders;
  readonly found: TransactionLoaders;
  readonly #batches: Batches;
  #preferences: Preferences | null | undefined;

  /** @param turns those in which what is loaded is asked for, if it is asked for by several */
  constructor(ctx: Context, turns?: BranchTurns) {
    this.#batches = new Batches(ctx, turns);
    this.figures = new FigureLoaders(this.#batches);
    this.goals = new GoalLoaders(this.#batches);
    this.sets = new SetLoaders(this.#batches);
    this.found = new TransactionLoaders(this.#batches);
  }

  /** One and the same for the whole answer; null where it is not at hand, and the database is asked. */
  get catalogue(): Catalogue | null {
    return this.#batches.catalogue;
  }

  /** The caller's, the same for the whole answer; null where they are not at hand. */
  get preferencesAtHand(): Preferences | null {
    if (this.#preferences === undefined) this.#preferences = preferencesAtHand(this.#batches.ctx);
    return this.#preferences;
  }

  account(): Promise<Account> {
    return this.#batches.once('account', () => getAccount(this.#batches.ctx));
  }

  /** Once they are read they are at hand. */
  preferences(): Found<Preferences> {
    return this.preferencesAtHand ?? this.#batches.once('preferences', () => this.#readPreferences());
  }

  async #readPreferences(): Promise<Preferences> {
    this.#preferences = await getPreferences(this.#batches.ctx);
    return this.#preferences;
  }

  /** Asks for them where they are not at hand, since they will be needed; resolves, whatever comes, when they were read. */
  expectPreferences(): Promise<void> | undefined {
    const found = this.preferences();
    // Whoever needs them is told why they could not be read.
    if (found instanceof Promise)
      return found.then(
        () => {},
        () => {},
      );
    return undefined;
  }

  transactionCount(): Promise<number> {
    return this.#batches.once('transactionCount', () => countTransactions(this.#batches.ctx));
  }

  dashboard(): Promise<Dashboard> {
    return this.#batches.once('dashboard', () => getDashboard(this.#batches.ctx));
  }

  collection(id: string): Promise<Collection | null> {
    return this.#batches.load('collection', id, getCollections);
  }

  transaction(id: string): Promise<Transaction | null> {
    return this.#batches.load('transaction', id, getTransactions);
  }

  summary(id: string): Promise<TransactionSummary | null> {
    return this.#batches.load('summary', id, getSummaries);
  }

  /** Of its exchange rates; null where there is nothing to say of them. */
  rateWarning({ isConverted, id }: TransactionSummary): Found<string | null> {
    return isConverted ? this.#batches.load('rateWarning', id, getRateWarnings) : null;
  }

  product(id: string): Found<Product | null> {
    return this.catalogue?.product(id) ?? this.#batches.load('product', id, getProducts);
  }

  variant(id: string): Found<Variant | null> {
    return this.catalogue?.variant(id) ?? this.#batches.load('variant', id, getVariants);
  }

  variantsOfProduct(id: string): Found<readonly Variant[]> {
    return (
      this.catalogue?.variantsOf(id) ?? this.#batches.load('variantsOfProduct', id, getVariantsOfProducts)
    );
  }

  /** How many cards of a product or a variant are held, over all collections or in one. */
  owned(of: 'Product' | 'Variant', id: string, collectionId: string | null): Promise<number> {
    return this.#batches.load(keyOf('owned', of, collectionId), id, (ctx, ids) =>
      getOwned(ctx, of, ids, collectionId),
    );
  }

  evBreakdown(id: string): Found<EvBreakdown | null> {
    const held = evAtHand(this.#batches.ctx, this.catalogue, this.preferencesAtHand, id);
    return held ?? this.#batches.load('evBreakdown', id, getEvBreakdowns);
  }

  productEvs(productType: ProductType | null, order: Order, request: PageRequest): Found<Page<ProductEv>> {
    return (
      productEvsAtHand(
        this.#batches.ctx,
        this.catalogue,
        this.preferencesAtHand,
        productType,
        order,
        request,
      ) ?? listProductEvs(this.#batches.ctx, productType, order, request)
    );
  }

  productEvCount(productType: ProductType | null): Found<number> {
    return this.catalogue?.evCount(productType) ?? countProductEvs(this.#batches.ctx, productType);
  }

  priceAlert(id: string): Promise<PriceAlert | null> {
    return this.#batches.load('priceAlert', id, getPriceAlerts);
  }

  /** In the caller's currency, and of the caller's price source, where they are left out. */
  marketPrice(variantId: string, choice: PriceChoice): Found<Money | null> {
    return after(this.#chosen(choice), ([currency, source]) =>
      this.#marketPrice(variantId, currency, source),
    );
  }

  /** In the currency and of the source as a market price. */
  async priceHistory(variantId: string, range: HistoryRange, choice: PriceChoice): Promise<PricePoint[]> {
    const [currency, source] = await this.#chosen(choice);
    const name = keyOf('priceHistory', range, currency, source);
    // Of the rates, which are read once; the prices are in the points of the list.
    this.#batches.chargeOnce(
      keyOf('charge', name),
      pointsOfReading('indexed', daysInRange(range.from, range.to)),
    );
    return this.#batches.load(name, variantId, (ctx, ids) =>
      getPriceHistories(ctx, ids, range, currency, source),
    );
  }

  async transactions(
    collection: Collection,
    order: TransactionOrder,
    request: PageRequest,
  ): Promise<Page<Transaction>> {
    const name = keyOf('transactions', order.name, request);
    if (order.isByName) this.#batches.charge(name, collection, 'names');
    return this.#batches.load(name, collection.id, (ctx, ids) => listTransactions(ctx, ids, order, request));
  }

  importPreview(id: string): Promise<ImportPreview | null> {
    return this.#batches.load('importPreview', id, getImportPreviews);
  }

  importRowCounts(previewId: string): Promise<Record<ImportRowState, number>> {
    return this.#batches.load('importRowCounts', previewId, countImportRows);
  }

  exported(collectionId: string, format: ExportFormat, after: string | null): Promise<ExportedPage> {
    return this.#batches.load(keyOf('exported', format, after), collectionId, (ctx, ids) =>
      exportedPages(ctx, ids, after, format),
    );
  }

  /** Without a promise where the ledger of the collection is in memory as it was read. */
  summaries(
    collection: Collection,
    asked: SummariesAsked,
    order: SummaryOrder,
    request: PageRequest,
  ): Found<Page<TransactionSummary>> {
    const name = keyOf('summaries', asked, order.name, request);
    if (order.inMemory === null) this.#batches.charge(name, collection, 'sorted');
    this.#chargeSummaries(name, collection, asked);
    const atHand = isOfAll(asked) ? summariesAtHand(this.#batches.ctx, collection, order, request) : null;
    return (
      atHand ??
      this.#batches.load(name, collection.id, (ctx, ids) =>
        listSummaries(ctx, ids, asked.searchQuery, order, request, asked.filter),
      )
    );
  }

  lots(summaryId: string, request: KeyRequest): Promise<CountedPage<HeldLot>> {
    return this.#batches.load(keyOf('lots', request), summaryId, (ctx, ids) => getLots(ctx, ids, request));
  }

  quantities(summaryId: string): Promise<QuantityPart[]> {
    return this.#batches.load('quantities', summaryId, getQuantities);
  }

  async summaryCount(collection: Collection, asked: SummariesAsked): Promise<number> {
    const name = keyOf('summaryCount', asked);
    this.#chargeSummaries(name, collection, asked);
    const atHand = isOfAll(asked) ? countAtHand(this.#batches.ctx, collection) : null;
    return (
      atHand ??
      this.#batches.load(name, collection.id, (ctx, ids) =>
        countSummaries(ctx, ids, asked.searchQuery, asked.filter),
      )
    );
  }

  /** What is recorded of transactions is looked for again for each list and count. Throws `InvalidQuery`. */
  #chargeSummaries(name: string, collection: Collection, { searchQuery, filter }: SummariesAsked): void {
    this.#batches.charge('holdings', collection, 'holdings');
    if (filter !== null) this.#batches.charge(keyOf('filter', name), collection, 'held');
    if (searchQuery === null) return;
    this.#batches.charge(keyOf('search', searchQuery), collection, 'searched');
    const conditions = recordedCount(parseQuery(searchQuery, SUMMARY_SEARCH_FIELDS).root);
    if (conditions === 0) return;
    const { id, transactionCount } = collection;
    this.#batches.charge(keyOf('recorded', name), collection, 'held');
    const points = pointsOfReading('recorded', transactionCount * conditions);
    this.#batches.chargeOnce(keyOf('charge', 'conditions', name, id), points);
  }

  evHistory(id: string, range: EvRange): Promise<EvPoint[]> {
    return this.#batches.load(keyOf('evHistory', range), id, (ctx, ids) => getEvHistories(ctx, ids, range));
  }

  #chosen({ currency, priceSource }: PriceChoice): Found<[Currency, PriceSource]> {
    if (currency && priceSource) return [currency, priceSource];
    return after(this.preferences(), ({ preferredCurrency, preferredPriceSource }) => [
      currency ?? preferredCurrency,
      priceSource ?? preferredPriceSource,
    ]);
  }

  #marketPrice(variantId: string, currency: Currency, source: PriceSource): Found<Money | null> {
    const price = priceAtHand(this.#batches.ctx, this.catalogue, variantId, currency, source);
    if (price !== undefined) return price;
    return this.#batches.load(keyOf('marketPrice', currency, source), variantId, (ctx, ids) =>
      getMarketPrices(ctx, ids, currency, source),
    );
  }

  /** Anything that has an id, or null. */
  node(id: string): Promise<NodeObject | null> {
    return loadNode(this, id);
  }
}

function isOfAll({ searchQuery, filter }: SummariesAsked): boolean {
  return searchQuery === null && filter === null;
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
    case 'Set':
      return loaders.sets.set(id.slice('set_'.length));
    case 'ImportPreview':
      return loaders.importPreview(id);
    case 'Webhook':
    case 'WebhookDelivery':
    case null:
      return null;
  }
}
