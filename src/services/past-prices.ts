import { hasPrices, PRICES_OF_DAYS, type PriceYearRow } from '../db/queries/prices.ts';
import { RATES_OF_DAYS } from '../db/queries/rates.ts';
import { DayRates, type RateOfDay } from '../domain/day-rates.ts';
import { PriceChanges, type PriceYear } from '../domain/price-changes.ts';
import type { RateOn } from '../domain/value-series.ts';
import { type Context, observed } from './context.ts';

/** Variants whose prices are read together: three years of them are some 2 MB at most. */
export const PRICES_AT_ONCE = 100;

type Range = readonly [from: string, to: string];

/** The prices that count on the days of a range: rows in the order of the variants, and of the years. */
export async function readPrices(
  ctx: Context,
  variantIds: readonly string[],
  source: string,
  range: Range,
): Promise<PriceYear[]> {
  const params = [JSON.stringify(variantIds), source, ...range];
  return observed(ctx, await ctx.db.query<PriceYearRow>(PRICES_OF_DAYS, params)).filter(hasPrices);
}

/** The changes of each variant's price, of rows as they are read: one object, which is overwritten by the next. */
export function* changesOf(
  variantIds: readonly string[],
  years: readonly PriceYear[],
): Generator<[variantId: string, prices: PriceChanges]> {
  const prices = new PriceChanges();
  let row = 0;
  for (const variantId of variantIds) {
    prices.clear();
    for (; years[row]?.variantId === variantId; row++) prices.add(years[row]!);
    yield [variantId, prices];
  }
}

/** The rates of days from currencies to another. */
export async function readRates(
  ctx: Context,
  from: ReadonlySet<string>,
  to: string,
  range: Range,
): Promise<RateOn> {
  const others = [...from].filter((currency) => currency !== to);
  if (others.length === 0) return (currency, day) => NO_RATES.rate(currency, to, day);
  const params = [JSON.stringify([...others, to]), ...range];
  const rows = await ctx.db.query<RateOfDay & { marketRevision: number }>(RATES_OF_DAYS, params);
  // Their currencies are not the one that amounts are told in.
  observed(
    ctx,
    rows.map(({ marketRevision }) => ({ marketRevision })),
  );
  const rates = new DayRates(rows);
  return (currency, day) => rates.rate(currency, to, day);
}

const NO_RATES = new DayRates([]);
