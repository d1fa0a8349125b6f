import DataLoader from 'dataloader';
import { daysInRange } from '../../domain/history.ts';
import { pointsOfReading, type ReadOf } from '../../domain/read-points.ts';
import type { BranchTurns } from '../../lib/in-turns.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import { catalogueAtHand } from '../../memory/memory.ts';
import type { Collection } from '../collections/model.ts';
import type { DateRange } from '../collections/performance.ts';
import type { Context } from '../context.ts';
import { countVariants } from '../products/get.ts';

/** What is charged for by its size. */
export type Ledger = Pick<Collection, 'id' | 'transactionCount'>;

export type Load<V> = (ctx: Context, ids: readonly string[]) => Promise<V[]>;

/** What is asked for in one answer: once each, those of one tick together, and charged for by the size of what is read. */
export class Batches {
  /** One and the same for the whole answer; null where it is not at hand, and the database is asked. */
  readonly catalogue: Catalogue | null;
  readonly ctx: Context;
  readonly #options: { batchScheduleFn: BranchTurns['whenAllHaveAsked'] } | undefined;
  readonly #made = new Map<string, unknown>();

  /** @param turns those in which what is loaded is asked for, if it is asked for by several */
  constructor(ctx: Context, turns?: BranchTurns) {
    this.#options = turns && { batchScheduleFn: turns.whenAllHaveAsked };
    // One of its own: what verbs keep for an answer ends with these.
    this.ctx = { ...ctx, charge: (points) => ctx.charge?.(points) };
    this.catalogue = catalogueAtHand(ctx);
  }

  /** A batch has no size limit, since the cost of an operation bounds it: one statement, however many items. */
  load<V>(name: string, id: string, load: Load<V>): Promise<V> {
    return this.once(name, () => new DataLoader<string, V>((ids) => load(this.ctx, ids), this.#options)).load(
      id,
    );
  }

  once<T>(name: string, make: () => T): T {
    let made = this.#made.get(name) as T | undefined;
    if (made === undefined) {
      made = make();
      this.#made.set(name, made);
    }
    return made;
  }

  variantCount(): Promise<number> {
    return this.once('variantCount', () => countVariants(this.ctx));
  }

  /** Once for each collection, before what is named so is read of it. */
  charge(name: string, { id, transactionCount }: Ledger, what: ReadOf): void {
    const rows = OF_HOLDINGS.has(what) ? this.mostHoldings(transactionCount) : transactionCount;
    this.chargeOnce(keyOf('charge', name, id), pointsOfReading(what, rows));
  }

  /** For its transactions, and for the prices of what it holds on the days of the range. */
  chargeValues(name: string, ledger: Ledger, { from, to }: DateRange): void {
    const priceDays = this.mostHoldings(ledger.transactionCount) * daysInRange(from, to);
    const points = pointsOfReading('days', ledger.transactionCount) + pointsOfReading('prices', priceDays);
    this.chargeOnce(keyOf('charge', name, ledger.id), points);
  }

  chargeOnce(key: string, points: number): void {
    if (this.#made.has(key)) return;
    // Where that is too much, it is so for whoever asks for the same.
    this.ctx.charge?.(points);
    this.#made.set(key, true);
  }

  /** There are no more than transactions, nor than variants. */
  mostHoldings(transactionCount: number): number {
    return Math.min(transactionCount, this.catalogue?.parts.names.variantCount ?? Infinity);
  }
}

/** What is read of holdings, not of transactions. */
const OF_HOLDINGS: ReadonlySet<ReadOf> = new Set(['holdings', 'searched', 'sorted', 'moved', 'divided']);

/** Only look-ups with the same arguments share a statement. */
export function keyOf(name: string, ...args: unknown[]): string {
  return `${name} ${JSON.stringify(args)}`;
}
