import type { Currency } from '../../domain/currencies.ts';
import { dateOf, dateOfDay, dayNumber } from '../../domain/dates.ts';
import { type Fixed, fixedText } from '../../domain/fixed-point.ts';
import { historyDays } from '../../domain/history.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { pricesOnDays } from '../../domain/past-prices.ts';
import type { PriceYear } from '../../domain/price-changes.ts';
import type { Parts } from '../../lib/parts.ts';
import type { HistoryRange } from '../collections/history.ts';
import { type Context, readInTurns } from '../context.ts';
import { changesOf, PRICES_AT_ONCE, readPrices, readRates } from '../past-prices.ts';

/** What a variant cost at the end of a day. */
export interface PricePoint {
  /** `YYYY-MM-DD` */
  date: string;
  /** Null where none was known. */
  price: Money | null;
}

/** The market prices of each variant over time, at the exchange rates of the days. Throws `ValidationFailed`. */
export async function getPriceHistories(
  ctx: Context,
  variantIds: readonly string[],
  { from, to, interval }: HistoryRange,
  currency: Currency,
  priceSource: PriceSource,
): Promise<PricePoint[][]> {
  const days = historyDays(from, to, interval, dateOf(ctx.now())).map(dayNumber);
  const histories: PricePoint[][] = [];
  for (let start = 0; start < variantIds.length; start += PRICES_AT_ONCE) {
    const some = variantIds.slice(start, start + PRICES_AT_ONCE);
    const years = await readPrices(ctx, some, priceSource, [from, to]);
    const rateOn = await readRates(ctx, currenciesOf(years), currency, [from, to]);
    const point = (price: Fixed | null, i: number): PricePoint => ({
      date: dateOfDay(days[i]!),
      price: price === null ? null : derivedMoney(currency, fixedText(price)),
    });
    const prices = changesOf(some, years);
    await readInTurns(ctx, addHistories());

    function* addHistories(): Parts<void> {
      for (const [, changes] of prices) {
        histories.push(pricesOnDays(changes, days, rateOn).map(point));
        yield;
      }
    }
  }
  return histories;
}

function currenciesOf(years: readonly PriceYear[]): Set<string> {
  return new Set(years.flatMap(({ currencies }) => currencies.match(/[A-Z]{3}/g) ?? []));
}
