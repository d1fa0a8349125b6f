import { describe, expect, it } from 'vitest';
import { FACET_FIELDS, type FacetField } from '../../../src/domain/search/field-search.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import { buildSearchIndex, type SearchCard } from './built-index.ts';
import { type CardFields, searchCard } from './search-card.ts';

const card = (productId: string, name: string, fields: CardFields = {}): SearchCard =>
  searchCard({
    rarities: ['Common'],
    variantNames: ['Normal', 'Rainbow Foil'],
    class: 'Generic',
    cardType: 'Action',
    cardSubType: 'Attack',
    productId,
    name,
    ...fields,
  });

const indexOf = (...entries: SearchCard[]) => buildSearchIndex(entries);
const found = (index: ReturnType<typeof indexOf>, query: string) =>
  index.search(parseQuery(query)).productIds();

describe('relevance', () => {
  const index = indexOf(
    card('close', 'Striking Blow', { sales30: 900 }),
    card('about', 'Snatch', { setName: 'Strike Deck', setCode: 'STK', sales30: 800 }),
    card('words', 'Enlightened Strike', { sales30: 700 }),
    card('beginningOfWord', 'Strikers', { sales30: 600 }),
    card('beginning', 'Strike Gold', { sales30: 500 }),
    card('face', 'Wander // Strike', { sales30: 400 }),
    card('coloured', 'Strike (Red)', { pitchValue: '1', sales30: 300 }),
    card('exact', 'Strike', { sales30: 200 }),
    card('number', 'Something Else', { number: 'STRIKE007', sales30: 100 }),
  );

  it('is the name, its beginning, all words; what is close comes only where little is found', () => {
    expect(found(index, 'strike')).toEqual([
      'exact',
      'coloured',
      'face',
      'beginning',
      'beginningOfWord',
      'words',
      'about',
      'number',
    ]);
    expect(found(index, 'strikr')).toEqual([
      'exact',
      'words',
      'beginning',
      'coloured',
      'about',
      'face',
      'beginningOfWord',
    ]);
  });

  it('puts the exact number first', () => {
    expect(found(index, 'strike 7')[0]).toBe('number');
    expect(found(index, 'STRIKE-007')).toEqual(['number']);
  });

  it('ignores case, accents and punctuation', () => {
    for (const query of ['ENLIGHTENED', 'énlightened-strike!', '“enlightened strike”']) {
      expect(found(index, query)).toEqual(['words']);
    }
  });

  it('ends at sales, name and id', () => {
    const equals = indexOf(
      card('c', 'Dawn Blade'),
      card('b', 'Dawn Blade'),
      card('a', 'Dawn Cloak'),
      card('z', 'Dawn Zenith', { sales30: 1 }),
    );
    expect(found(equals, 'dawn')).toEqual(['z', 'b', 'c', 'a']);
  });

  it('does not depend on the order of the entries', () => {
    const entries = [card('1', 'Dawn'), card('2', 'Dawn'), card('3', 'Dawnblade', { sales30: 2 })];
    expect(found(indexOf(...entries), 'dawn')).toEqual(found(indexOf(...entries.reverse()), 'dawn'));
  });

  it('gives at most 1,000 products, and counts all', () => {
    const entries = Array.from({ length: 1001 }, (_, i) => card(`p${i}`, 'Dawn'));
    const over = buildSearchIndex(entries).search(parseQuery('dawn'));
    expect([over.productIds().length, over.total]).toEqual([1000, 1001]);
    const at = buildSearchIndex(entries.slice(1)).search(parseQuery('dawn'));
    expect([at.productIds().length, at.total]).toEqual([1000, 1000]);
  });

  it('of nothing is nothing', () => {
    const result = buildSearchIndex([]).search(parseQuery('dawn or -a price<1'));
    expect([result.productIds(), result.total]).toEqual([[], 0]);
  });
});

