import type { AllocationKey } from '../../domain/allocation.ts';
import type { CostBasis } from '../../domain/cost-basis.ts';
import { daysInRange } from '../../domain/history.ts';
import { connectionSize, type KeyRequest, type Page } from '../../domain/pagination.ts';
import { POINTS_OF_ALLOCATION, pointsOfReading } from '../../domain/read-points.ts';
import type { Dashboard } from '../accounts/get.ts';
import { type AllocationPart, getAllocationOfValued, getAllocations } from '../collections/allocation.ts';
import {
  getDashboardHistory,
  getValueHistory,
  type HistoryRange,
  type ValuePoint,
} from '../collections/history.ts';
import type { Collection } from '../collections/model.ts';
import {
  getMarketMovers,
  getMovers,
  getMoversOfValued,
  type Movers,
  type MoversAsked,
} from '../collections/movers.ts';
import {
  type DateRange,
  getDashboardPerformance,
  getPerformances,
  type PerformanceOfRange,
} from '../collections/performance.ts';
import { getRealizedYears, type RealizedGains, realizedIn } from '../collections/realized.ts';
import { countSales, getSales, type Sale } from '../collections/sales.ts';
import { getSalesCsv, type SalesCsvPage } from '../collections/sales-csv.ts';
import { getMarketIndex, type IndexAsked, type IndexPoint } from '../market-index.ts';
import { type Batches, keyOf } from './batches.ts';

/** Figures of collections over time, and of the market. */
export class FigureLoaders {
  readonly #batches: Batches;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  async valueHistory(collection: Collection, range: HistoryRange): Promise<ValuePoint[]> {
    const name = keyOf('valueHistory', range);
    this.#batches.chargeValues(name, collection, range);
    return this.#batches.load(name, collection.id, (ctx, ids) => getValueHistory(ctx, ids, range));
  }

  async performance(collection: Collection, range: DateRange): Promise<PerformanceOfRange> {
    const name = keyOf('performance', range);
    this.#batches.chargeValues(name, collection, range);
    return this.#batches.load(name, collection.id, (ctx, ids) => getPerformances(ctx, ids, range));
  }

  /** Of the dashboard, which is charged as if it was one collection. */
  async dashboardHistory(dashboard: Dashboard, range: HistoryRange): Promise<ValuePoint[]> {
    const name = keyOf('dashboardHistory', range);
    this.#batches.chargeValues(name, { id: 'dashboard', ...dashboard }, range);
    return this.#batches.once(name, () => getDashboardHistory(this.#batches.ctx, range));
  }

  async dashboardPerformance(dashboard: Dashboard, range: DateRange): Promise<PerformanceOfRange> {
    const name = keyOf('dashboardPerformance', range);
    this.#batches.chargeValues(name, { id: 'dashboard', ...dashboard }, range);
    return this.#batches.once(name, () => getDashboardPerformance(this.#batches.ctx, range));
  }

  /** Of all years at once, however many are asked for. */
  async realizedGains(collection: Collection, year: number, method: CostBasis): Promise<RealizedGains> {
    const name = keyOf('realizedYears', method);
    this.#batches.charge(name, collection, method === 'Average' ? 'years' : 'sales');
    const years = this.#batches.load(name, collection.id, (ctx, ids) => getRealizedYears(ctx, ids, method));
    return realizedIn(await years, year, method);
  }

  /** Charged for the variants on the page, when they are known; the days of the year are gone through before. */
  async sales(
    collection: Collection,
    year: number,
    method: CostBasis,
    request: KeyRequest,
  ): Promise<Page<Sale>> {
    const name = keyOf('sales', collection.id, year, method, request);
    this.#batches.charge(name, collection, 'sought');
    return this.#batches.once(name, () => getSales(this.#batches.ctx, collection.id, year, method, request));
  }

  async saleCount(collection: Collection, year: number): Promise<number> {
    const name = keyOf('saleCount', collection.id, year);
    this.#batches.charge(name, collection, 'sought');
    return this.#batches.once(name, () => countSales(this.#batches.ctx, collection.id, year));
  }

  async salesCsv(
    collection: Collection,
    year: number,
    method: CostBasis,
    after: string | null,
  ): Promise<SalesCsvPage> {
    const name = keyOf('salesCsv', collection.id, year, method, after);
    this.#batches.charge(name, collection, 'sought');
    return this.#batches.once(name, () => getSalesCsv(this.#batches.ctx, collection.id, year, method, after));
  }

  async movers(collection: Collection, asked: PageOf<MoversAsked>): Promise<Movers> {
    const [what, first] = movesIn(asked);
    const name = keyOf('movers', what, first);
    this.#batches.charge(name, collection, 'moved');
    return this.#batches.load(name, collection.id, (ctx, ids) => getMovers(ctx, ids, what, first));
  }

  async moversOfValued(dashboard: Dashboard, asked: PageOf<MoversAsked>): Promise<Movers> {
    const [what, first] = movesIn(asked);
    const name = keyOf('moversOfValued', what, first);
    this.#batches.charge(name, { id: 'dashboard', ...dashboard }, 'moved');
    return this.#batches.once(name, () => getMoversOfValued(this.#batches.ctx, what, first));
  }

  async marketMovers(asked: PageOf<MoversAsked>): Promise<Movers> {
    const [what, first] = movesIn(asked);
    const name = keyOf('marketMovers', what, first);
    this.#batches.chargeOnce(
      keyOf('charge', name),
      pointsOfReading('market', await this.#batches.variantCount()),
    );
    return this.#batches.once(name, () => getMarketMovers(this.#batches.ctx, what, first));
  }

  async marketIndex(asked: IndexAsked): Promise<IndexPoint[]> {
    const name = keyOf('marketIndex', asked);
    this.#batches.chargeOnce(
      keyOf('charge', name),
      pointsOfReading('indexed', daysInRange(asked.from, asked.to)),
    );
    return this.#batches.once(name, () => getMarketIndex(this.#batches.ctx, asked));
  }

  async allocation(
    collection: Collection,
    by: AllocationKey,
    first: number | null | undefined,
  ): Promise<AllocationPart[]> {
    const name = keyOf('allocation', by, first);
    this.#batches.chargeOnce(keyOf('charge', name), POINTS_OF_ALLOCATION);
    this.#batches.charge(keyOf('allocation', by), collection, 'divided');
    const most = connectionSize({ first });
    return this.#batches.load(name, collection.id, (ctx, ids) => getAllocations(ctx, ids, by, most));
  }

  async allocationOfValued(
    dashboard: Dashboard,
    by: AllocationKey,
    first: number | null | undefined,
  ): Promise<AllocationPart[]> {
    const name = keyOf('allocationOfValued', by, first);
    this.#batches.chargeOnce(keyOf('charge', name), POINTS_OF_ALLOCATION);
    this.#batches.charge(name, { id: 'dashboard', ...dashboard }, 'divided');
    const most = connectionSize({ first });
    return this.#batches.once(name, () => getAllocationOfValued(this.#batches.ctx, by, most));
  }
}

/** What is asked for as a field of GraphQL takes it, with the size of the list. */
type PageOf<T> = { [K in keyof T]?: T[K] | null | undefined } & Pick<MoversAsked, 'period'> & {
    first?: number | null | undefined;
  };

function movesIn({ period, by, direction, first }: PageOf<MoversAsked>): [MoversAsked, number] {
  return [{ period, by: by ?? 'Percentage', direction: direction ?? 'Gain' }, connectionSize({ first })];
}
