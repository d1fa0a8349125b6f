import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decodeCatalogue,
  productIdOf,
  readCatalogueFile,
  variantIdOf,
} from '../../src/importers/catalogue-file.ts';
import { projectPath } from '../../src/paths.ts';

const SHIPPED = projectPath('data/catalogue.json.gz');

/** A catalogue of one card, as a program would write it. */
function smallFile(): Record<string, unknown> {
  const face = ['Action', 'Attack', 'Generic', '0', '2', '1', null, '4', null, null];
  return {
    format: 'cardledger-catalogue',
    layout: 2,
    source: 'a test',
    sets: [['WTR', 'Welcome to Rathe', null]],
    printings: [['Normal', null, 'Normal']],
    rarities: ['Majestic'],
    keywords: ['Go again'],
    legalities: [[['Blitz'], ['Living Legend'], []]],
    arts: [[['An Artist'], ['Extended Art']]],
    cards: [['Snatch (Red)', 'Text', [0], 0, [face.map(() => null)], ...face]],
    products: [[123, 0, 0, 'WTR167', ['WTR168'], null, [[0, 0, 'WTR167', 1, 0]]]],
    sealed: [],
  };
}

const decode = (file: unknown) => decodeCatalogue(gzipSync(JSON.stringify(file)));

describe('decodeCatalogue', () => {
  it('joins the tables to products', async () => {
    const { products } = await decode(smallFile());
    expect(products).toEqual([
      {
        productId: productIdOf('vendor:123'),
        vendorProductId: 123,
        name: 'Snatch (Red)',
        number: 'WTR167',
        otherNumbers: ['WTR168'],
        imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/123_200w.jpg',
        description: 'Text',
        setCode: 'WTR',
        setName: 'Welcome to Rathe',
        releaseDate: null,
        sealed: null,
        cardType: 'Action',
        cardSubType: 'Attack',
        class: 'Generic',
        rarity: 'Majestic',
        cost: '0',
        defenseValue: '2',
        pitchValue: '1',
        talent: null,
        power: '4',
        intellect: null,
        life: null,
        otherFaces: [
          {
            cardType: null,
            cardSubType: null,
            class: null,
            cost: null,
            defenseValue: null,
            pitchValue: null,
            talent: null,
            power: null,
            intellect: null,
            life: null,
          },
        ],
        keywords: ['Go again'],
        legality: { legal: ['Blitz'], banned: ['Living Legend'], restricted: [] },
        variants: [
          {
            variantId: variantIdOf('vendor:123', 'Normal'),
            variantName: 'Normal',
            fcId: 'WTR167',
            edition: null,
            finish: 'Normal',
            rarity: 'Majestic',
            isExpansionSlot: true,
            treatments: ['Extended Art'],
            artists: ['An Artist'],
          },
        ],
      },
    ]);
  });

  it('has a version that follows the content and not its packing', async () => {
    const text = JSON.stringify(smallFile());
    const [fast, small, other] = await Promise.all([
      decodeCatalogue(gzipSync(text, { level: 1 })),
      decodeCatalogue(gzipSync(text, { level: 9 })),
      decode({ ...smallFile(), source: 'another test' }),
    ]);
    expect(fast.version).toMatch(/^[0-9a-f]{16}$/);
    expect(small.version).toBe(fast.version);
    expect(other.version).not.toBe(fast.version);
  });

  it.each([
    ['another layout', { ...smallFile(), layout: 1 }, /layout 1, and this version reads layout 2/],
    ['another format', { products: [] }, /not of the format cardledger-catalogue/],
    ['a card that is not there', { ...smallFile(), cards: [] }, /damaged: cards has no row 0/],
    ['a set that is not there', { ...smallFile(), sets: [] }, /damaged: sets has no row 0/],
    [
      'an unknown finish',
      { ...smallFile(), printings: [['Foil', null, 'Foil']] },
      /damaged at printings\.0\.2/,
    ],
    [
      'a product without variants',
      { ...smallFile(), products: [[123, 0, 0, 'WTR167', [], null, []]] },
      /at products\.0\.6/,
    ],
  ])('refuses %s', async (_name, file, message) => {
    await expect(decode(file)).rejects.toThrow(message);
  });

  it('refuses bytes that are not gzip, and gzip that is not JSON', async () => {
    await expect(decodeCatalogue(Buffer.from('{}'))).rejects.toThrow(/not a gzip file/);
    await expect(decodeCatalogue(gzipSync('{'))).rejects.toThrow(/not JSON/);
  });
});

describe('readCatalogueFile', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('says which file is truncated, and what to do', async () => {
    const bytes = await readFile(SHIPPED);
    const path = join(folder, 'short.json.gz');
    await writeFile(path, bytes.subarray(0, bytes.length - 1_000));
    await expect(readCatalogueFile(path)).rejects.toThrow(
      /Cannot read the catalogue file .*short\.json\.gz: it is truncated.*Restore it/,
    );
  });

  it('says which file is missing', async () => {
    await expect(readCatalogueFile(join(folder, 'none.json.gz'))).rejects.toThrow(/none\.json\.gz.*ENOENT/);
  });

  it('reads the shipped file, which is small', async () => {
    const bytes = await readFile(SHIPPED);
    expect(bytes.length).toBeLessThan(700_000);
    expect(gunzipSync(bytes).length).toBeLessThan(3_000_000);
    expect((await readCatalogueFile(SHIPPED)).products.length).toBeGreaterThan(7_800);
  });
});

describe('ids', () => {
  it('differ by key, kind of key and variant name', () => {
    const ids = [
      productIdOf('vendor:1'),
      productIdOf('vendor:2'),
      productIdOf('print:1'),
      productIdOf('sealed:1'),
      variantIdOf('vendor:1', 'Normal'),
      variantIdOf('vendor:1', 'Rainbow Foil'),
      variantIdOf('vendor:2', 'Normal'),
    ];
    expect(new Set(ids.map((id) => id.slice(4))).size).toBe(ids.length);
    expect(productIdOf('vendor:1')).toBe(productIdOf('vendor:1'));
  });
});
