import type { Currency } from '../../domain/currencies.ts';
import { addDays, dateOf, dateOfDay, dayNumber } from '../../domain/dates.ts';
import { type Fixed, fixedText } from '../../domain/fixed-point.ts';
import { checkDateRange } from '../../domain/history.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { performanceOf, type Return } from '../../domain/performance.ts';
import { type RateOn, ValueSeries } from '../../domain/value-series.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedOneByOne } from '../../lib/parts.ts';
import { sentences } from '../../lib/text.ts';
import type { Context } from '../context.ts';
import { boughtAtUnknownCost, gone } from './history.ts';
import { type Ledgers, readLedgers, readValuedLedgers, valueLedgers } from './value-series.ts';

/** How a collection, or the valued ones together, did from the start of a day to the end of another (docs/money.md#performance). */
export interface PerformanceOfRange {
  from: string;
  to: string;
  /** At the end of the day before the first. */
  startValue: Money;
  endValue: Money;
  paidIn: Money;
  takenOut: Money;
  /** endValue + takenOut − startValue − paidIn; null where it is not known what came in had cost. */
  gain: Money | null;
  timeWeightedReturn: Return;
  internalRateOfReturn: Return;
  /** Variants that were held without a known price on any of the days, once for each collection. */
  unpricedVariants: number;
  /** The last of those days; null where there is none. */
  unpricedUntil: string | null;
  warning: string | null;
}

export interface DateRange {
  /** `YYYY-MM-DD`, as the last day. */
  from: string;
  to: string;
}

/** Of each collection. Throws `ValidationFailed`, and `NotFound` of one that was deleted meanwhile. */
export async function getPerformances(
  ctx: Context,
  collectionIds: readonly string[],
  range: DateRange,
): Promise<PerformanceOfRange[]> {
  checkDateRange(range.from, range.to, dateOf(ctx.now()));
  const ledgers = await readLedgers(ctx, collectionIds, addDays(range.from, -1), range.to);
  return performances(
    ctx,
    collectionIds.map((id) => ledgers.get(id) ?? gone(ctx)),
    range,
  );
}

/** Of the collections that are valued now, as one. Throws `ValidationFailed`. */
export async function getDashboardPerformance(ctx: Context, range: DateRange): Promise<PerformanceOfRange> {
  checkDateRange(range.from, range.to, dateOf(ctx.now()));
  const [performance] = await performances(
    ctx,
    [await readValuedLedgers(ctx, addDays(range.from, -1), range.to)],
    range,
  );
  return performance!;
}

async function performances(
  ctx: Context,
  ledgers: readonly Ledgers[],
  range: DateRange,
): Promise<PerformanceOfRange[]> {
  const valued = ledgers.map((ledgers) => ({
    ledgers,
    series: new ValueSeries(daysToValue(ledgers, range)),
  }));
  const rateOn = await valueLedgers(ctx, valued);
  const summedUp = mappedOneByOne(valued, ({ ledgers, series }) => ({
    ...range,
    ...shownPerformance(series, rateOn, ledgers.currency as Currency),
  }));
  return inTurns(summedUp, ctx.work);
}

function shownPerformance(
  series: ValueSeries,
  rateOn: RateOn,
  currency: Currency,
): Omit<PerformanceOfRange, keyof DateRange> {
  const { timeWeightedReturn, internalRateOfReturn, boughtUnknown, ...amounts } = performanceOf(
    series.values(rateOn),
  );
  const money = (exact: Fixed) => derivedMoney(currency, fixedText(exact));
  const { unpricedVariants } = series;
  const unpricedUntil = series.unpricedUntil === null ? null : dateOfDay(series.unpricedUntil);
  return {
    startValue: money(amounts.startValue),
    endValue: money(amounts.endValue),
    paidIn: money(amounts.paidIn),
    takenOut: money(amounts.takenOut),
    gain: boughtUnknown > 0 ? null : money(amounts.gain),
    timeWeightedReturn,
    internalRateOfReturn,
    unpricedVariants,
    unpricedUntil,
    warning: warningOf(boughtUnknown, unpricedVariants, unpricedUntil),
  };
}

/** Days with cash flows, each with the day before it, and the ends of the range. */
function daysToValue({ variants }: Ledgers, { from, to }: DateRange): number[] {
  const opening = dayNumber(from) - 1;
  const days = new Set([opening, dayNumber(to)]);
  for (const { days: recorded } of variants) {
    for (const { day } of recorded) if (day > opening) days.add(day - 1).add(day);
  }
  return [...days].sort((a, b) => a - b);
}

function warningOf(boughtUnknown: number, variants: number, until: string | null): string | null {
  const what = variants === 1 ? '1 variant was' : `${variants} variants were`;
  const unpriced =
    until === null
      ? null
      : `${what} held without a known price, on days up to ${until}, and counted as 0 there.`;
  return sentences([unpriced, boughtAtUnknownCost(boughtUnknown)]);
}