describe('filters', () => {
  const index = indexOf(
    card('red', 'Snatch (Red)', {
      number: 'WTR167',
      pitchValue: '1',
      cost: '0',
      power: '4',
      defenseValue: '2',
      price: '0.45',
      description: 'When this hits, **draw a card**.',
      sales30: 9,
    }),
    card('tome', 'Tome of Fyendal', {
      number: 'ARC160',
      setCode: 'ARC',
      setName: 'Arcane Rising',
      rarities: ['Majestic', 'Marvel'],
      cardSubType: 'Non-Attack',
      pitchValue: '2',
      cost: 'X',
      price: '12.34567',
      description: 'Draw two cards. Go again',
      sales30: 8,
    }),
    card('kano', 'Kano, Dracai of Aether', {
      number: 'ARC001',
      setCode: 'ARC',
      setName: 'Arcane Rising',
      class: 'Wizard, Warrior',
      cardType: 'Hero',
      cardSubType: null,
      talent: 'Draconic, Royal',
      life: '30',
      intellect: '4',
      rarities: ['Super Rare'],
      sales30: 7,
    }),
    card('box', 'Monarch Booster Box', {
      setCode: 'MON',
      setName: 'Monarch',
      rarities: [],
      class: null,
      cardType: null,
      cardSubType: null,
      price: '100',
      sealedProductType: 'Box',
    }),
  );

  it.each([
    ['class:wizard', ['kano']],
    ['class:warr', ['kano']],
    ['class:nobody', []],
    ['talent:royal', ['kano']],
    ['type:hero', ['kano']],
    ['type:attack', ['red']],
    ['type:aa', ['red']],
    ['type:"attack action"', ['red']],
    ['type:naa', ['tome']],
    ['type:non-attack', ['tome']],
    ['rarity:m', ['tome']],
    ['rarity:marvel', ['tome']],
    ['rarity:v', ['tome']],
    ['rarity:sr', ['kano']],
    ['rarity:r', []],
    ['rarity!=c', ['tome', 'kano', 'box']],
    ['set:arc', ['tome', 'kano']],
    ['set:"arcane rising"', ['tome', 'kano']],
    ['set:rising', ['tome', 'kano']],
    ['set:rathe', ['red']],
    ['number:arc1', ['kano']],
    ['number:"ARC 001"', ['kano']],
    ['number:160', ['tome']],
    ['number:arc', ['tome', 'kano']],
    ['name:snatch', ['red']],
    ['name:"of fyen"', ['tome']],
    ['name:arcane', []],
    ['text:"draw a"', ['red']],
    ['text:draw', ['red', 'tome']],
    ['text:"cards go again"', ['tome']],
    ['text:snatch', []],
    ['is:sealed', ['box']],
    ['-is:sealed', ['red', 'tome', 'kano']],
    ['pitch:1', ['red']],
    ['pitch:yellow', ['tome']],
    ['pitch>=1', ['red', 'tome']],
    ['cost:0', ['red']],
    ['cost>=0', ['red']],
    ['-cost:0', ['tome', 'kano', 'box']],
    ['cost!=1', ['red']],
    ['power>3 power<=4', ['red']],
    ['power>4', []],
    ['defense:2', ['red']],
    ['life=30 intellect:4', ['kano']],
    ['price<0.45', []],
    ['price<=0.45', ['red']],
    ['price>0.45', ['tome', 'box']],
    ['price<12.3457', ['red', 'tome']],
    ['price<=12.3456', ['red']],
    ['price>12.3456', ['tome', 'box']],
    ['price=12.3456', []],
    ['price:100.0', ['box']],
    ['price>-1', ['red', 'tome', 'box']],
    ['class:wizard or pitch:1', ['red', 'kano']],
    ['arc -kano', ['tome']],
    ['-(class:wizard or pitch:1) -is:sealed', ['tome']],
    ['"tome of"', ['tome']],
    ['"arcane rising"', ['tome', 'kano']],
    ['"of tome"', []],
    ['"rising majestic"', []],
    ['snatch rainbow', ['red']],
    ['snatch majestic', []],
  ])('%s', (query, expected) => {
    expect(found(index, query)).toEqual(expected);
  });

  it('of a negation take whole words only', () => {
    expect(found(index, 'arcane -kan')).toEqual(['tome', 'kano']);
    expect(found(index, 'arcane -knao')).toEqual(['tome', 'kano']);
    expect(found(index, 'arcane --kano')).toEqual(['tome']);
  });

  it('match parts of a query for summaries, but know no holdings', () => {
    const { root } = parseQuery('class:wizard or pitch:1', SUMMARY_SEARCH_FIELDS);
    expect(index.matchingVariants(root).ids()).toEqual(['kano-00', 'kano-10', 'red-00', 'red-10']);
    expect(() => index.matchingVariants(parseQuery('gain>0', SUMMARY_SEARCH_FIELDS).root)).toThrow(TypeError);
  });

  it('match those variants of a product alone that have it, for summaries', () => {
    const forty = indexOf(...Array.from({ length: 40 }, (_, i) => card(`card-${i}`, 'Dawn Blade')));
    const matching = forty.matchingVariants(parseQuery('dawn is:foil', SUMMARY_SEARCH_FIELDS).root);
    const foils = Array.from({ length: 40 }, (_, i) => `card-${i}-10`);
    expect(matching.ids().toSorted()).toEqual(foils.toSorted());
    expect(matching.count()).toBe(40);
    expect(foils.every((id) => matching.has(id))).toBe(true);
    expect(foils.some((id) => matching.has(id.replace('-10', '-00')))).toBe(false);
    expect(matching.has('unknown')).toBe(false);
  });

  it('have facets over everything that matches', () => {
    const { facet } = index.search(parseQuery('-pitch:1'));
    expect(Object.fromEntries(FACET_FIELDS.map((field) => [field, facet(field)]))).toEqual({
      class: [
        { value: 'Generic', label: 'Generic', count: 1 },
        { value: 'Warrior', label: 'Warrior', count: 1 },
        { value: 'Wizard', label: 'Wizard', count: 1 },
      ],
      set: [
        { value: 'ARC', label: 'Arcane Rising', count: 2 },
        { value: 'MON', label: 'Monarch', count: 1 },
      ],
      rarity: [
        { value: 'Majestic', label: 'Majestic', count: 1 },
        { value: 'Marvel', label: 'Marvel', count: 1 },
        { value: 'Super Rare', label: 'Super Rare', count: 1 },
      ],
      finish: [
        { value: 'Normal', label: 'Normal', count: 3 },
        { value: 'Rainbow Foil', label: 'Rainbow Foil', count: 3 },
      ],
      edition: [],
      treatment: [],
    });
  });

  it('count a product once for each value of its variants that match', () => {
    const variantNames = ['1st Edition Normal', 'Unlimited Edition Normal', '1st Edition Rainbow Foil'];
    const printed = indexOf(
      card('red', 'Snatch', { variantNames }),
      card('blue', 'Snatch', { variantNames }),
    );
    const spread = (query: string, field: FacetField) =>
      printed
        .search(parseQuery(query))
        .facet(field)
        .map(({ value, count }) => [value, count]);
    expect(spread('snatch', 'finish')).toEqual([
      ['Normal', 2],
      ['Rainbow Foil', 2],
    ]);
    expect(spread('snatch', 'edition')).toEqual([
      ['1st', 2],
      ['Unlimited', 2],
    ]);
    expect(spread('edition:unlimited', 'finish')).toEqual([['Normal', 2]]);
    expect(spread('edition:unlimited', 'edition')).toEqual([['Unlimited', 2]]);
  });
});

