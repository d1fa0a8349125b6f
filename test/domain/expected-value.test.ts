import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { FINISHES, type Finish, PRODUCT_TYPES } from '../../src/domain/catalogue.ts';
import type { Currency } from '../../src/domain/currencies.ts';
import {
  expectedValue,
  isInPool,
  type PoolKey,
  type PriceGroup,
  type PullRateCategory,
  type PullRateSet,
  packsIn,
} from '../../src/domain/expected-value.ts';
import { derivedMoney } from '../../src/domain/money.ts';
import { readPullRatesFile } from '../../src/importers/pull-rates-file.ts';
import { PUBLISHED_SET_CODES, type PublishedRow, publishedRows } from '../support/published-rates.ts';

const sets = await readPullRatesFile('data/pull-rates.json');
const REAL_MARKET = { samplePrices: false, sealedPrice: '100' };
const Exact = Decimal.clone({ precision: 80 });

describe('against plain arithmetic on the published rows', () => {
  const groups = syntheticPrices();
  const products = sets.flatMap((set) => PRODUCT_TYPES.map((type) => [set.setType, type, set] as const));

  it('covers 75 products', () => {
    expect(products).toHaveLength(75);
  });

  it.each(products)('%s %s', (_, productType, set) => {
    const packs = { Pack: 1n, Box: 24n, Case: 96n }[productType];
    const exact = times([packs, 1n], plainValueOfPack(set, groups));
    const result = expectedValue(set, productType, groups, REAL_MARKET);

    expect(derivedMoney('USD', result.currentEstimatedValue).amount).toBe(rounded(exact, 2));
    const conversions: [Currency, string, Ratio, number][] = [
      ['EUR', '0.9217', [9217n, 10000n], 2],
      ['JPY', '151.37', [15137n, 100n], 0],
      ['NZD', '1.7123', [17123n, 10000n], 2],
    ];
    for (const [currency, rate, ratio, decimals] of conversions) {
      const converted = new Exact(result.currentEstimatedValue).times(rate).toFixed();
      expect(derivedMoney(currency, converted).amount).toBe(rounded(times(exact, ratio), decimals));
    }

    const parts = result.categories.reduce((sum, part) => sum.plus(part.contributedValue), new Exact(0));
    expect(parts.minus(result.currentEstimatedValue).abs().lt('1e-28')).toBe(true);
    for (const part of result.categories) {
      const value = new Exact(part.averageMarketPrice).times(part.multiplier);
      expect(
        value.minus(part.contributedValue).abs().lte(new Exact(part.contributedValue).times('1e-15')),
      ).toBe(true);
    }
  });

  it('gives multipliers to full double precision', () => {
    const multiplier = (setType: string, type: 'Pack' | 'Box' | 'Case', category: string) =>
      expectedValue(find(setType), type, groups, REAL_MARKET).categories.find((c) => c.category === category)
        ?.multiplier;
    expect(multiplier('Wtr1stEdition', 'Pack', 'ColdFoilLegendary')).toBe(1 / 96);
    expect(multiplier('Wtr1stEdition', 'Case', 'ColdFoilLegendary')).toBe(1);
    expect(multiplier('1HP', 'Box', 'Majestic')).toBe(480 / 63);
    expect(multiplier('Hvy', 'Case', 'RainbowFoilMajestic')).toBe(96 / 18);
    expect(multiplier('Evr', 'Box', 'Rare')).toBe(39.6);
    expect(multiplier('Sup', 'Pack', 'SuperRare')).toBe(100 / 218);
  });
});

type Ratio = readonly [bigint, bigint];
const plus = (a: Ratio, b: Ratio): Ratio => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
const times = (a: Ratio, b: Ratio): Ratio => [a[0] * b[0], a[1] * b[1]];

