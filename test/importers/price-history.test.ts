import { describe, expect, it } from 'vitest';
import { readPriceHistory } from '../../src/importers/price-history.ts';
import {
  brokenVariants,
  drained,
  fixture,
  gigabyteLine,
  problemOf,
  sourceWith,
  textOfFixture,
} from './support.ts';

const HISTORY = textOfFixture('price-history/488423.json');
const bucket = (fields: object = {}) => ({
  bucketStartDate: '2026-04-01',
  marketPrice: '1.5',
  quantitySold: '2',
  ...fields,
});
const sku = (fields: object = {}) => ({
  variant: 'Normal',
  condition: 'Near Mint',
  language: 'English',
  buckets: [bucket()],
  ...fields,
});
const document = (...result: object[]) => JSON.stringify({ count: result.length, result });
const read = async (text: string) => (await drained(await readPriceHistory(sourceWith(text), 7))).rows;
const problem = (text: string) => problemOf(readPriceHistory(sourceWith(text), 7));

describe('price-history buckets', () => {
  it('give sales of all conditions and prices of near mint English ones', async () => {
    const { rows } = await drained(await readPriceHistory(fixture('price-history/488423.json')));
    expect(rows.map(({ variantName }) => variantName)).toEqual(['Normal', 'Rainbow Foil', 'Gold Foil']);
    expect(rows[0]).toMatchObject({ vendorProductId: 488423, bucketDays: 1 });
    expect(rows[0]!.buckets).toEqual([
      { day: '2026-04-08', sold: 1, price: '4.5' },
      { day: '2026-04-09', sold: 1, price: '4.5' },
      { day: '2026-04-10', sold: 3, price: '4.75' },
      { day: '2026-04-11', sold: 0, price: '4.5' },
      { day: '2026-04-12', sold: 2, price: '4.5' },
    ]);
    expect(rows[1]!.buckets.map(({ price }) => price)).toEqual([null, null]);
  });

  it('say how many days each covers', async () => {
    const { rows } = await drained(
      await readPriceHistory(fixture('price-history/488423-quarter.json'), 488423),
    );
    expect(rows[0]).toMatchObject({ bucketDays: 3, buckets: { length: 3 } });
  });

  it('take numbers as numbers too, and 0 as no price', async () => {
    const buckets = [
      bucket({ marketPrice: 0, quantitySold: 4 }),
      bucket({ bucketStartDate: '2026-04-02', marketPrice: 2.25 }),
    ];
    expect((await read(document(sku({ buckets }))))[0]!.buckets).toEqual([
      { day: '2026-04-01', sold: 4, price: null },
      { day: '2026-04-02', sold: 2, price: '2.25' },
    ]);
    expect(await read(document(sku({ buckets: [] })))).toEqual([]);
  });

  it('are of the product that the file is named after, or that is given', async () => {
    for (const name of ['/x/225211.json', '225211.0.json']) {
      const { rows } = await drained(await readPriceHistory(sourceWith(document(sku()), name)));
      expect(rows[0]!.vendorProductId).toBe(225211);
    }
    for (const name of ['2026-04-01.json', 'history.json', '225211.csv']) {
      const found = await problemOf(readPriceHistory(sourceWith('', name)));
      expect(found).toContain('which product is it?');
    }
  });

  it.each([
    [
      document(sku({ buckets: [bucket({ quantitySold: '-1' })] })),
      'buckets.0.quantitySold: expected a whole number from 0',
    ],
    [document(sku({ buckets: [bucket({ quantitySold: '1.5' })] })), 'quantitySold: expected a whole number'],
    [document(sku({ buckets: [bucket({ marketPrice: 'much' })] })), 'marketPrice: expected an amount'],
    [
      document(sku({ buckets: [bucket({ bucketStartDate: '2026-02-30' })] })),
      'bucketStartDate: expected a date',
    ],
    [document(sku({ buckets: [bucket(), bucket()] })), 'the bucket of 2026-04-01 is there twice'],
    [document(sku(), sku()), 'Normal, Near Mint, English is there twice'],
    [document(sku({ variant: undefined })), 'variant: '],
    ['{"results": []}', 'expected a JSON object with a list "result"'],
    [HISTORY.slice(0, 900), 'the file ends in the middle of its JSON; it was cut off'],
  ])('are refused: %s', async (text, message) => {
    expect(await problem(text)).toMatch(/^file, line \d+: /);
    expect(await problem(text)).toContain(message);
  });

  it.each(brokenVariants(HISTORY))('are refused as %s', async (_, source, message) => {
    expect(await problemOf(readPriceHistory(source, 7))).toMatch(message);
  });

  it('are refused with a line of a gigabyte', async () => {
    const source = gigabyteLine('{"result": [\n{"variant": "');
    expect(await problemOf(readPriceHistory(source, 7))).toMatch(/^gigabyte, line 2: .*damaged/);
  });
});
