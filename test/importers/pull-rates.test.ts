import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInPool, type PullRateCategory, type PullRateSet } from '../../src/domain/expected-value.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { readPullRatesFile } from '../../src/importers/pull-rates-file.ts';
import { PUBLISHED_SET_CODES, type PublishedRow, publishedRows } from '../support/published-rates.ts';

const SHIPPED = 'data/pull-rates.json';
const sets = await readPullRatesFile(SHIPPED);

describe('the shipped pull rates', () => {
  it('have 20 sets, of which five are split by edition', () => {
    expect(new Set(sets.map((set) => set.setCode))).toEqual(new Set(PUBLISHED_SET_CODES));
    expect(PUBLISHED_SET_CODES).toHaveLength(20);
    expect(sets.map((set) => [set.setType, set.edition])).toEqual([
      ...['Wtr', 'Arc', 'Cru', 'Mon', 'Ele'].flatMap((code) => [
        [`${code}1stEdition`, '1st'],
        [`${code}UnlimitedEdition`, 'Unlimited'],
      ]),
      ...'Evr 1HP Upr Dyn Out Dtd Evo Hvy Mst Ros Hnt Sea Sup Pen Omn'.split(' ').map((code) => [code, null]),
    ]);
  });

  it('name their source, and pack 24 packs in a box and 4 boxes in a case', () => {
    for (const set of sets) {
      expect(set.source).toMatch(/^https:\/\/fabtcg\.com\/collectors-centre\/[a-z0-9-]+\/$/);
      expect([set.packsPerBox, set.boxesPerCase]).toEqual([24, 4]);
      expect(set.packagingVerified).toBe(!['1HP', 'PEN'].includes(set.setCode));
    }
  });

  it.each(sets.map((set) => [set.setType, set] as const))(
    '%s has every published row, and nothing else',
    (_, set) => {
      const seen = new Set<PullRateCategory>();
      for (const row of rowsOf(set)) {
        const { found, odds } = representation(set, row);
        expectSameRate(odds, row);
        if (found) seen.add(found);
      }
      const rest = set.categories.filter((rates) => !seen.has(rates));
      expect(rest.every((rates) => rates.remainder)).toBe(true);
      expect(rest.map((rates) => rates.category).sort()).toEqual(expectedRemainders(set));
    },
  );

  it.each([
    ['Wtr1stEdition', 'ColdFoil', 96 * 24, 96 - 24],
    ['WtrUnlimitedEdition', 'RainbowFoil', 96, 95],
    ['Cru1stEdition', 'ColdFoil', 22 * 240, 240 - 22],
    ['Evr', 'ColdFoil', 16 * 160, 160 - 16],
    ['Upr', 'ColdFoil', 24 * 220, 220 - 24],
    ['Upr', 'RainbowFoil', 80, 79],
    ['Dtd', 'RainbowFoil', 64, 63],
    ['Hvy', 'ColdFoil', 24, 1],
  ])('%s counts a part of %s once: %d packs give %d more cards', (setType, name, packs, cards) => {
    const [numerator, denominator = '1'] = category(find(setType), name).odds!.split('/');
    expect(BigInt(numerator!) * BigInt(packs)).toBe(BigInt(cards) * BigInt(denominator));
  });

  it('say where a total stands for its cheapest cards', () => {
    const lumps = sets.flatMap((set) =>
      set.categories
        .filter((rates) => rates.lowerBound === 'rarity')
        .map((rates) => `${set.setType} ${rates.category} ${rates.pool?.rarities.join()}`),
    );
    expect(lumps.filter((lump) => !lump.endsWith(' Common'))).toEqual([
      'Cru1stEdition ColdFoil Rare',
      'Evr ColdFoil Rare',
      'Pen ColdFoil Rare',
    ]);
    expect(lumps.filter((lump) => lump.includes(' RainbowFoil '))).toHaveLength(16);
    const byFinish = sets.filter((set) => set.categories.some((rates) => rates.lowerBound === 'finish'));
    expect(byFinish.map((set) => set.setType)).toEqual(['Dtd', 'Evo']);
  });

  it('have pools as large as published, but for those that differ in the catalogue', async () => {
    const { products } = await readCatalogueFile('data/catalogue.json.gz');
    const variants = products.flatMap((product) =>
      product.variants.map((variant) => ({ ...product, ...variant })),
    );
    // Extended art has the number of the card it varies: the pages count it in some sets, and not in others.
    const differing = sets.flatMap((set) =>
      set.categories
        .filter((rates) => rates.odds !== null && rates.slot !== 'Token' && rates.poolSize !== null)
        .flatMap((rates) => {
          const pool = variants.filter((variant) => isInPool(set, rates, variant));
          const numbers = new Set(pool.map((variant) => variant.number)).size;
          const agrees = rates.poolSize === numbers || rates.poolSize === pool.length;
          return agrees ? [] : [`${set.setType} ${rates.category} ${pool.length}/${rates.poolSize}`];
        }),
    );
    expect(differing).toEqual([
      'Cru1stEdition Common 100/103',
      'CruUnlimitedEdition Rare 55/56',
      'CruUnlimitedEdition Common 92/103',
      '1HP Common 238/208',
      'Dyn Majestic 50/51',
      'Out Majestic 34/31',
      'Evo Rare 52/56',
      'Ros PuzzleInsert 0/36',
      'Hnt RainbowFoilCommon 106/107',
      'Sea RainbowFoilCommon 86/85',
      'Sea ColdFoilMarvel 32/21',
      'Omn Majestic 14/15',
      'Omn ExpansionSlotMajestic 14/22',
      'Omn Rare 32/60',
      'Omn Common 28/134',
      'Omn RainbowFoilLegendary 3/5',
      'Omn RainbowFoilMajestic 0/14',
      'Omn RainbowFoilRare 0/59',
      'Omn RainbowFoilCommon 0/105',
    ]);
  });
});

