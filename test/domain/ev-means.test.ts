import { describe, expect, it } from 'vitest';
import { type CategoryPrices, evDistribution } from '../../src/domain/ev-distribution.ts';
import { expectedValue, type PullRateSet } from '../../src/domain/expected-value.ts';
import { readPullRatesFile } from '../../src/importers/pull-rates-file.ts';
import { atOnce } from '../../src/lib/parts.ts';

const sets = await readPullRatesFile('data/pull-rates.json');
const SEED = 20_240_131;

/** A few cards a category, dearer the rarer it is. */
function syntheticPrices(set: PullRateSet): CategoryPrices {
  return new Map(
    set.categories.map(({ category, odds, pool }) => {
      const [cards, packs = '1'] = (odds ?? '1/1000').split('/');
      const typical = 0.3 * (1 + Math.min(300, Number(packs) / Number(cards)));
      const factors = pool === null ? [] : [0.25, 0.5, 1, 1, 2.25];
      return [category, factors.map((factor) => Math.round(typical * factor * 100) / 100)];
    }),
  );
}

function exactValue(set: PullRateSet, productType: 'Pack' | 'Box' | 'Case', prices: CategoryPrices): number {
  const categories = set.categories.map((rates) => ({
    ...rates,
    pool: { finishes: ['Normal' as const], rarities: [rates.category] },
  }));
  const groups = set.categories.map(({ category }) => {
    const pool = prices.get(category) ?? [];
    const cents = pool.reduce((sum, price) => sum + Math.round(price * 100), 0);
    return {
      setCode: set.setCode,
      edition: set.edition,
      finish: 'Normal' as const,
      rarity: category,
      isExpansionSlot: false,
      cards: pool.length,
      priced: pool.length,
      priceSum: (cents / 100).toFixed(2),
    };
  });
  const market = { samplePrices: false, sealedPrice: null };
  return Number(expectedValue({ ...set, categories }, productType, groups, market).currentEstimatedValue);
}

describe('the mean', () => {
  it.each(sets.map((set) => [set.setType, set] as const))(
    'agrees with the expected value of %s',
    (_, set) => {
      const prices = syntheticPrices(set);
      const { mean, standardError } = atOnce(evDistribution(set, 'Box', prices, null, SEED));
      expect(Math.abs(mean - exactValue(set, 'Box', prices))).toBeLessThan(4 * standardError);
    },
  );

  it.each(['Pack', 'Case'] as const)('agrees for a %s', (productType) => {
    for (const setType of ['Wtr1stEdition', 'Mst', 'Omn']) {
      const set = sets.find((entry) => entry.setType === setType)!;
      const prices = syntheticPrices(set);
      const { mean, standardError } = atOnce(evDistribution(set, productType, prices, null, SEED));
      expect(Math.abs(mean - exactValue(set, productType, prices))).toBeLessThan(4 * standardError);
    }
  });
});
