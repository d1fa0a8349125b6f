import type { Currency } from '../../domain/currencies.ts';
import { addDays, dateOf, dateOfDay, dayNumber } from '../../domain/dates.ts';
import { notFound } from '../../domain/errors.ts';
import { type Fixed, fixedText } from '../../domain/fixed-point.ts';
import { historyDays, type Interval } from '../../domain/history.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { isValueUnknown } from '../../domain/performance.ts';
import { type DayValue, type RateOn, ValueSeries } from '../../domain/value-series.ts';
import { mappedInParts, type Parts } from '../../lib/parts.ts';
import { sentences } from '../../lib/text.ts';
import { type Context, readInTurns } from '../context.ts';
import {
  type Ledgers,
  readLedgers,
  readValuedLedgers,
  type Valued,
  valueLedgers,
  valuing,
} from './value-series.ts';

/** What a collection was worth at the end of a day, by the transactions up to it. */
export interface ValuePoint {
  /** `YYYY-MM-DD` */
  date: string;
  invested: Money;
  /** At the prices and the exchange rate of that day; variants without a price count as 0. */
  marketValue: Money;
  /** The same, but null where cards are held and none has a known price. */
  knownMarketValue: Money | null;
  profit: Money;
  /** What purchases cost since the point before, or since the first day of the history; as is the next. */
  paidIn: Money;
  /** What sales brought. */
  takenOut: Money;
  /** Variants that are held without a known price that day. */
  unpricedVariants: number;
  /** What the market value leaves out, in plain words; null where that is nothing. */
  warning: string | null;
}

export interface HistoryRange {
  /** `YYYY-MM-DD`, as the last day. */
  from: string;
  to: string;
  interval: Interval;
}

/** The history of each collection. Throws `ValidationFailed`, and `NotFound` of one that was deleted meanwhile. */
export async function getValueHistory(
  ctx: Context,
  collectionIds: readonly string[],
  range: HistoryRange,
): Promise<ValuePoint[][]> {
  const days = historyDays(range.from, range.to, range.interval, dateOf(ctx.now()));
  return valuing(ctx, async () => {
    const ledgers = await readLedgers(ctx, collectionIds, addDays(range.from, -1), range.to);
    return pointsOf(
      ctx,
      collectionIds.map((id) => ledgers.get(id) ?? gone(ctx)),
      days,
      range,
    );
  });
}

/** The history of the sums over the collections that are valued now. Throws `ValidationFailed`. */
export async function getDashboardHistory(ctx: Context, range: HistoryRange): Promise<ValuePoint[]> {
  const days = historyDays(range.from, range.to, range.interval, dateOf(ctx.now()));
  return valuing(ctx, async () => {
    const ledgers = await readValuedLedgers(ctx, addDays(range.from, -1), range.to);
    const [points] = await pointsOf(ctx, [ledgers], days, range);
    return points!;
  });
}

/** Of each of some ledgers. */
async function pointsOf(
  ctx: Context,
  ledgers: readonly Ledgers[],
  days: readonly string[],
  { from }: HistoryRange,
): Promise<ValuePoint[][]> {
  // What was there before the first day is no cash flow of the history.
  const steps = [addDays(from, -1), ...days].map(dayNumber);
  const valued = ledgers.map((ledgers) => ({ ledgers, series: new ValueSeries(steps) }));
  const rateOn = await valueLedgers(ctx, valued);
  return readInTurns(ctx, pointsIn(valued, rateOn));
}

function* pointsIn(valued: readonly Valued[], rateOn: RateOn): Parts<ValuePoint[][]> {
  const points: ValuePoint[][] = [];
  for (const { ledgers, series } of valued) {
    const values = yield* series.values(rateOn);
    points.push(
      yield* mappedInParts(values.slice(1), (value) => shownPoint(value, ledgers.currency as Currency)),
    );
  }
  return points;
}

function shownPoint(value: DayValue, currency: Currency): ValuePoint {
  const { day, unpricedVariants, everUnknown, ...amounts } = value;
  const isUnknown = isValueUnknown(value);
  const money = (exact: Fixed) => derivedMoney(currency, fixedText(exact));
  return {
    date: dateOfDay(day),
    invested: money(amounts.invested),
    marketValue: money(amounts.marketValue),
    knownMarketValue: isUnknown ? null : money(amounts.marketValue),
    profit: money(amounts.profit),
    paidIn: money(amounts.paidIn),
    takenOut: money(amounts.takenOut),
    unpricedVariants,
    warning: warningOf(unpricedVariants, isUnknown, everUnknown),
  };
}

function warningOf(unpricedVariants: number, isUnknown: boolean, everUnknown: number): string | null {
  return sentences([unpricedWarning(unpricedVariants, isUnknown), boughtAtUnknownCost(everUnknown)]);
}

/** Of cards that came in. */
export function boughtAtUnknownCost(cards: number): string | null {
  if (cards === 0) return null;
  const [were, count] = cards === 1 ? ['1 card was', 'counts'] : [`${cards} cards were`, 'count'];
  return `${were} bought at a cost that is not known, and ${count} as 0 in what was paid.`;
}

function unpricedWarning(unpricedVariants: number, isUnknown: boolean): string | null {
  if (unpricedVariants === 0) return null;
  if (isUnknown) return 'No market price is known of the cards that were held.';
  const [variants, count] = unpricedVariants === 1 ? ['variant', 'counts'] : ['variants', 'count'];
  return `${unpricedVariants} ${variants} held without a known market price ${count} as 0.`;
}

/** Of a collection that was deleted since it was read. */
export function gone({ seen }: Context): never {
  if (seen) seen.isTorn = true;
  throw notFound('collection');
}
