import type { Currency } from '../../domain/currencies.ts';
import { addDays, dateOf, dateOfDay, dayNumber } from '../../domain/dates.ts';
import { type Fixed, fixedText } from '../../domain/fixed-point.ts';
import { checkDateRange } from '../../domain/history.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { performanceOf, type Return } from '../../domain/performance.ts';
import { type RateOn, ValueSeries } from '../../domain/value-series.ts';
import { countedInParts, type Parts } from '../../lib/parts.ts';
import { sentences } from '../../lib/text.ts';
import { type Context, readInTurns } from '../context.ts';
import { boughtAtUnknownCost, gone } from './history.ts';
import {
  type Ledgers,
  readLedgers,
  readValuedLedgers,
  type Valued,
  valueLedgers,
  valuing,
} from './value-series.ts';

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
  return valuing(ctx, async () => {
    const ledgers = await readLedgers(ctx, collectionIds, addDays(range.from, -1), range.to);
    return performances(
      ctx,
      collectionIds.map((id) => ledgers.get(id) ?? gone(ctx)),
      range,
    );
  });
}

/** Of the collections that are valued now, as one. Throws `ValidationFailed`. */
export async function getDashboardPerformance(ctx: Context, range: DateRange): Promise<PerformanceOfRange> {
  checkDateRange(range.from, range.to, dateOf(ctx.now()));
  return valuing(ctx, async () => {
    const ledgers = await readValuedLedgers(ctx, addDays(range.from, -1), range.to);
    const [performance] = await performances(ctx, [ledgers], range);
    return performance!;
  });
}

async function performances(
  ctx: Context,
  ledgers: readonly Ledgers[],
  range: DateRange,
): Promise<PerformanceOfRange[]> {
  const valued = await readInTurns(ctx, seriesOf(ledgers, range));
  const rateOn = await valueLedgers(ctx, valued);
  return readInTurns(ctx, performancesIn(valued, rateOn, range));
}

function* seriesOf(all: readonly Ledgers[], range: DateRange): Parts<Valued[]> {
  const valued: Valued[] = [];
  for (const ledgers of all)
    valued.push({ ledgers, series: new ValueSeries(yield* daysToValue(ledgers, range)) });
  return valued;
}

function* performancesIn(
  valued: readonly Valued[],
  rateOn: RateOn,
  range: DateRange,
): Parts<PerformanceOfRange[]> {
  const performances: PerformanceOfRange[] = [];
  for (const { ledgers, series } of valued) {
    const shown = yield* shownPerformance(series, rateOn, ledgers.currency as Currency);
    performances.push({ ...range, ...shown });
    yield;
  }
  return performances;
}

function* shownPerformance(
  series: ValueSeries,
  rateOn: RateOn,
  currency: Currency,
): Parts<Omit<PerformanceOfRange, keyof DateRange>> {
  const values = yield* series.values(rateOn);
  const { timeWeightedReturn, internalRateOfReturn, boughtUnknown, ...amounts } =
    yield* performanceOf(values);
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
function* daysToValue({ variants }: Ledgers, { from, to }: DateRange): Parts<number[]> {
  const opening = dayNumber(from) - 1;
  const days = new Set([opening, dayNumber(to)]);
  for (const { days: recorded } of variants) {
    yield* countedInParts(recorded.length, (i) => {
      const { day } = recorded[i]!;
      if (day > opening) days.add(day - 1).add(day);
    });
  }
  return [...Int32Array.from(days).sort()];
}

function warningOf(boughtUnknown: number, variants: number, until: string | null): string | null {
  const what = variants === 1 ? '1 variant was' : `${variants} variants were`;
  const unpriced =
    until === null
      ? null
      : `${what} held without a known price, on days up to ${until}, and counted as 0 there.`;
  return sentences([unpriced, boughtAtUnknownCost(boughtUnknown)]);
}
