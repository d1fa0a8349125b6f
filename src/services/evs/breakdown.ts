import { EV_BREAKDOWNS, type EvRow } from '../../db/queries/evs.ts';
import type { EvCategoryRow } from '../../db/tables/catalogue.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { Currency } from '../../domain/currencies.ts';
import { DomainError } from '../../domain/errors.ts';
import type { EvDistribution as StoredDistribution } from '../../domain/ev-distribution.ts';
import { parseProductEvId, productEvId } from '../../domain/ids.ts';
import { decimalOf, derivedMoney, type Money, product } from '../../domain/money.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { type Context, observed } from '../context.ts';
import { type EvBreakdown, type EvDistribution, productEvOf } from './model.ts';

/** Throws `NotFound` where there is no such pair of set and product. */
export async function getEvBreakdown(
  ctx: Context,
  setType: string,
  productType: ProductType,
): Promise<EvBreakdown> {
  const [breakdown] = await getEvBreakdowns(ctx, [productEvId(setType, productType)]);
  if (breakdown) return breakdown;
  throw new DomainError(
    'NotFound',
    `There is no ${productType} of the given set type; the list of product EVs shows those that there are.`,
  );
}

/** The breakdowns in the order of the ids of the product EVs, with null where there is none. */
export async function getEvBreakdowns(ctx: Context, ids: readonly string[]): Promise<(EvBreakdown | null)[]> {
  const { preferredCurrency: currency } = await getPreferences(ctx);
  const keys = ids.map(parseProductEvId).filter((key) => key !== null);
  type Row = EvRow & { categories: EvCategoryRow[]; distribution: StoredDistribution | null; rate: string };
  const rows =
    keys.length === 0 ? [] : await ctx.db.hot<Row>(EV_BREAKDOWNS, [currency, JSON.stringify(keys)]);
  const breakdowns = observed(ctx, rows).map(({ categories, distribution, rate, ...ev }) => ({
    ...productEvOf(ev, currency),
    categories: categories.map((category) => inCurrency(category, currency, rate)),
    distribution: distribution && distributionInCurrency(distribution, currency, rate),
  }));
  const byId = new Map(breakdowns.map((breakdown) => [breakdown.id, breakdown]));
  return ids.map((id) => byId.get(id) ?? null);
}

function inCurrency(category: EvCategoryRow, currency: Currency, rate: string) {
  const converted = (usd: string) => derivedMoney(currency, product(usd, rate));
  return {
    ...category,
    averageMarketPrice: converted(category.averageMarketPrice),
    contributedValue: converted(category.contributedValue),
  };
}

const AMOUNTS = ['mean', 'median', 'p5', 'p25', 'p75', 'p95', 'standardError'] as const;

function distributionInCurrency(
  stored: StoredDistribution,
  currency: Currency,
  rate: string,
): EvDistribution {
  const amounts = AMOUNTS.map((name) => [
    name,
    derivedMoney(currency, product(decimalOf(stored[name]), rate)),
  ]);
  return { ...stored, ...(Object.fromEntries(amounts) as Record<(typeof AMOUNTS)[number], Money>) };
}
