import { addDays } from '../../domain/dates.ts';
import { isEqual } from '../../domain/money.ts';
import type { Written } from './batches.ts';

/** A price from a day on, until the next step. */
export interface PriceStep {
  day: string;
  currency: string;
  amount: string | null;
}

function isSamePrice(a: PriceStep | undefined, b: PriceStep | undefined): boolean {
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

/** Prices of the days from `first` to `last`. */
export interface FreshPrices {
  /** Ascending, at least one. */
  steps: PriceStep[];
  first: string;
  last: string;
}

/**
 * All steps of a variant after those of the fresh days are replaced, ascending, and what that changes.
 * @param old as `replacedSteps` has it; what it has besides stays
 */
export function mergedSteps(
  old: readonly PriceStep[],
  { steps, first, last }: FreshPrices,
  knownThrough: string | null,
): { steps: PriceStep[]; written: Written } {
  const isKept = ({ day }: PriceStep) => day < first || day > last;
  const before = new Map(old.filter((step) => !isKept(step)).map((step) => [step.day, step]));
  const replaced = replacedSteps(old, steps, last, knownThrough);
  const unchanged = replaced.filter((step) => isSamePrice(step, before.get(step.day))).length;
  const added = replaced.filter(({ day }) => !before.has(day)).length;
  return {
    steps: [...old.filter(isKept), ...replaced].sort((a, b) => (a.day < b.day ? -1 : 1)),
    // What is not the same any more has become another, or is gone.
    written: { added, changed: before.size - unchanged, unchanged },
  };
}
