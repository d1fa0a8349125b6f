import { afterEach, describe, expect, it, vi } from 'vitest';
import { FieldSearch } from '../../../src/domain/search/field-search.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import { TextSearch } from '../../../src/domain/search/text-search.ts';
import { catalogueIndex } from './catalogue-entries.ts';

afterEach(() => void vi.restoreAllMocks());

/** `typed field value place` of the first product that is found. */
async function reasons(query: string): Promise<string[]> {
  const { index } = await catalogueIndex();
  const found = index.search(parseQuery(query));
  return found
    .reasons(found.productIds()[0]!)
    .map(({ typed, field, value, place }) => [typed, field, value, ...(place ? [place] : [])].join(' | '));
}

describe('what a product matches', () => {
  it.each([
    ['wtr 1', ['wtr 1 | number | wtr001']],
    ['wtr-001', ['wtr-001 | number | wtr001']],
    ['arc 159 rf', ['arc 159 | number | arc159', 'rf | finish | rainbow foil']],
    ['wtr167alpharainbow', ['wtr167alpharainbow | number | wtr167']],
    ['cn:1 s:wtr', ['1 | number | wtr001', 'wtr | set | wtr']],
    ['cn:wtr001', ['wtr001 | number | wtr001']],
    ['date:2022-06', ['2022-06 | date | 2022-06-24']],
    ['date!=2022-06 st:angel', ['angel | subtype | angel']],
    ['year:2022', ['2022 | year | 2022']],
    ['!snatch p:red', ['snatch | name | snatch red | 1', 'red | pitch | 1']],
    ['power>3 st:angel', ['3 | power | 4', 'angel | subtype | angel']],
    [
      'uprising display',
      ['uprising | name | uprising booster box | 1', 'display | name | uprising booster box | 3'],
    ],
    ['aa ninja', ['aa | type | attack | 1', 'ninja | class | ninja | 1']],
    ['Non-Attack wizard', ['Non-Attack | type | nonattack | 1', 'wizard | class | wizard | 1']],
    ['type:"action attack" st:angel or cn:wtr001', ['wtr001 | number | wtr001']],
    ['t:naa st:item', ['naa | type | nonattack', 'naa | type | action', 'item | subtype | item']],
    ['type:"action attack"', ['"action attack" | type | action', '"action attack" | type | attack']],
  ])('%s', async (query, expected) => {
    expect(await reasons(query)).toEqual(expected);
  });

  it('is the price, and not what it is compared with', async () => {
    const { index, entries } = await catalogueIndex();
    const found = index.search(
      parseQuery('!snatch set:wtr p:red price<$5 price>0 finish:normal edition:alpha'),
    );
    const product = entries.find(({ productId }) => productId === found.productIds()[0])!;
    const told = found.reasons(product.productId).filter(({ field }) => field === 'price');
    expect(told.map(({ typed }) => typed)).toEqual(['$5', '0']);
    for (const { value } of told) {
      expect(product.variants.map(({ price }) => Number(price))).toContain(Number(value));
    }
  });

  it('is of a variant that matches all of the query', async () => {
    const { index, entries } = await catalogueIndex();
    const found = index.search(parseQuery('finish:cold price<5 (edition:1st or edition:unlimited)'));
    expect(found.productIds().length).toBeGreaterThan(10);
    for (const id of found.productIds()) {
      const [finish, price, edition] = found.reasons(id);
      expect(finish).toMatchObject({ field: 'finish', value: 'cold foil' });
      const { variants } = entries.find(({ productId }) => productId === id)!;
      const meant = variants.filter((variant) => Number(variant.price) === Number(price!.value));
      const says = ({ finish, variantName }: (typeof variants)[0]) =>
        finish === 'Cold Foil' && variantName.toLowerCase().startsWith(edition!.value);
      expect(meant.some(says), id).toBe(true);
    }
  });

  it('is looked for once in each part, for however many products', async () => {
    const { index } = await catalogueIndex();
    const found = index.search(parseQuery('class:ninja or rarity>token or text:a or strike or strke'));
    const looked = [
      vi.spyOn(FieldSearch.prototype, 'rankValues'),
      vi.spyOn(FieldSearch.prototype, 'rankDescription'),
      vi.spyOn(TextSearch.prototype, 'rankText'),
    ];
    for (const id of found.productIds().slice(0, 50)) found.reasons(id);
    expect(looked.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThan(20);
  });

  it('is at most 20 parts', async () => {
    expect(await reasons('snatch '.repeat(19))).toHaveLength(19);
    expect(await reasons('snatch '.repeat(20))).toHaveLength(20);
    expect(await reasons('snatch '.repeat(21))).toHaveLength(20);
  });
});

describe('what a holding matches', () => {
  it('is of the variant that is held, and of what is held of it', async () => {
    const { index, entries } = await catalogueIndex();
    const variant = entries.flatMap(({ variants }) => variants).find(({ fcId }) => fcId === 'WTR167-Alpha')!;
    const reasonsOf = (query: string, quantity: number) =>
      index
        .holdingReasons(parseQuery(query, SUMMARY_SEARCH_FIELDS))(variant.variantId, ({ field, value }) =>
          field === 'quantity' && quantity > Number(value) ? String(quantity) : null,
        )
        .map(({ typed, field, value }) => `${typed} | ${field} | ${value}`);
    expect(reasonsOf('snatch nonfoil', 1)).toEqual([
      'snatch | name | snatch red',
      'nonfoil | finish | normal',
    ]);
    expect(reasonsOf('finish:rainbow or edition:alpha', 1)).toEqual(['alpha | edition | alpha']);
    expect(reasonsOf('price>0', 1)).toEqual([`0 | price | ${variant.price}`]);
    expect(reasonsOf('quantity>2 or snatch', 3)).toEqual(['2 | quantity | 3', 'snatch | name | snatch red']);
    expect(reasonsOf('quantity>2 or snatch', 2)).toEqual(['snatch | name | snatch red']);
    expect(reasonsOf('(quantity>2 rf) or (quantity>1 -rf) or -(quantity>0)', 3)).toEqual([
      '1 | quantity | 3',
    ]);
    expect(index.holdingReasons(parseQuery('snatch'))('var_gone', () => null)).toEqual([]);
  });
});
