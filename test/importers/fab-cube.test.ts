import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueProduct } from '../../src/domain/catalogue.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { readFabCube } from '../../src/importers/fab-cube.ts';
import { cubeProducts, type KnownSet } from '../../src/importers/fab-cube-products.ts';
import { projectPath } from '../../src/paths.ts';
import { brokenVariants, fixture, gigabyteLine, problemOf, sourceWith, textOfFixture } from './support.ts';

const CARDS = textOfFixture('fab-cube/card.csv');
const PRINTINGS = textOfFixture('fab-cube/card-printing.csv');
const REQUIRED = ['card', 'card-printing'].map((name) => fixture(`fab-cube/${name}.csv`));
const OPTIONAL = ['card-face-association', 'set', 'set-printing'].map((name) =>
  fixture(`fab-cube/${name}.csv`),
);

let shipped: CatalogueProduct[];
const known = new Map<string, KnownSet>();

beforeAll(async () => {
  ({ products: shipped } = await readCatalogueFile(projectPath('data/catalogue.json.gz')));
  for (const { setCode, setName, releaseDate, sealed } of shipped) {
    const hasEditions = ['WTR', 'ARC', 'CRU', 'MON', 'ELE'].includes(setCode);
    if (sealed === null && !known.has(setCode)) known.set(setCode, { setName, releaseDate, hasEditions });
  }
});

const build = async (files: Parameters<typeof readFabCube>[0]) =>
  cubeProducts(await readFabCube(files), known);
const byVendorId = (products: CatalogueProduct[], id: number) =>
  products.find(({ vendorProductId }) => vendorProductId === id)!;
const printingsWith = (edit: (columns: string[]) => void, row = 12) => {
  const lines = PRINTINGS.split('\n');
  // The rows after it: a text in quotes goes over two lines before them.
  const columns = lines[row]!.split('\t');
  edit(columns);
  lines[row] = columns.join('\t');
  return sourceWith(lines.join('\n'), 'printings');
};

