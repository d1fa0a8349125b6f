import type { KeyRequest, Page } from '../../domain/pagination.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { parseQuery, TRANSACTION_SEARCH_FIELDS } from '../../domain/search/parse.ts';
import { recordedCount } from '../../domain/search/query.ts';
import { countTransactions } from '../accounts/get.ts';
import type { Collection } from '../collections/model.ts';
import type { TransactionSummary } from '../summaries/model.ts';
import {
  countFoundTransactions,
  countHoldings,
  findTransactions,
  type ListParent,
  listHoldings,
  type TransactionsAsked,
} from '../transactions/find.ts';
import type { TransactionOrder } from '../transactions/list.ts';
import type { Transaction } from '../transactions/model.ts';
import { type Batches, keyOf } from './batches.ts';

/** The parent of what is of the account as a whole. */
const OF_ACCOUNT = 'account';

/** Transactions by what they are of, and those that fulfil conditions; charged for where many may have to be looked at. */
export class TransactionLoaders {
  readonly #batches: Batches;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  /** Of a variant or a product, over all collections. */
  of(
    parent: 'Variant' | 'Product',
    id: string,
    order: TransactionOrder,
    request: KeyRequest,
  ): Promise<Page<Transaction>> {
    return this.#page(parent, id, {}, order, request);
  }

  countOf(parent: 'Variant' | 'Product', id: string): Promise<number> {
    return this.#count(parent, id, {});
  }

  /** Of a collection, those that match. */
  async ofCollection(
    collection: Collection,
    asked: TransactionsAsked,
    order: TransactionOrder,
    request: KeyRequest,
  ): Promise<Page<Transaction>> {
    const name = keyOf('found', asked, order.name, request);
    this.#batches.charge(name, collection, 'filtered');
    if (order.isByName) this.#batches.charge(keyOf('names', name), collection, 'filteredNames');
    this.#chargeRecorded(name, collection.id, asked, collection.transactionCount);
    return this.#page('Collection', collection.id, asked, order, request);
  }

  async countOfCollection(collection: Collection, asked: TransactionsAsked): Promise<number> {
    const name = keyOf('foundCount', asked);
    this.#batches.charge(name, collection, 'filtered');
    this.#chargeRecorded(name, collection.id, asked, collection.transactionCount);
    return this.#count('Collection', collection.id, asked);
  }

  /** Of all collections. */
  async ofAccount(
    asked: TransactionsAsked,
    order: TransactionOrder,
    request: KeyRequest,
  ): Promise<Page<Transaction>> {
    await this.#chargeAccount(keyOf('found', asked, order.name, request), asked);
    return this.#page('Account', OF_ACCOUNT, asked, order, request);
  }

  async countOfAccount(asked: TransactionsAsked): Promise<number> {
    await this.#chargeAccount(keyOf('foundCount', asked), asked);
    return this.#count('Account', OF_ACCOUNT, asked);
  }

  holdings(
    parent: 'Variant' | 'Product',
    id: string,
    request: KeyRequest,
  ): Promise<Page<TransactionSummary>> {
    return this.#batches.load(keyOf('holdings', parent, request), id, (ctx, ids) =>
      listHoldings(ctx, parent, ids, request),
    );
  }

  holdingCount(parent: 'Variant' | 'Product', id: string): Promise<number> {
    return this.#batches.load(keyOf('holdingCount', parent), id, (ctx, ids) =>
      countHoldings(ctx, parent, ids),
    );
  }

  #page(
    parent: ListParent,
    id: string,
    asked: TransactionsAsked,
    order: TransactionOrder,
    request: KeyRequest,
  ): Promise<Page<Transaction>> {
    const name = keyOf('found', parent, asked, order.name, request);
    return this.#batches.load(name, id, (ctx, ids) =>
      findTransactions(ctx, parent, ids, asked, order, request),
    );
  }

  #count(parent: ListParent, id: string, asked: TransactionsAsked): Promise<number> {
    return this.#batches.load(keyOf('foundCount', parent, asked), id, (ctx, ids) =>
      countFoundTransactions(ctx, parent, ids, asked),
    );
  }

  async #chargeAccount(name: string, asked: TransactionsAsked): Promise<void> {
    if (!asked.filter && asked.searchQuery == null) return;
    const count = await this.#batches.once('transactionCount', () => countTransactions(this.#batches.ctx));
    this.#batches.chargeOnce(keyOf('charge', name), pointsOfReading('filtered', count));
    this.#chargeRecorded(name, OF_ACCOUNT, asked, count);
  }

  /** Each condition is looked at for each transaction. Throws `InvalidQuery`. */
  #chargeRecorded(name: string, id: string, { searchQuery }: TransactionsAsked, count: number): void {
    if (searchQuery == null) return;
    const conditions = recordedCount(parseQuery(searchQuery, TRANSACTION_SEARCH_FIELDS).root);
    const points = pointsOfReading('recorded', count * conditions);
    this.#batches.chargeOnce(keyOf('charge', 'recorded', name, id), points);
  }
}