function find(setType: string): PullRateSet {
  return sets.find((set) => set.setType === setType)!;
}

function category(set: PullRateSet, name: string): PullRateCategory {
  const found = set.categories.find((rates) => rates.category === name);
  if (!found) throw new Error(`${set.setType} has no category ${name}`);
  return found;
}

/** Cold foils of the five sets with two editions are in the first only. */
function rowsOf(set: PullRateSet): PublishedRow[] {
  const rows = publishedRows(set.setCode);
  return set.edition === 'Unlimited' ? rows.filter((row) => row.slot !== 'cold') : rows;
}

function representation(
  set: PullRateSet,
  row: PublishedRow,
): { found?: PullRateCategory; odds: string | null } {
  if (row.rarity === 'Any') {
    return { odds: set.slotTotals[row.slot === 'premium' ? 'RainbowFoil' : 'ColdFoil']!.odds };
  }
  if (row.rarity.includes('Carnival')) return { odds: category(set, 'Majestic').includes![0]!.odds };
  const found = category(set, categoryOf(set, row));
  expect(found.remainder).toBeUndefined();
  return { found, odds: found.odds };
}

function categoryOf(set: PullRateSet, { finish, rarity }: PublishedRow): string {
  if (rarity === 'Puzzle insert') return 'PuzzleInsert';
  if (rarity === 'Majestic (set content)') return 'Majestic';
  if (rarity === 'Majestic (expansion content)') return 'ExpansionSlotMajestic';
  const foil = finish === 'foil' ? (set.edition === '1st' ? 'cold' : 'rainbow') : finish;
  const prefix = foil === 'cold' ? 'ColdFoil' : foil === 'rainbow' ? 'RainbowFoil' : '';
  return prefix + rarity.replaceAll(' ', '');
}

/** Cold foils are never split by rarity; rainbow foils are where the page has a row for their commons. */
function expectedRemainders(set: PullRateSet): string[] {
  const rows = rowsOf(set);
  const split = rows.some((row) => row.slot === 'premium' && row.rarity === 'Common');
  const totals = rows.filter((row) => row.rarity === 'Any');
  return [
    ...totals.filter((row) => row.slot === 'cold').map(() => 'ColdFoil'),
    ...totals.filter((row) => row.slot === 'premium' && !split).map(() => 'RainbowFoil'),
  ];
}

function expectSameRate(odds: string | null, { rate }: PublishedRow): void {
  if (rate === null) {
    expect(odds).toBeNull();
    return;
  }
  const [numerator, denominator = '1'] = odds!.split('/');
  expect(BigInt(numerator!) * hundredths(rate.packs)).toBe(hundredths(rate.cards) * BigInt(denominator));
}

function hundredths(text: string): bigint {
  const [whole, decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(2, '0'));
}

