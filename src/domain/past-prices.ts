import { type Fixed, fixed, times } from './fixed-point.ts';
import { type PriceChanges, UNKNOWN } from './price-changes.ts';
import type { RateOn } from './value-series.ts';

/**
 * The price at the end of each of some days (since 1970-01-01, ascending), at the rate of the day: the last one that was
 * known; null before the first, from the day on which none is known any more, and where its currency has no rate.
 */
export function pricesOnDays(
  prices: PriceChanges,
  days: readonly number[],
  rateOn: RateOn,
): (Fixed | null)[] {
  let next = 0;
  return days.map((day) => {
    while (next < prices.count && prices.days[next]! <= day) next++;
    if (next === 0 || prices.units[next - 1] === UNKNOWN) return null;
    const rate = rateOn(prices.currency(next - 1), day);
    return rate === undefined ? null : times(fixed(prices.exact(next - 1)), rate);
  });
}
