import { describe, expect, it } from 'vitest';
import { categoryPrices, evDistribution, SAMPLES } from '../../src/domain/ev-distribution.ts';
import type { PullRateCategory, PullRateSet } from '../../src/domain/expected-value.ts';
import { readPullRatesFile } from '../../src/importers/pull-rates-file.ts';
import { atOnce } from '../../src/lib/parts.ts';

const sets = await readPullRatesFile('data/pull-rates.json');
const SEED = 20_240_131;

function testSet(...slots: [category: string, slot: string, odds: string | null][]): PullRateSet {
  const categories = slots.map(
    ([category, slot, odds]): PullRateCategory => ({
      category,
      categoryName: category,
      slot,
      pool: { finishes: ['Normal'], rarities: [category] },
      odds,
      rate: null,
      poolSize: null,
    }),
  );
  return { ...sets[0]!, setCode: 'TST', edition: null, slotTotals: {}, categories };
}

const open = (set: PullRateSet, prices: Record<string, number[]>, marketPrice: number | null = null) =>
  atOnce(evDistribution(set, 'Pack', new Map(Object.entries(prices)), marketPrice, SEED));

describe('slots', () => {
  it('give a whole number of cards without chance', () => {
    const { p5, p95, mean, standardError } = open(testSet(['Common', 'Common', '12']), { Common: [1] });
    expect([p5, mean, p95, standardError]).toEqual([12, 12, 12, 0]);
  });

  it('share a whole total between categories: the second rare is a rare or the one majestic', () => {
    const set = testSet(['Rare', 'Rare', '7/4'], ['Majestic', 'Rare', '1/4']);
    const { p5, p95, mean, probabilityToBeatMarketPrice } = open(
      set,
      { Rare: [1], Majestic: [1000] },
      1000.5,
    );
    expect([p5, p95]).toEqual([2, 1001]);
    // One rare always; the other card is a rare or the majestic, never two majestics.
    expect(mean).toBeCloseTo(2 + 999 * probabilityToBeatMarketPrice!, 6);
    expect(Math.abs(probabilityToBeatMarketPrice! - 0.25)).toBeLessThan(
      4 * Math.sqrt((0.25 * 0.75) / SAMPLES.Pack),
    );
    expect(open(set, { Rare: [1], Majestic: [1000] }, 1001).probabilityToBeatMarketPrice).toBe(0);
  });

  it('give one card more with the remaining probability', () => {
    const set = testSet(['Token', 'Token', '1.54']);
    const atLeastTwo = open(set, { Token: [1] }, 1.5).probabilityToBeatMarketPrice!;
    expect(Math.abs(atLeastTwo - 0.54)).toBeLessThan(4 * Math.sqrt((0.54 * 0.46) / SAMPLES.Pack));
    expect(open(set, { Token: [1] }, 2).probabilityToBeatMarketPrice).toBe(0);
    expect(open(set, { Token: [1] }, 0.5).probabilityToBeatMarketPrice).toBe(1);
  });

  it('are independent of each other', () => {
    const set = testSet(['A', 'A', '1/2'], ['B', 'B', '1/2']);
    const both = open(set, { A: [1], B: [1] }, 1.5).probabilityToBeatMarketPrice!;
    expect(Math.abs(both - 0.25)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / SAMPLES.Pack));
  });

  it('give nothing where the odds or all prices are unknown', () => {
    const set = testSet(['Fabled', 'Fabled', null], ['Rare', 'Rare', '1'], ['Common', 'Common', '2']);
    expect(open(set, { Fabled: [500], Rare: [], Common: [3] }).p95).toBe(6);
    expect(open(set, {}).mean).toBe(0);
  });
});