describe('readPullRatesFile', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pull-rates-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  type Edit = (set: PullRateSet & Record<string, unknown>, file: { sets: PullRateSet[] }) => void;

  async function errorAfter(edit: Edit): Promise<string> {
    const file = JSON.parse(await readFile(SHIPPED, 'utf8'));
    edit(file.sets[0], file);
    return errorOf(JSON.stringify(file));
  }

  async function errorOf(content: string): Promise<string> {
    const path = join(folder, 'rates.json');
    await writeFile(path, content);
    const error = await readPullRatesFile(path).then(
      () => new Error('it was accepted'),
      (thrown: Error) => thrown,
    );
    return error.message;
  }

  it('accepts what ships, whatever the spelling of a fraction', async () => {
    const accepted = await errorAfter((set) => {
      category(set, 'Rare').odds = '1.75';
      category(set, 'Majestic').odds = '8/96';
    });
    expect(accepted).toBe('it was accepted');
  });

  it.each<[string, Edit, string]>([
    [
      'odds of 0',
      (set) => Object.assign(category(set, 'Rare'), { odds: '0' }),
      'category Rare, odds: must be an exact',
    ],
    [
      'odds as words',
      (set) => Object.assign(category(set, 'Rare'), { odds: '1 in 4' }),
      'category Rare, odds: must be',
    ],
    [
      'odds as a number',
      (set) => Object.assign(category(set, 'Rare'), { odds: 1.75 }),
      'category Rare, odds: ',
    ],
    [
      'a negative',
      (set) => Object.assign(category(set, 'Rare'), { odds: '-1/4' }),
      'category Rare, odds: must be',
    ],
    [
      'a finish nobody prints',
      (set) => category(set, 'Rare').pool!.finishes.push('Holo' as never),
      'finishes',
    ],
    ['an unknown field', (set) => Object.assign(set, { packs: 24 }), 'set Wtr1stEdition: '],
    ['no source', (set) => Object.assign(set, { source: 'the web' }), 'set Wtr1stEdition, source'],
    ['a day that is none', (set) => Object.assign(set, { releaseDate: '2019-02-30' }), 'releaseDate'],
    ['half a box', (set) => Object.assign(set, { packsPerBox: 0.5 }), 'packsPerBox'],
    ['a set twice', (set, file) => file.sets.push(set), 'set Wtr1stEdition is there twice'],
    [
      'a category twice',
      (set) => set.categories.push(category(set, 'Rare')),
      'set Wtr1stEdition, category Rare is there twice',
    ],
    [
      'a rate per box',
      (set) => Object.assign(category(set, 'Common'), { odds: '288' }),
      'their odds add up to 292.04 cards',
    ],
    [
      'a part counted twice',
      (set) => Object.assign(category(set, 'ColdFoil'), { odds: '1/24' }),
      'slot ColdFoil: its categories add up to 5/96, and its total is 1/24',
    ],
    [
      'two remainders',
      (set) => Object.assign(category(set, 'ColdFoilLegendary'), { remainder: true }),
      'slot ColdFoil: 2 categories claim to be its remainder',
    ],
    [
      'a remainder of nothing',
      (set) => Reflect.deleteProperty(set.slotTotals, 'ColdFoil'),
      'category ColdFoil: slot ColdFoil has no total',
    ],
    [
      'a total without categories',
      (set) => Object.assign(set.slotTotals, { Gold: { odds: '1', rate: '1 per pack', poolSize: null } }),
      'slot Gold: its categories add up to 0',
    ],
    [
      'a part larger than the whole',
      (set) =>
        Object.assign(category(set, 'Majestic'), { includes: [{ name: 'Part', odds: '1/11', rate: 'x' }] }),
      'category Majestic: what it includes is more than its own odds',
    ],
    [
      'more categories than a set may have',
      (set) => {
        for (let i = set.categories.length; i <= LIMITS.pullRateCategories; i++)
          set.categories.push({ ...category(set, 'Rare'), category: `Rare${i}` });
      },
      'set Wtr1stEdition, categories: must be 20 at most',
    ],
    ['another format', (_, file) => Object.assign(file, { format: 2 }), 'format: '],
    ['no sets', (_, file) => Object.assign(file, { sets: [] }), 'sets'],
  ])('refuses %s', async (_, edit, expected) => {
    const message = await errorAfter((set, file) => void edit(set, file));
    expect(message).toContain(expected);
    expect(message).toMatch(/^Cannot read the pull rates in .*rates\.json: .*explains the format\.$/s);
  });

  it('lets published parts of a slot miss its total by 5 %, no more', async () => {
    const withCommons = (odds: string) =>
      errorAfter((_, file) => {
        const pen = file.sets.find((set) => set.setType === 'Pen')!;
        category(pen, 'RainbowFoilCommon').odds = odds;
      });
    for (const odds of ['0.80', '0.70']) expect(await withCommons(odds)).toBe('it was accepted');
    for (const odds of ['0.801', '0.699']) expect(await withCommons(odds)).toContain('slot RainbowFoil');
  });

  it('takes as many categories as a set may have', async () => {
    const message = await errorAfter((set) => {
      for (let i = set.categories.length; i < LIMITS.pullRateCategories; i++)
        set.categories.push({
          ...category(set, 'Rare'),
          category: `Rare${i}`,
          slot: `Slot${i}`,
          odds: '1/1000',
        });
    });
    expect(message).toBe('it was accepted');
  });

  it('says that a file is missing, truncated or not JSON, and shows no more than ten problems', async () => {
    await expect(readPullRatesFile(join(folder, 'none.json'))).rejects.toThrow('none.json');
    const content = await readFile(SHIPPED, 'utf8');
    expect(await errorOf(content.slice(0, -100))).toContain('it is not JSON');
    expect(await errorOf('')).toContain('line 1: the file is empty');
    expect(await errorOf('{\n"format": 1,\n}')).toContain('it is not JSON, line 3');
    expect(await errorOf('[]')).toContain('the file: ');
    const many = await errorAfter((_, file) => {
      for (const set of file.sets) Object.assign(set, { packsPerBox: 0 });
    });
    expect(many).toContain('and 15 more');
  });
});
