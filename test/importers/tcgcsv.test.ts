import { describe, expect, it } from 'vitest';
import { sealedNameOf } from '../../src/importers/sealed-names.ts';
import { readTcgcsv, readTcgcsvGroups } from '../../src/importers/tcgcsv.ts';
import {
  brokenVariants,
  drained,
  fixture,
  gigabyteLine,
  problemOf,
  sourceWith,
  textOfFixture,
} from './support.ts';

const CSV = textOfFixture('tcgcsv/ProductsAndPrices.csv');
const PRICES = textOfFixture('tcgcsv/prices.json');
const read = async (path: string) => {
  const { prices, sealed } = await readTcgcsv(fixture(path));
  return { ...(await drained(prices)), length: prices.length, sealed };
};
const problem = (text: string) => problemOf(readTcgcsv(sourceWith(text)));
const answer = (...results: object[]) => JSON.stringify({ success: true, errors: [], results });
const price = (fields: object = {}) => ({ productId: 1, subTypeName: 'Normal', marketPrice: 1.5, ...fields });

describe('prices of a group', () => {
  it('are read, exactly as they stand', async () => {
    const { rows, rejected, length, sealed } = await read('tcgcsv/prices.json');
    expect(length).toBe(9);
    expect(rows).toHaveLength(9);
    expect(rejected).toEqual([]);
    expect(sealed.size).toBe(0);
    expect(rows[3]).toEqual({
      place: { file: fixture('tcgcsv/prices.json'), line: expect.any(Number) },
      vendorProductId: 225211,
      variantName: '1st Edition Cold Foil',
      amount: '3899.95',
    });
    expect(rows[7]).toMatchObject({ variantName: 'Unlimited Edition Normal', amount: null });
    const lines = PRICES.split('\n');
    for (const { place, vendorProductId } of rows) {
      expect(lines.slice(place.line - 1, place.line + 1).join()).toContain(`"productId": ${vendorProductId}`);
    }
  });

  it('may be none', async () => {
    const { prices } = await readTcgcsv(
      sourceWith('{"totalItems":0,"success":true,"errors":[],"results":[]}'),
    );
    expect(await drained(prices)).toEqual({ rows: [], rejected: [] });
  });

  it.each([
    [answer(price({ marketPrice: '1.x' })), 'marketPrice: expected an amount from 0 to 1,000,000,000.'],
    [answer(price({ marketPrice: -1 })), 'marketPrice: expected an amount'],
    [answer(price({ marketPrice: 1e21 })), 'marketPrice: expected an amount'],
    [answer(price({ marketPrice: true })), 'marketPrice: expected a number'],
    [answer(price({ lowPrice: 'low' })), 'lowPrice: expected an amount'],
    [answer({ productId: 1, subTypeName: 'Normal' }), 'marketPrice: '],
    [answer(price({ productId: 1.5 })), 'productId: expected a whole number above 0.'],
    [answer(price({ productId: 4_000_000_000 })), 'productId: expected a whole number above 0.'],
    [answer(price({ subTypeName: '' })), 'subTypeName: '],
    [answer({ something: 'else' }), 'file, line 1: productId: '],
    ['{"success":false,"errors":["gone"],"results":[]}', 'it holds no data but a failure (gone).'],
    [answer(price()).slice(0, -20), 'it was cut off'],
    [PRICES.slice(0, PRICES.length / 2), 'it was cut off'],
    ['{"result": []}', 'expected a JSON object with a list "results"'],
  ])('are refused: %s', async (text, message) => {
    expect(await problem(text)).toMatch(/^file, line \d+: /);
    expect(await problem(text)).toContain(message);
  });
});

describe('products of a group', () => {
  it('give the sealed ones', async () => {
    const { rows, sealed } = await read('tcgcsv/products.json');
    expect(rows).toEqual([]);
    expect([...sealed]).toEqual([
      [620001, { set: 'welcome to rathe', productType: 'Box', edition: 'Unlimited' }],
      [620002, { set: 'welcome to rathe', productType: 'Box', edition: '1st' }],
    ]);
  });

  it('of another game are refused', async () => {
    const text = answer({ productId: 1, name: 'Booster Box', categoryId: 3 });
    expect(await problem(text)).toBe(
      'file, line 1: category 3 is another game; Flesh and Blood is category 62.',
    );
  });
});