/** Half away from zero, as text. */
function rounded([numerator, denominator]: Ratio, decimals: number): string {
  const units = (numerator * 10n ** BigInt(decimals) * 2n + denominator) / (denominator * 2n);
  const digits = `${units}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Adds up the published rows one by one; what belongs to a total is taken from it. */
function plainValueOfPack(set: PullRateSet, groups: PriceGroup[]): Ratio {
  const rows = publishedRows(set.setCode).filter(
    (row) => row.rate !== null && !/Carnival|Puzzle/.test(row.rarity) && !isColdOfUnlimited(set, row),
  );
  const split = rows.some((row) => row.slot === 'premium' && row.rarity === 'Common');
  let value: Ratio = [0n, 1n];
  const taken: Record<string, Ratio> = { premium: [0n, 1n], cold: [0n, 1n] };
  const count = (rate: Ratio, finishes: Finish[], rarity: string, expansion?: boolean) => {
    value = plus(value, times(rate, meanPrice(set, groups, finishes, rarity, expansion)));
  };
  for (const row of rows.filter(({ rarity }) => rarity !== 'Any')) {
    const total = totalOf(set, row);
    if (total) taken[total] = plus(taken[total]!, ratio(row));
    const content = /\((set|expansion) content\)/.exec(row.rarity)?.[1];
    const expansion = content === undefined ? undefined : content === 'expansion';
    count(ratio(row), finishesOf(set, row), row.rarity.replace(/ \(.*/, ''), expansion);
  }
  for (const row of rows.filter(({ rarity }) => rarity === 'Any')) {
    const [cards, packs] = taken[row.slot]!;
    const left = plus(ratio(row), [-cards, packs]);
    if (row.slot === 'premium' && !split) count(left, ['Rainbow Foil'], 'Common');
    if (row.slot === 'cold') count(left, ['Cold Foil'], /CRU|EVR|PEN/.test(set.setCode) ? 'Rare' : 'Common');
  }
  return value;
}

function isColdOfUnlimited(set: PullRateSet, row: PublishedRow): boolean {
  return set.edition === 'Unlimited' && row.slot === 'cold';
}

function ratio({ rate }: PublishedRow): Ratio {
  const hundredths = (text: string) => BigInt(Math.round(Number(text) * 100));
  return [hundredths(rate!.cards), hundredths(rate!.packs)];
}

/** The published total that a row is a part of. */
function totalOf(set: PullRateSet, { slot, finish, rarity }: PublishedRow): string | null {
  if (slot === 'premium' || slot === 'cold') return slot;
  if (rarity !== 'Legendary' || finish === 'normal') return null;
  return set.edition === '1st' || set.setCode === 'EVR' ? 'cold' : 'premium';
}

function finishesOf(set: PullRateSet, { finish }: PublishedRow): Finish[] {
  const foil: Finish = set.edition === '1st' || set.setCode === 'EVR' ? 'Cold Foil' : 'Rainbow Foil';
  const byWord: Record<string, Finish[]> = {
    normal: ['Normal'],
    rainbow: ['Rainbow Foil'],
    cold: ['Cold Foil'],
    foil: [foil],
    any: ['Normal', foil],
  };
  return byWord[finish]!;
}

function meanPrice(
  set: PullRateSet,
  groups: PriceGroup[],
  finishes: Finish[],
  rarity: string,
  expansion?: boolean,
): Ratio {
  let cents = 0n;
  let priced = 0n;
  for (const group of groups) {
    if (group.setCode !== set.setCode || group.rarity !== rarity || !finishes.includes(group.finish))
      continue;
    if (set.edition && group.edition !== set.edition) continue;
    if (expansion !== undefined && group.isExpansionSlot !== expansion) continue;
    cents += BigInt(group.priceSum.replace('.', ''));
    priced += BigInt(group.priced);
  }
  return [cents, priced * 100n];
}

/** Every set, edition, finish, rarity and content has its own number of cards and sum of prices, all of them odd. */
function syntheticPrices(): PriceGroup[] {
  const rarities = 'Token,Basic,Common,Rare,Super Rare,Majestic,Legendary,Fabled,Marvel'.split(',');
  const groups: PriceGroup[] = [];
  for (const setCode of PUBLISHED_SET_CODES) {
    for (const edition of ['1st', 'Unlimited'] as const) {
      for (const finish of FINISHES) {
        for (const rarity of rarities) {
          for (const isExpansionSlot of [false, true]) {
            const priced = 3 + ((groups.length * 7) % 101);
            const cents = 1009 + ((groups.length * 7919) % 99_991);
            const priceSum = `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
            groups.push({
              setCode,
              edition,
              finish,
              rarity,
              isExpansionSlot,
              cards: priced + 2,
              priced,
              priceSum,
            });
          }
        }
      }
    }
  }
  return groups;
}

function find(setType: string): PullRateSet {
  return sets.find((set) => set.setType === setType)!;
}

