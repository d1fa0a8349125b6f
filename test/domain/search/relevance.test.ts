import { describe, expect, it } from 'vitest';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../../src/domain/search/parse.ts';
import { buildSearchIndex } from './built-index.ts';
import { type CardFields, searchCard } from './search-card.ts';

/** What a query finds among cards of these names, the last of which sell best. */
function found(query: string, ...cards: (string | ({ name: string } & CardFields))[]): string[] {
  const entries = cards.map((card, sales30) => {
    const fields = typeof card === 'string' ? { name: card } : card;
    return searchCard({ sales30, ...fields, productId: fields.name });
  });
  return buildSearchIndex(entries).search(parseQuery(query)).productIds();
}

describe('sealed products', () => {
  const cards = [
    { name: 'Rathe Booster Case', setCode: 'WTR', sealedProductType: 'Case' },
    { name: 'Rathe Booster Pack', setCode: 'WTR', sealedProductType: 'Pack' },
    { name: 'Pack Hunt', setCode: 'WTR' },
  ] as const;

  it('come before cards where a word for them is among others, but not before a name that begins so', () => {
    expect(found('wtr pack', ...cards)).toEqual(['Rathe Booster Pack', 'Pack Hunt']);
    expect(found('wtr case', ...cards, { name: 'Hunt Case', setCode: 'WTR' })[0]).toBe('Rathe Booster Case');
    expect(found('pack', ...cards)[0]).toBe('Pack Hunt');
  });
});

describe('abbreviations', () => {
  const NAMES: [string, string][] = [
    ['cnc', 'Command and Conquer'],
    ['c and c', 'Command and Conquer'],
    ['c&c', 'Command and Conquer'],
    ['estrike', 'Enlightened Strike'],
    ['e strike', 'Enlightened Strike'],
    ['fst', "Fyendal's Spring Tunic"],
    ['aow', 'Art of War'],
    ['hof', 'Heart of Fyendal'],
    ['eoo', 'Eye of Ophidia'],
    ['cop', 'Crown of Providence'],
    ['brb', 'Bloodrush Bellow'],
  ];

  it.each(NAMES)('%s is %s', (query, name) => {
    expect(found(query, ...new Set(NAMES.map(([, known]) => known)))).toEqual([name]);
  });

  it('stand among other words, and beside each other', () => {
    const names = ['Art of War', 'Holy Art of War', 'Art of War Command and Conquer', 'Holy War'];
    expect(found('holy aow', ...names)).toEqual(['Holy Art of War']);
    expect(found('aow cnc', ...names)).toEqual(['Art of War Command and Conquer']);
    expect(found('aow c and c', ...names)).toEqual(['Art of War Command and Conquer']);
    expect(found('aow', ...names)[0]).toBe('Art of War');
  });

  it('are words of their own too', () => {
    expect(found('cop', 'Cop', 'Crown of Providence')).toEqual(['Crown of Providence', 'Cop']);
  });

  it.each([
    ['t', 'Token'],
    ['b', 'Basic'],
    ['c', 'Common'],
    ['r', 'Rare'],
    ['s', 'Super Rare'],
    ['sr', 'Super Rare'],
    ['m', 'Majestic'],
    ['l', 'Legendary'],
    ['f', 'Fabled'],
    ['v', 'Marvel'],
    ['p', 'Promo'],
  ])('rarity:%s is %s', (letter, rarity) => {
    const rarities = [
      'Token',
      'Basic',
      'Common',
      'Rare',
      'Super Rare',
      'Majestic',
      'Legendary',
      'Fabled',
      'Marvel',
      'Promo',
    ];
    const cards = rarities.map((name) => ({ name, rarities: [name] }));
    expect(found(`rarity:${letter}`, ...cards)).toEqual([rarity]);
  });

  it.each([
    ['aa', 'Attack Action'],
    ['naa', 'Non-Attack Action'],
    ['ar', 'Attack Reaction'],
    ['dr', 'Defense Reaction'],
    ['"defence reaction"', 'Defense Reaction'],
  ])('type:%s is %s', (word, type) => {
    const cards = ['Attack Action', 'Non-Attack Action', 'Attack Reaction', 'Defense Reaction', 'Hero'];
    expect(found(`type:${word}`, ...cards.map((name) => ({ name, cardType: name })))).toEqual([type]);
  });

  it('of types are those of types alone', () => {
    expect(found('class:aa', { name: 'x', class: 'Aa' }, { name: 'y', class: 'Attack Action' })).toEqual([
      'x',
    ]);
  });
});

describe('a value of a field', () => {
  it('is taken as a whole where it is one', () => {
    expect(found('set:wtr', { name: 'x' }, { name: 'y', setCode: 'WTRX', setName: 'Y' })).toEqual(['x']);
  });

  it('is taken as a beginning before its words are taken apart', () => {
    const cards = [
      { name: 'x', setName: 'Arcane Rising' },
      { name: 'y', setName: 'Rising Arcane' },
    ];
    expect(found('set:"arcane ris"', ...cards)).toEqual(['x']);
    expect(found('set:"arc ris"', ...cards)).toEqual(['y', 'x']);
  });

  it('of a text may end within a word', () => {
    const card = { name: 'x', description: 'Draw two cards.' };
    expect(found('text:"draw tw"', card)).toEqual(['x']);
    expect(found('text:"raw two"', card)).toEqual([]);
  });
});

