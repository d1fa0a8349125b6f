import { addDays } from '../../domain/dates.ts';
import { isEqual } from '../../domain/money.ts';

/** A price from a day on, until the next step. */
export interface PriceStep {
  day: string;
  currency: string;
  amount: string | null;
}

export function isSamePrice(a: PriceStep | undefined, b: PriceStep | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.currency !== b.currency) return false;
  return a.amount === null || b.amount === null ? a.amount === b.amount : isEqual(a.amount, b.amount);
}

/**
 * The steps of the days from the first of `fresh` to `last`, and where it is needed of the day after: there the price
 * goes on as it was, when it is known for that day. So the days that `fresh` covers get its prices, and all others keep
 * theirs.
 * @param old from the last step before those days to the day after them, ascending
 * @param fresh ascending, at least one
 * @param knownThrough the last day for which the old prices are known, or null
 */
export function replacedSteps(
  old: readonly PriceStep[],
  fresh: readonly PriceStep[],
  last: string,
  knownThrough: string | null,
): PriceStep[] {
  const first = fresh[0]!.day;
  const steps: PriceStep[] = [];
  let current = old.findLast(({ day }) => day < first);
  for (const step of fresh) {
    if (!isSamePrice(step, current)) steps.push(step);
    current = step;
  }
  const after = addDays(last, 1);
  const wasAfter = old.findLast(({ day }) => day <= after);
  const goesOn =
    wasAfter !== undefined && wasAfter.day !== after && knownThrough !== null && after <= knownThrough;
  if (goesOn && !isSamePrice(wasAfter, current)) steps.push({ ...wasAfter, day: after });
  return steps;
}