const key: PoolKey = {
  setCode: 'TST',
  edition: null,
  finish: 'Normal',
  rarity: 'Rare',
  isExpansionSlot: false,
};
const rare: PullRateCategory = {
  category: 'Rare',
  categoryName: 'Rare',
  slot: 'Rare',
  pool: { finishes: ['Normal'], rarities: ['Rare'] },
  odds: '1/8',
  rate: '1 per 8 packs',
  poolSize: 3,
};
const foil: PullRateCategory = {
  ...rare,
  category: 'RainbowFoil',
  categoryName: 'Rainbow Foil',
  slot: 'RainbowFoil',
  pool: { finishes: ['Rainbow Foil'], rarities: ['Common'] },
  poolSize: null,
};

function testSet(...categories: PullRateCategory[]): PullRateSet {
  return {
    setType: 'Tst',
    setCode: 'TST',
    setName: 'Test',
    edition: null,
    releaseDate: '2020-01-01',
    packsPerBox: 24,
    boxesPerCase: 4,
    packagingVerified: true,
    source: 'https://example.com/',
    slotTotals: {},
    categories,
  };
}

function prices(cards: number, priced: number, priceSum: string, part: Partial<PoolKey> = {}): PriceGroup {
  return { ...key, cards, priced, priceSum, ...part };
}

describe('amounts', () => {
  it('round a half away from zero once, at the end', () => {
    const tie = expectedValue(testSet(rare), 'Pack', [prices(3, 3, '0.12')], REAL_MARKET);
    expect(tie.currentEstimatedValue).toBe('0.005000000000000000000000000000');
    expect(derivedMoney('USD', tie.currentEstimatedValue).amount).toBe('0.01');
    const thirds = testSet({ ...rare, odds: '1/3' }, { ...rare, odds: '1/6', category: 'Other' });
    const value = expectedValue(thirds, 'Pack', [prices(3, 3, '0.09')], REAL_MARKET).currentEstimatedValue;
    expect(derivedMoney('USD', value).amount).toBe('0.02');
  });

  it('average over the cards with a price only, and add up several groups of a pool', () => {
    const groups = [prices(3, 2, '10.00'), prices(2, 1, '2.00', { isExpansionSlot: true, edition: '1st' })];
    const [part] = expectedValue(testSet(rare), 'Box', groups, REAL_MARKET).categories;
    expect(part).toEqual({
      category: 'Rare',
      categoryName: 'Rare',
      multiplier: 3,
      averageMarketPrice: '4.000000000000000000000000000000',
      contributedValue: '12.000000000000000000000000000000',
    });
  });

  it('are 0 without any price', () => {
    const { currentEstimatedValue, categories } = expectedValue(testSet(rare), 'Pack', [], REAL_MARKET);
    expect(Number(currentEstimatedValue)).toBe(0);
    expect(categories[0]?.averageMarketPrice).toMatch(/^0\.0+$/);
  });

  it('leave out categories without published odds', () => {
    const set = testSet({ ...rare, odds: null });
    expect(expectedValue(set, 'Case', [prices(3, 3, '9')], REAL_MARKET).categories).toEqual([]);
  });

  it('follow the number of packs', () => {
    const set = { ...testSet(rare), packsPerBox: 20, boxesPerCase: 3 };
    expect(PRODUCT_TYPES.map((type) => packsIn(set, type))).toEqual([1, 20, 60]);
  });
});

describe('isInPool', () => {
  const first = { ...testSet(rare), edition: '1st' as const };
  const expansion = { ...rare, pool: { ...rare.pool!, isExpansionSlot: true } };
  it.each<[string, boolean, PullRateSet, PullRateCategory, Partial<PoolKey>]>([
    ['a card of the pool', true, testSet(), rare, {}],
    ['another set', false, testSet(), rare, { setCode: 'WTR' }],
    ['another finish', false, testSet(), rare, { finish: 'Cold Foil' }],
    ['another rarity', false, testSet(), rare, { rarity: 'Common' }],
    ['a sealed product', false, testSet(), rare, { rarity: null }],
    ['any edition of a set with one', true, testSet(), rare, { edition: '1st' }],
    ['the edition asked for', true, first, rare, { edition: '1st' }],
    ['another edition', false, first, rare, { edition: 'Unlimited' }],
    ['no edition where one is asked for', false, first, rare, {}],
    ['the expansion slot where nothing is said', true, testSet(), rare, { isExpansionSlot: true }],
    ['the expansion slot where it is asked for', true, testSet(), expansion, { isExpansionSlot: true }],
    ['the set content where expansion is asked for', false, testSet(), expansion, {}],
    ['a category without cards', false, testSet(), { ...rare, pool: null }, {}],
  ])('%s: %s', (_, expected, set, category, part) => {
    expect(isInPool(set, category, { ...key, ...part })).toBe(expected);
  });
});