describe('the figures', () => {
  const uniform = Array.from({ length: 101 }, (_, price) => price);

  it('are those of the cards in the pool, all equally likely', () => {
    const result = open(testSet(['Rare', 'Rare', '1']), { Rare: uniform }, 89.5);
    expect(result.samples).toBe(SAMPLES.Pack);
    expect(Math.abs(result.mean - 50)).toBeLessThan(4 * result.standardError);
    expect(result.standardError).toBeCloseTo(Math.sqrt((101 ** 2 - 1) / 12 / SAMPLES.Pack), 2);
    const { p5, p25, median, p75, p95, probabilityToBeatMarketPrice } = result;
    for (const [figure, expected] of [
      [p5, 5],
      [p25, 25],
      [median, 50],
      [p75, 75],
      [p95, 95],
    ] as const) {
      expect(Math.abs(figure - expected)).toBeLessThanOrEqual(2);
    }
    expect(probabilityToBeatMarketPrice).toBeCloseTo(11 / 101, 1);
  });

  it('are the same for the same seed, and others for another', () => {
    const set = testSet(['Rare', 'Rare', '7/4'], ['Majestic', 'Rare', '1/4']);
    const prices = new Map([
      ['Rare', uniform],
      ['Majestic', [1000]],
    ]);
    const run = (seed: number) => atOnce(evDistribution(set, 'Pack', prices, 100, seed));
    expect(run(1)).toEqual(run(1));
    expect(run(1).mean).not.toBe(run(2).mean);
    expect(run(2 ** 32 + 1).mean).not.toBe(run(1).mean);
  });

  it('are those of the textbook on the numbers of sfc32', () => {
    // So many that hardly two samples are alike.
    const POOL = 50_021;
    for (const seed of [1, SEED, 2 ** 32 + 7, 2 ** 53 - 1]) {
      const set = testSet(['Rare', 'Rare', '1/2']);
      const price = (i: number) => i ** 1.5 / 7;
      const prices = new Map([['Rare', Array.from({ length: POOL }, (_, i) => price(i))]]);
      const draw = sfc32(BigInt(seed));
      const samples = Array.from({ length: SAMPLES.Pack }, () =>
        draw() < 0.5 ? price(Math.floor(draw() * POOL)) : 0,
      ).sort((a, b) => a - b);
      const mean = samples.reduce((sum, value) => sum + value) / SAMPLES.Pack;
      const squares = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      const between = (share: number) => {
        const rank = share * (SAMPLES.Pack - 1);
        const [low, high] = [samples[Math.floor(rank)]!, samples[Math.floor(rank) + 1]!];
        return low * (1 - (rank % 1)) + high * (rank % 1);
      };
      const result = atOnce(evDistribution(set, 'Pack', prices, 500, seed));
      expect(result.mean).toBeCloseTo(mean, 9);
      expect(result.standardError).toBeCloseTo(Math.sqrt(squares / (SAMPLES.Pack - 1) / SAMPLES.Pack), 9);
      const { p5, p25, median, p75, p95 } = result;
      for (const [figure, share] of [
        [p5, 0.05],
        [p25, 0.25],
        [median, 0.5],
        [p75, 0.75],
        [p95, 0.95],
      ] as const) {
        expect(figure).toBeCloseTo(between(share), 9);
      }
      const above = samples.filter((value) => value > 500).length;
      expect(result.probabilityToBeatMarketPrice).toBe(above / SAMPLES.Pack);
    }
  });

  it('have no probability without a market price', () => {
    expect(open(testSet(['Rare', 'Rare', '1']), { Rare: uniform }).probabilityToBeatMarketPrice).toBeNull();
  });
});

describe('categoryPrices', () => {
  it('sorts the known prices into the pools', () => {
    const set = testSet(['Rare', 'Rare', '1'], ['Common', 'Common', '2']);
    const card = { setCode: 'TST', edition: null, finish: 'Normal' as const, isExpansionSlot: false };
    const prices = categoryPrices(set, [
      { ...card, rarity: 'Rare', price: '1.50' },
      { ...card, rarity: 'Rare', price: null },
      { ...card, rarity: 'Rare', price: '0.10' },
      { ...card, rarity: 'Common', price: '0.05', setCode: 'WTR' },
    ]);
    expect(prices).toEqual(
      new Map([
        ['Rare', [1.5, 0.1]],
        ['Common', []],
      ]),
    );
  });
});

/** Chris Doty-Humphrey's generator as PractRand has it, in whole numbers of any size; the same seeding. */
function sfc32(seed: bigint): () => number {
  const MASK = 0xffff_ffffn;
  let [a, b, c, counter] = [seed & MASK, (seed >> 32n) & MASK, 0x9e37_79b9n, 1n];
  const next = () => {
    const sum = (a + b + counter) & MASK;
    counter = (counter + 1n) & MASK;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) & MASK;
    c = (((c << 21n) | (c >> 11n)) + sum) & MASK;
    return Number(sum) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}