describe('the-fab-cube', () => {
  it('gives the products of the shipped catalogue, ids and all', async () => {
    const { products } = await build([...REQUIRED, ...OPTIONAL]);
    for (const vendorId of [225211, 226076, 225899, 225037, 488423, 274397]) {
      // The files of the fixture tell no keywords, and none tells legality.
      const { keywords: _, legality: __, ...told } = byVendorId(shipped, vendorId)!;
      expect(byVendorId(products, vendorId)).toMatchObject(told);
    }
  });

  it('takes a new set from set.csv and set-printing.csv', async () => {
    const { products, rejected } = await build([...OPTIONAL, ...REQUIRED]);
    expect(rejected).toEqual([]);
    expect(byVendorId(products, 700001)).toMatchObject({
      name: 'Harbour "Lookout"',
      number: 'HBR001',
      setName: 'Harbour Lights',
      releaseDate: '2026-10-09',
      description: 'Look at the top card of any deck. "Aye!"',
      cost: 'XX',
      power: '*',
      cardType: 'Instant',
      class: 'Pirate',
      rarity: 'Majestic',
      variants: [{ variantName: 'Normal', fcId: 'HBR001', edition: null, isExpansionSlot: false }],
    });
    const unlisted = products.find(
      ({ number, vendorProductId }) => number === 'HBR001' && vendorProductId === null,
    );
    expect(unlisted).toMatchObject({
      imageUrl: 'https://example.org/images/HBR001.png',
      variants: [
        {
          fcId: 'HBR001-Cold-Alternate Art-Extended Art',
          finish: 'Cold Foil',
          rarity: 'Marvel',
          isExpansionSlot: true,
        },
      ],
    });
  });

  it('rejects printings of a set that nothing names, and codes that it does not know', async () => {
    const missing = await build(REQUIRED);
    expect(missing.rejected.map(({ kind }) => kind)).toEqual(['unknown set', 'unknown set']);
    expect(missing.rejected[0]).toMatchObject({
      place: { file: REQUIRED[1], line: 21 },
      reason: expect.stringContaining('"HBR"'),
    });
    expect(missing.products.some(({ setCode }) => setCode === 'HBR')).toBe(false);
    for (const [column, kind] of [
      [1, 'unknown card'],
      [7, 'unknown edition'],
      [8, 'unknown rarity'],
      [9, 'unknown foiling'],
    ] as const) {
      const { rejected } = await build([
        sourceWith(CARDS),
        printingsWith((columns) => {
          columns[column] = '?';
        }),
        ...OPTIONAL,
      ]);
      expect(rejected.map((row) => row.kind)).toEqual([kind]);
    }
  });

  it('keeps the editions of a set of which the file has one only', async () => {
    const one = PRINTINGS.split('\n').filter(
      (line, i) => i === 0 || line.includes('WTR150\tsetPrintingWTRA'),
    );
    const { products } = await build([sourceWith(CARDS), sourceWith(`${one.join('\n')}\n`)]);
    expect(products).toHaveLength(1);
    expect(products[0]!.variants).toEqual([byVendorId(shipped, 225211).variants[0]]);
  });

  const cards = (from: string, to: string) => [
    sourceWith(CARDS.replace(from, to), 'cards'),
    sourceWith(PRINTINGS),
  ];
  it.each([
    [
      'a card twice',
      () => cards('cardSwingYellow000001', 'cardSwingRed000000001'),
      /^cards, line 9: the card cardSwingRed000000001 is there twice\.$/,
    ],
    [
      'a bad number',
      () => cards('Swing\t1\t', 'Swing\tred\t'),
      /^cards, line 8: Pitch: expected a number, found "red"\.$/,
    ],
    [
      'a card without a name',
      () => cards('\tScale Peeler\t', '\t\t'),
      /^cards, line 10: the card has no Unique ID or no Name\.$/,
    ],
    [
      'no column of the types',
      () => cards('\tTypes\t', '\tKinds\t'),
      /^cards, line 1: the header has no column Types\.$/,
    ],
    [
      'commas',
      () => [sourceWith(CARDS.split('\n')[0]!.replaceAll('\t', ','), 'cards')],
      /^cards, line 1: expected the header of card\.csv/,
    ],
    [
      'a printing twice',
      () => [sourceWith(CARDS), sourceWith(`${PRINTINGS}${PRINTINGS.split('\n')[1]}\n`, 'p')],
      /^p, line \d+: the printing printing0000000000001 is there twice\.$/,
    ],
    [
      'a bad vendor id',
      () => [
        sourceWith(CARDS),
        printingsWith((columns) => {
          columns[16] = 'x1';
        }),
      ],
      /^printings, line \d+: TCGPlayer ID: expected a whole number, found "x1"\.$/,
    ],
    [
      'a file that is cut off',
      () => [sourceWith(CARDS), sourceWith(PRINTINGS.slice(0, 1000), 'p')],
      /^p, line \d+: the row does not have as many columns/,
    ],
    [
      'text that is cut off',
      () => [sourceWith(CARDS.slice(0, CARDS.indexOf('**Blade')), 'cards'), sourceWith(PRINTINGS)],
      /^cards, line \d+: a quoted text does not end/,
    ],
    [
      'a second card.csv',
      () => [sourceWith(CARDS), sourceWith(CARDS)],
      /^file, line 1: this is a second card\.csv; give one\.$/,
    ],
  ])('refuses %s', async (_, files, message) => {
    expect(await problemOf(readFabCube(files()))).toMatch(message);
  });

  it('asks for what is missing', async () => {
    await expect(readFabCube([REQUIRED[0]!])).rejects.toThrow('card-printing.csv is missing');
    await expect(readFabCube([...REQUIRED, OPTIONAL[2]!])).rejects.toThrow('give that too');
  });

  it.each([...brokenVariants(CARDS)])('refuses %s', async (_, source, message) => {
    expect(await problemOf(readFabCube([source, ...REQUIRED.slice(1)]))).toMatch(message);
  });

  it('refuses a line of a gigabyte', async () => {
    const source = gigabyteLine(PRINTINGS);
    expect(await problemOf(readFabCube([REQUIRED[0]!, source]))).toMatch(/^gigabyte, line \d+: .*damaged/);
    expect(source.bytesRead).toBeLessThan(8 * 1024 * 1024);
  });
});