describe('ProductsAndPrices.csv', () => {
  it('is read by its header', async () => {
    const { rows, rejected, sealed } = await read('tcgcsv/ProductsAndPrices.csv');
    expect(
      rows.map(({ vendorProductId, variantName, amount }) => [vendorProductId, variantName, amount]),
    ).toEqual([
      [640001, 'Normal', '74.5'],
      [640002, 'Normal', '305'],
      [640003, 'Normal', '3.05'],
      [640004, 'Normal', '10'],
      [488423, 'Normal', '4.75'],
      [488423, 'Rainbow Foil', '12.5'],
      [488423, 'Cold Foil', null],
      [488382, 'Normal', '0.25'],
    ]);
    expect(rows[5]!.place.line).toBe(8);
    expect(rejected).toMatchObject([{ kind: 'no price', place: { line: 11 } }]);
    expect([...sealed.values()].map(({ productType }) => productType)).toEqual(['Box', 'Case', 'Pack']);
  });

  it('may have its columns anywhere', async () => {
    const { prices } = await readTcgcsv(
      sourceWith('subTypeName,extNew,marketPrice,productId\nNormal,"a,b",1.2,7\n'),
    );
    expect((await drained(prices)).rows).toMatchObject([{ vendorProductId: 7, amount: '1.2' }]);
  });

  it.each([
    ['productId,subTypeName\n1,Normal\n', 'file, line 1: the header has no column marketPrice.'],
    [
      'productId,subTypeName,marketPrice\n1,Normal,abc\n',
      'file, line 2: marketPrice: expected an amount, found "abc".',
    ],
    [
      'productId,subTypeName,marketPrice\n1,Normal,1\n2,Normal,-1\n',
      'file, line 3: marketPrice: expected an amount',
    ],
    [
      'productId,subTypeName,marketPrice,lowPrice\n1,Normal,1,1e5\n',
      'file, line 2: lowPrice: expected an amount',
    ],
    [
      'productId,subTypeName,marketPrice\nx,Normal,1\n',
      'file, line 2: productId: expected a whole number above 0',
    ],
    [
      'productId,subTypeName,marketPrice,categoryId\n1,Normal,1,3\n',
      'file, line 2: category 3 is another game',
    ],
    [
      CSV.slice(0, CSV.indexOf('640003') + 20),
      'file, line 4: the row does not have as many columns as the header',
    ],
  ])('is refused: %j', async (text, message) => {
    expect(await problem(text)).toContain(message);
  });

  it.each(brokenVariants(CSV))('is refused as %s', async (_, source, message) => {
    expect(await problemOf(readTcgcsv(source))).toMatch(message);
  });

  it('is refused with a line of a gigabyte', async () => {
    const source = gigabyteLine(CSV);
    expect(await problemOf(readTcgcsv(source))).toMatch(/^gigabyte, line 12: .*damaged/);
    expect(source.bytesRead).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('groups', () => {
  it('are read', async () => {
    expect(await readTcgcsvGroups(fixture('tcgcsv/groups.json'))).toEqual([
      { groupId: 2724, name: 'Welcome to Rathe' },
      { groupId: 24001, name: 'Promotional Cards' },
    ]);
  });
});

describe('names of sealed products', () => {
  it.each([
    ['Monarch Booster Box [1st Edition]', { set: 'monarch', productType: 'Box', edition: '1st' }],
    [
      'Monarch  -  Booster Box Case (Unlimited)',
      { set: 'monarch', productType: 'Case', edition: 'Unlimited' },
    ],
    ['Outsiders Booster Case', { set: 'outsiders', productType: 'Case', edition: null }],
    ['Part the Mistveil: Booster Pack', { set: 'part the mistveil', productType: 'Pack', edition: null }],
  ])('%s', (name, sealed) => {
    expect(sealedNameOf(name)).toEqual(sealed);
  });

  it.each([
    'Outsiders',
    'Booster Box',
    'Outsiders Booster Boxes',
    'Outsiders Booster Box Display of 2',
    'Outsiders Booster Box [Japanese]',
    'Outsiders - Arakni Blitz Deck',
    'Outsiders Blitz Deck Box',
    '',
  ])('%j is none', (name) => {
    expect(sealedNameOf(name)).toBeNull();
  });
});