describe('warning', () => {
  const whole = [prices(3, 3, '9'), prices(3, 3, '9', { finish: 'Rainbow Foil', rarity: 'Common' })];
  const warningOf = (
    set: PullRateSet,
    groups = whole,
    market = REAL_MARKET as Parameters<typeof expectedValue>[3],
  ) => expectedValue(set, 'Box', groups, market).warning;

  it('is null where all is known', () => {
    expect(warningOf(testSet(rare, foil))).toBeNull();
  });

  it('says that prices are samples, and that the product has none', () => {
    expect(warningOf(testSet(rare), whole, { samplePrices: true, sealedPrice: null })).toBe(
      'Prices are sample data, not real market prices. The sealed product has no market price; it counts as 0.',
    );
    expect(warningOf(testSet(rare), whole, { samplePrices: false, sealedPrice: '0' })).toBeNull();
  });

  it('names what is not published', () => {
    const [a, b, c] = ['Fabled', 'Basic', 'Cold Foil Marvel'].map((categoryName) => ({
      ...rare,
      categoryName,
      odds: null,
    }));
    expect(warningOf(testSet(rare, a!))).toBe('The pull rate of Fabled is not published; it adds nothing.');
    expect(warningOf(testSet(a!, b!))).toBe(
      'The pull rates of Fabled and Basic are not published; they add nothing.',
    );
    expect(warningOf(testSet(a!, b!, c!))).toBe(
      'The pull rates of Fabled, Basic and Cold Foil Marvel are not published; they add nothing.',
    );
  });

  it('says where a value is a lower bound', () => {
    expect(warningOf(testSet({ ...foil, lowerBound: 'rarity' }))).toBe(
      'Rainbow Foil is published without its split by rarity, and counted at the mean price of its commons, a lower bound.',
    );
    expect(warningOf(testSet({ ...rare, lowerBound: 'finish' }))).toBe(
      'Rare is published without its split by finish, and counted without its cold foils, a lower bound.',
    );
    const nothing = [
      { ...rare, lowerBound: 'finish' as const, odds: null },
      { ...rare, lowerBound: 'rarity' as const, pool: null },
    ];
    for (const category of nothing) expect(warningOf(testSet(category))).not.toContain('lower bound');
  });

  it('counts cards without a price', () => {
    expect(warningOf(testSet(rare), [prices(12, 9, '9')])).toBe('3 of 12 Rare cards have no market price.');
    expect(warningOf(testSet(rare), [prices(12, 11, '9')])).toBe('1 of 12 Rare cards has no market price.');
    expect(warningOf(testSet(rare), [prices(12, 0, '0')])).toBe('12 of 12 Rare cards have no market price.');
  });

  it('says what the catalogue lacks', () => {
    expect(warningOf(testSet(rare), [prices(2, 2, '9')])).toBe('The catalogue has 2 of 3 Rare cards.');
    expect(warningOf(testSet(rare), [])).toBe('The catalogue has no Rare cards; they add nothing.');
    const puzzle = { ...rare, pool: null, categoryName: 'Puzzle Insert' };
    expect(warningOf(testSet(puzzle))).toBe('The catalogue has no Puzzle Insert cards; they add nothing.');
    const token = { ...rare, slot: 'Token' };
    expect(warningOf(testSet(token), [prices(2, 2, '9')])).toBeNull();
  });

  it('says that the size of a box or case is not confirmed', () => {
    const set = { ...testSet(rare), packagingVerified: false };
    const warnings = PRODUCT_TYPES.map((type) => expectedValue(set, type, whole, REAL_MARKET).warning);
    expect(warnings).toEqual([
      null,
      'No source confirms 24 packs in a box for this set.',
      'No source confirms 24 packs in a box and 4 boxes in a case for this set.',
    ]);
  });
});
