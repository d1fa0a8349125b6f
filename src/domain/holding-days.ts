import { mappedInParts, type Parts } from '../lib/parts.ts';
import { type Fixed, roundedQuotient } from './fixed-point.ts';
import type { HoldingDay } from './value-series.ts';

/** What was recorded of a variant in a collection on a day, or up to it. */
export interface LedgerDay {
  /** Since 1970-01-01. */
  day: number;
  bought: number;
  cost: Fixed;
  /** Of those bought, cards whose cost is not known. */
  boughtUnknown: number;
  sold: number;
  proceeds: Fixed;
  /** What the sales took of the cost, by a cost basis that depends on the order; undefined by the average. */
  relieved?: Fixed | undefined;
}

/** What is held after each of the days, which are in their order: by the average, at that of all purchases up to it. */
export function* holdingDays(days: readonly LedgerDay[]): Parts<HoldingDay[]> {
  const isAverage = days[0]?.relieved === undefined;
  let [bought, cost, sold, proceeds, relieved] = [0, 0n, 0, 0n, 0n];
  return yield* mappedInParts(days, (of) => {
    bought += of.bought;
    cost += of.cost;
    sold += of.sold;
    proceeds += of.proceeds;
    relieved += of.relieved ?? 0n;
    const costOf = (quantity: number) =>
      bought === 0 ? 0n : roundedQuotient(cost * BigInt(quantity), BigInt(bought));
    const quantity = Math.max(bought - sold, 0);
    return {
      day: of.day,
      paidIn: of.cost,
      boughtUnknown: of.boughtUnknown,
      takenOut: of.proceeds,
      quantity,
      invested: isAverage ? costOf(quantity) : cost - relieved,
      profit: proceeds - (isAverage ? costOf(sold) : relieved),
    };
  });
}