describe('didYouMean', () => {
  const index = indexOf(
    card('cnc', 'Command and Conquer', { rarities: ['Majestic'] }),
    card('snap', 'Snapdragon Scalers'),
    card('razor', 'Razor Reflex (Red)', { pitchValue: '1' }),
  );
  const meant = (query: string) => index.search(parseQuery(query)).didYouMean();

  it.each([
    ['comand and conqer', 'command and conquer'],
    ['comand  rarity:M conqer', 'command rarity:M conquer'],
    ['comand -snapdragon', 'command -snapdragon'],
    ['snapdragn or "razor cut"', 'snapdragon or "razor cut"'],
    ['(the) snapdragn', 'snapdragon'],
    ['snap dragn', 'snapdragon'],
    ['razorreflex (Red)', 'razor reflex (Red)'],
    ['the comand', 'command'],
    ['cmmand-conquer', 'command conquer'],
  ])('%s → %s', (query, expected) => {
    expect(meant(query)).toBe(expected);
    expect(index.search(parseQuery(query)).total).toBe(index.search(parseQuery(expected)).total);
  });

  it.each([
    'command and conquer',
    'comm',
    'snap dragon',
    'snapdragn or reflex',
    'comand rarity:common',
    'qqqqqq',
    'rarity:m',
    '-comand',
    '"comand"',
    // Right as it is spelt, "and" would be an operator with nothing behind it.
    '"conquer" andd',
  ])('has nothing for %s', (query) => {
    expect(meant(query)).toBeNull();
  });

  it.each([
    ['rarity:majestc -', 'rarity:majestic -'],
    ['comand and conqer -', 'command and conquer -'],
  ])('%s… is given where it is no longer than a query may be', (query, expected) => {
    const rest = 'z'.repeat(200 - expected.length);
    expect(meant(query + rest)).toBe(expected + rest);
    expect(meant(`${query + rest}z`)).toBeNull();
  });
});
