import { mappedInParts, PART, type Parts } from '../lib/parts.ts';
import { type Fixed, fixedText, ONE, roundedQuotient, roundedTo } from './fixed-point.ts';
import { type CashFlow, internalRate } from './internal-rate.ts';
import type { DayValue } from './value-series.ts';

/** Why a return is not defined. */
export const UNDEFINED_RETURNS = [
  'NothingHeld',
  'NoPrice',
  'UnknownCost',
  'NothingPaidIn',
  'NoOppositeFlows',
  'NoRate',
] as const;
export type UndefinedReturn = (typeof UNDEFINED_RETURNS)[number];

/** `value` is 0.25 for a quarter more; either it or the reason is null. */
export interface Return {
  value: number | null;
  reason: UndefinedReturn | null;
}

/** Of the days from the first of some values, of which only the end counts, to the last. Exact amounts. */
export interface Performance {
  startValue: Fixed;
  endValue: Fixed;
  paidIn: Fixed;
  takenOut: Fixed;
  /** endValue + takenOut − startValue − paidIn. */
  gain: Fixed;
  /** Cards that came in at a cost that is not known, and counts as 0. */
  boughtUnknown: number;
  timeWeightedReturn: Return;
  internalRateOfReturn: Return;
}

const RETURN_DECIMALS = 10;
/** Twice as many decimals: a product of quotients that ought to end is rounded to what it ought to be before it is rounded on. */
const GROWTH_ONE = ONE * ONE;

/**
 * @param values at the end of the day before the first of the period, of each day on which something was paid in or taken out
 * and the day before it, and of the last day
 */
export function* performanceOf(values: readonly DayValue[]): Parts<Performance> {
  const startValue = values[0]!.marketValue;
  const endValue = values.at(-1)!.marketValue;
  const sum = (of: (value: DayValue) => Fixed) => values.reduce((total, value) => total + of(value), 0n);
  const paidIn = sum((value) => value.paidIn);
  const takenOut = sum((value) => value.takenOut);
  return {
    startValue,
    endValue,
    paidIn,
    takenOut,
    gain: endValue + takenOut - startValue - paidIn,
    boughtUnknown: values.reduce((cards, value) => cards + value.boughtUnknown, 0),
    timeWeightedReturn: yield* timeWeightedReturn(values),
    internalRateOfReturn: yield* internalRateOfReturn(values),
  };
}

/**
 * The true time-weighted return: each day with flows ends a period, and the returns of all periods are multiplied. What is paid in
 * counts from the start of its day and what is taken out to its end, so that a day's return is (value at its end + taken out)
 * ÷ (value at the end of the day before + paid in): the first purchases have a return too.
 */
function* timeWeightedReturn(values: readonly DayValue[]): Parts<Return> {
  if (values.some(isCostUnknown)) return undefinedFor('UnknownCost');
  if (values.some(isValueUnknown)) return undefinedFor('NoPrice');
  let growth = GROWTH_ONE;
  let isInvested = false;
  for (let i = 1; i < values.length; i++) {
    if (i % PART === 0) yield;
    const { marketValue, paidIn, takenOut } = values[i]!;
    const before = values[i - 1]!.marketValue + paidIn;
    const after = marketValue + takenOut;
    if (before === 0n && after === 0n) continue;
    if (before === 0n) return undefinedFor('NothingPaidIn');
    growth = roundedQuotient(growth * after, before);
    isInvested = true;
  }
  return isInvested ? defined(Number(roundedReturn(growth))) : undefinedFor('NothingHeld');
}

/** What was paid for what came in is not known. */
const isCostUnknown = ({ boughtUnknown }: DayValue) => boughtUnknown > 0;

/** Cards are held, and none has a known price. */
export function isValueUnknown({ marketValue, unpricedVariants }: DayValue): boolean {
  return marketValue === 0n && unpricedVariants > 0;
}

/** By what was paid in and taken out, the start value as if it was paid in, and the end value as if it was taken out. */
function* internalRateOfReturn(values: readonly DayValue[]): Parts<Return> {
  const [first, last] = [values[0]!, values.at(-1)!];
  if (values.some(isCostUnknown)) return undefinedFor('UnknownCost');
  if (isValueUnknown(first) || isValueUnknown(last)) return undefinedFor('NoPrice');
  const flows = yield* mappedInParts(values, (value): CashFlow => {
    const start = value === first ? value.marketValue : 0n;
    const end = value === last ? value.marketValue : 0n;
    return { day: value.day, amount: Number(fixedText(value.takenOut + end - value.paidIn - start)) };
  });
  if (flows.every(({ amount }) => amount === 0)) return undefinedFor('NothingHeld');
  if (!flows.some(({ amount }) => amount > 0) || !flows.some(({ amount }) => amount < 0))
    return undefinedFor('NoOppositeFlows');
  const rate = yield* internalRate(flows);
  return rate === null ? undefinedFor('NoRate') : defined(roundedRate(rate));
}

function roundedReturn(growth: bigint): string {
  const exact = roundedQuotient(growth - GROWTH_ONE, ONE);
  return fixedText(roundedTo(exact, RETURN_DECIMALS));
}

/** A rate that is so large that a double has fewer decimals stays as it is. */
function roundedRate(rate: number): number {
  const rounded = Number(rate.toFixed(RETURN_DECIMALS));
  return rounded === 0 ? 0 : rounded;
}

const defined = (value: number): Return => ({ value, reason: null });
const undefinedFor = (reason: UndefinedReturn): Return => ({ value: null, reason });
