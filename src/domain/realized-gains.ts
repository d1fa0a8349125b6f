import { countedInParts, PART, type Parts } from '../lib/parts.ts';
import {
  amountOf,
  type CostBasis,
  type LedgerEntry,
  NOTHING_SOLD,
  OpenLots,
  RunningCost,
  type SoldCost,
  shareOf,
  type TakenCards,
} from './cost-basis.ts';
import { yearOf } from './dates.ts';

/** What sales brought, and of which purchases their cards were (docs/decisions.md#realised-gains). */

export interface RealizedSale<Entry extends LedgerEntry = LedgerEntry> {
  sale: Entry;
  /** What its cards had cost. */
  cost: bigint;
  /** The cards of each purchase, first in first out, and what they had cost by the method. */
  lots: SoldLot<Entry>[];
  /** Cards that were sold beyond what was held. */
  uncovered: number;
  /** Cards whose cost is not known, or in part. */
  unknownCost: number;
}

export interface SoldLot<Entry extends LedgerEntry = LedgerEntry> {
  purchase: Entry;
  /** Cards of the sale that are of earlier lots. */
  before: number;
  quantity: number;
  cost: bigint;
}

/**
 * Those of the sales that are wanted. The entries are those of one variant in their order, from the first on: by the average
 * their cost is that of all purchases among them.
 */
export function* salesAmong<Entry extends LedgerEntry>(
  basis: CostBasis,
  entries: readonly Entry[],
  isWanted: (sale: Entry) => boolean,
): Parts<RealizedSale<Entry>[]> {
  const lots = new OpenLots<Entry>();
  const costOf = basis === 'Average' ? yield* averageCost(entries) : runningCost(basis);
  const sales: RealizedSale<Entry>[] = [];
  for (const [i, entry] of entries.entries()) {
    const sold = costOf(entry);
    if (entry.action === 'Purchase') lots.add(entry);
    else {
      const taken = lots.take(entry.quantity);
      if (isWanted(entry)) sales.push(yield* saleOf(basis, entry, sold, taken));
    }
    if ((i + 1) % PART === 0) yield;
  }
  return sales;
}

function runningCost(basis: Exclude<CostBasis, 'Average'>): (entry: LedgerEntry) => SoldCost {
  const running = new RunningCost(basis);
  return (entry) => running.record(entry);
}

function* averageCost(entries: readonly LedgerEntry[]): Parts<(entry: LedgerEntry) => SoldCost> {
  let bought = 0;
  let cost = 0n;
  let isUnknown = false;
  yield* countedInParts(entries.length, (i) => {
    const entry = entries[i]!;
    if (entry.action !== 'Purchase') return;
    bought += entry.quantity;
    cost += amountOf(entry);
    isUnknown ||= entry.isCostUnknown;
  });
  return ({ action, quantity }) =>
    action === 'Purchase' || bought === 0
      ? NOTHING_SOLD
      : { cost: shareOf(cost, quantity, bought), unknown: isUnknown ? quantity : 0 };
}

/** A sale can be of as many purchases as there are. */
function* saleOf<Entry extends LedgerEntry>(
  basis: CostBasis,
  sale: Entry,
  { cost, unknown }: SoldCost,
  taken: readonly TakenCards<Entry>[],
): Parts<RealizedSale<Entry>> {
  const covered = taken.reduce((sum, { quantity }) => sum + quantity, 0);
  let before = 0;
  // By the average each card of the sale has the same cost; else that of cards which were not held is 0.
  const shared = basis === 'Average' ? sale.quantity : covered;
  const lots: SoldLot<Entry>[] = [];
  for (const [i, { lot, quantity, cost: ownCost }] of taken.entries()) {
    const ofLot = basis === 'Fifo' ? ownCost : shareOf(cost, quantity, shared);
    lots.push({ purchase: lot.purchase, before, quantity, cost: ofLot });
    before += quantity;
    if ((i + 1) % PART === 0) yield;
  }
  return { sale, cost, lots, uncovered: sale.quantity - covered, unknownCost: unknown };
}

/** What the sales of each year brought, of one variant by a method that depends on the order. */
export interface YearOfSales {
  sold: number;
  proceeds: bigint;
  cost: bigint;
  unknown: number;
}

/** Adds the sales of one variant to those of each year. */
export function* addSalesByYear(
  years: Map<number, YearOfSales>,
  basis: Exclude<CostBasis, 'Average'>,
  entries: readonly LedgerEntry[],
): Parts<void> {
  const costOf = runningCost(basis);
  yield* countedInParts(entries.length, (i) => {
    const entry = entries[i]!;
    const { cost, unknown } = costOf(entry);
    if (entry.action === 'Purchase') return;
    const year = yearOf(entry.occurred);
    const sums = years.get(year) ?? { sold: 0, proceeds: 0n, cost: 0n, unknown: 0 };
    sums.sold += entry.quantity;
    sums.proceeds += amountOf(entry);
    sums.cost += cost;
    sums.unknown += unknown;
    years.set(year, sums);
  });
}
