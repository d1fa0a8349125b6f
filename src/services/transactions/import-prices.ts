import type { Currency } from '../../domain/currencies.ts';
import { dayNumber } from '../../domain/dates.ts';
import type { CreateTransactionInput, MoneyInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { quotient } from '../../domain/money.ts';
import { type PriceChanges, UNKNOWN } from '../../domain/price-changes.ts';
import { firstPlace, groupBy } from '../../lib/lists.ts';
import { readPreferences } from '../accounts/preferences.ts';
import type { Context } from '../context.ts';
import { changesOf, PRICES_AT_ONCE, readPrices } from '../past-prices.ts';

export const NO_PRICE = 'no price of the card is known on that day: fill in what was paid, or skip the row';

/**
 * What each card was worth on its day, in the currency of its price; null where no price is known. Takes a statement for
 * each hundred variants.
 */
export async function pricesOfDays(
  ctx: Context,
  entries: readonly Pick<CreateTransactionInput, 'variantId' | 'occurredDate'>[],
): Promise<(MoneyInput | null)[]> {
  if (entries.length === 0) return [];
  const { preferredPriceSource } = await readPreferences(ctx);
  const days = entries.map(({ occurredDate }) => occurredDate).sort();
  const places = groupBy(entries.keys(), (i) => entries[i]!.variantId);
  const variantIds = [...places.keys()];
  const found: (MoneyInput | null)[] = entries.map(() => null);
  for (let at = 0; at < variantIds.length; at += PRICES_AT_ONCE) {
    const part = variantIds.slice(at, at + PRICES_AT_ONCE);
    const years = await readPrices(ctx, part, preferredPriceSource, [days[0]!, days.at(-1)!]);
    for (const [variantId, prices] of changesOf(part, years))
      for (const i of places.get(variantId)!) found[i] = priceOn(prices, entries[i]!.occurredDate);
  }
  return found;
}

function priceOn(prices: PriceChanges, date: string): MoneyInput | null {
  const day = dayNumber(date);
  // By halves, as ten thousand rows may be of a card that changed each day.
  const change = firstPlace(prices.count, (place) => prices.days[place]! > day) - 1;
  if (change < 0 || prices.units[change] === UNKNOWN) return null;
  const value = Number(quotient(prices.exact(change), '1', LIMITS.unitAmountDecimals));
  return { currency: prices.currency(change) as Currency, value };
}