describe('numbers of cards', () => {
  const cards = [
    { name: 'x', number: 'WTR167' },
    { name: 'y', number: '1HP361' },
    { name: 'z', number: 'WTR016' },
  ];

  it.each<[string, string[]]>([
    ['wtr16', ['z']],
    ['wtr1', ['z', 'x']],
    ['wtr', ['z', 'x']],
    ['1hp', ['y']],
    ['hp', []],
    ['361', ['y']],
    ['016', ['z']],
    ['36', []],
  ])('number:%s', (number, expected) => {
    expect(found(`number:${number}`, ...cards)).toEqual(expected);
  });

  it('come before names', () => {
    expect(found('wtr 16', ...cards, 'WTR 16', 'WTR 16 Book')).toEqual(['z', 'WTR 16', 'WTR 16 Book', 'x']);
  });
});

describe('a phrase', () => {
  it('is whole words, side by side', () => {
    expect(found('"of fyendal"', 'Tome of Fyendal', 'Of the Fyendal')).toEqual(['Tome of Fyendal']);
    expect(found('"of fyen"', 'Tome of Fyendal')).toEqual([]);
    expect(found('"arcane ris"', { name: 'x', setName: 'Arcane Rising' })).toEqual([]);
  });

  it('is better in a name than about the card, and best as the name', () => {
    const about = { name: 'x', setName: 'Snatch It' };
    expect(found('"snatch it"', 'Snatch It', 'Do Snatch It Now', about)).toEqual([
      'Snatch It',
      'Do Snatch It Now',
      'x',
    ]);
  });
});

describe('words', () => {
  it('are better in the name than about the card, and there than begun', () => {
    const about = { name: 'x', setName: 'Big Strike' };
    expect(found('big strike', 'Strike Big', 'Strikers Big', about)).toEqual([
      'Strike Big',
      'x',
      'Strikers Big',
    ]);
  });

  const CLOSE = 'Big Strikr';
  it.each<[string, Parameters<typeof found>[1], boolean]>([
    ['the name', 'Strike', false],
    ['the beginning of the name', 'Strike Gold', false],
    ['one side', 'Wander // Strike', false],
    ['a word of the name', 'Great Strike', false],
    ['a word about the card', { name: 'x', setName: 'Strike Deck' }, false],
    ['the letters that a name begins with', 'Strikers', true],
    ['the letters that a word begins with', 'Great Strikers', true],
    ['the letters that a word about the card begins with', { name: 'x', setName: 'Strikers' }, true],
  ])('that are %s: with close spellings: %s', (_, card, withClose) => {
    expect(found('strike', card, CLOSE).includes(CLOSE)).toBe(withClose);
  });

  it.each([
    [10, true],
    [11, false],
  ])('that %i cards begin with: with close spellings: %s', (count, withClose) => {
    const cards = Array.from({ length: count }, (_, i) => `Great Strikers ${i}`);
    expect(found('strike', ...cards, CLOSE)).toHaveLength(withClose ? count + 1 : count);
  });

  it('may be typed as one, up to four of them and 40 letters', () => {
    expect(found('aabbccdd', 'Aa Bb Cc Dd')).toEqual(['Aa Bb Cc Dd']);
    expect(found('aabbccddee', 'Aa Bb Cc Dd Ee of Many Others')).toEqual([]);
    const [twenty, more] = ['abcdefghijklmnopqrst', 'bcdefghijklmnopqrstuv'];
    expect(found(twenty + twenty, twenty)).toEqual([twenty]);
    expect(found(twenty + more, `${twenty} ${more}`)).toEqual([]);
  });

  it('may be apart where they are one', () => {
    expect(found('dawn blade', 'Dawnblade', 'Dawn')).toEqual(['Dawnblade']);
    expect(found('wel come', { name: 'x', setName: 'Welcome' })).toEqual(['x']);
    expect(found('wtr 12', { name: 'x', number: 'WTR012' })).toEqual(['x']);
    expect(found('dawn blades dawn blade', 'Dawnblade Dawnblades')).toEqual(['Dawnblade Dawnblades']);
    expect(found('broken dawn blade', 'Broken Dawnblade', 'Dawnblade')).toEqual(['Broken Dawnblade']);
  });

  it('may be too many where they are small', () => {
    expect(found('the snatch', 'Snatch')).toEqual(['Snatch']);
    expect(found('big snatch', 'Snatch')).toEqual([]);
  });

  it('that are misspelt mean the card with the fewest faults', () => {
    expect(found('comandd', 'Comrade', 'Command', 'Commander')).toEqual(['Command']);
  });
});

it('the catalogue does not know what somebody holds', () => {
  const index = buildSearchIndex([]);
  expect(() => index.matchingVariants(parseQuery('gain>0', SUMMARY_SEARCH_FIELDS).root)).toThrow(
    new TypeError('The catalogue knows no gain.'),
  );
});
