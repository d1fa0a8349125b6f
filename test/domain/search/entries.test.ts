import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aboutTokens,
  faceNames,
  fullNames,
  listed,
  nameTokens,
  numberDigits,
  numberTokens,
  type SearchEntry,
  typeName,
  types,
} from '../../../src/domain/search/entries.ts';
import { FieldSearch } from '../../../src/domain/search/field-search.ts';
import { Printings } from '../../../src/domain/search/printings.ts';
import type { Operator } from '../../../src/domain/search/query.ts';
import { NO_MATCH } from '../../../src/domain/search/ranks.ts';
import { SearchMarket } from '../../../src/domain/search/search-market.ts';
import { atOnce } from '../../../src/lib/parts.ts';
import { searchCard } from './search-card.ts';

const ENTRY = searchCard({
  productId: 'prd_1',
  name: 'Snatch (Red)',
  number: 'WTR167',
  rarities: ['Super Rare'],
  variantNames: ['1st Edition Normal'],
  class: 'Ninja, Warrior',
  cardType: 'Action',
  cardSubType: 'Non-Attack, Aura',
  talent: 'Draconic, Royal',
  pitchValue: '1',
});
const entry = (fields: Partial<SearchEntry> = {}): SearchEntry => ({ ...ENTRY, ...fields });
const fieldsOf = (...entries: SearchEntry[]) =>
  atOnce(FieldSearch.of(entries, atOnce(Printings.of(entries))));

describe('what the search knows of a card', () => {
  it('is the words of its name, and those that punctuation breaks', () => {
    expect(nameTokens(entry({ name: 'Snatch' }))).toEqual(['snatch']);
    expect(nameTokens(entry({ name: 'Re-Charge! I/O' }))).toEqual([
      're',
      'charge',
      'i',
      'o',
      '',
      'recharge',
      'io',
    ]);
  });

  it('is its full name, without its colour and with it', () => {
    expect(fullNames(entry())).toEqual(['snatch red', 'snatch']);
    expect(fullNames(entry({ name: 'Snatch', pitchValue: '2' }))).toEqual(['snatch', 'snatch yellow']);
    expect(fullNames(entry({ name: 'Snatch (Blue)', pitchValue: '3' }))).toEqual(['snatch blue', 'snatch']);
    expect(fullNames(entry({ name: 'Tome', pitchValue: null }))).toEqual(['tome']);
    expect(fullNames(entry({ name: 'A (Red) B', pitchValue: '4' }))).toEqual(['a red b']);
  });

  it('is the names of its two sides', () => {
    expect(faceNames(entry({ name: 'Burn Up // Shock' }))).toEqual(['burn up', 'shock']);
    expect(faceNames(entry({ name: 'Burn/Up' }))).toEqual([]);
  });

  it('is its number as printed and without zeros', () => {
    expect(numberTokens(entry({ number: 'WTR-001' }))).toEqual(['wtr001', 'wtr1']);
    expect(numberTokens(entry())).toEqual(['wtr167']);
    expect(numberTokens(entry({ number: 'PROMO' }))).toEqual(['promo']);
    expect(numberTokens(entry({ number: null }))).toEqual([]);
    expect(numberDigits(entry({ number: '1HP010' }))).toEqual(['10']);
    expect(numberDigits(entry({ number: 'PROMO' }))).toEqual([]);
    expect(numberDigits(entry({ number: null }))).toEqual([]);
  });

  it('is what describes it, field by field', () => {
    const plain = entry({ class: null, talent: null, cardSubType: null, pitchValue: null });
    expect([entry(), plain].map(aboutTokens())).toEqual(
      [
        'wtr||welcome to rathe||red||ninja||warrior||draconic||royal||action||nonattack||aura|',
        'wtr||welcome to rathe||||action|',
      ].map((fields) => fields.split('|').flatMap((field) => field.split(' '))),
    );
  });

  it('is each of the values of a field', () => {
    expect(listed('Ninja, Non-Attack')).toEqual(['ninja', 'non attack']);
    expect(listed(null)).toEqual([]);
    expect(types(entry())).toEqual(['action', 'nonattack', 'aura']);
    expect(types(entry({ cardType: null, cardSubType: null }))).toEqual([]);
    expect(['non attack', 'attack', 'non attacker', 'xnon attack'].map(typeName)).toEqual([
      'nonattack',
      'attack',
      'non attacker',
      'xnon attack',
    ]);
  });
});

describe('numbers', () => {
  const COMPARISONS: Record<Operator, (a: Decimal, b: string) => boolean> = {
    '=': (a, b) => a.eq(b),
    '!=': (a, b) => !a.eq(b),
    '<': (a, b) => a.lt(b),
    '<=': (a, b) => a.lte(b),
    '>': (a, b) => a.gt(b),
    '>=': (a, b) => a.gte(b),
  };
  const decimal = (decimals: number) =>
    fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(fc.nat(3), fc.nat(10 ** 9)),
        fc.array(fc.constantFrom('0', '1', '5', '9'), { maxLength: decimals }),
      )
      .map(([sign, whole, digits]) => `${sign}${whole}${digits.length === 0 ? '' : `.${digits.join('')}`}`);

  const marketOf = (price: string) =>
    atOnce(SearchMarket.of(['var_1'], Uint32Array.of(0, 1), () => ({ price, eur: null, sales30: 0 })));

  it('compare as exact decimals', () => {
    fc.assert(
      fc.property(decimal(7), decimal(4), (stored, asked) => {
        const market = marketOf(stored);
        for (const [operator, holds] of Object.entries(COMPARISONS) as [
          Operator,
          (typeof COMPARISONS)['='],
        ][]) {
          const found = market.rankPrice('price', operator, asked, null);
          const isFound = found.ranks.values[0] === 0;
          expect([stored, operator, asked, isFound]).toEqual([
            stored,
            operator,
            asked,
            holds(new Decimal(stored), asked),
          ]);
        }
      }),
    );
  });

  it.each(['X', '*', '', '1e3', '1/2', 'x1', '1x', '--1'])(
    'that are none, such as %j, match nothing',
    (cost) => {
      const fields = fieldsOf(entry({ cost }), entry());
      for (const operator of Object.keys(COMPARISONS) as Operator[])
        expect([...fields.rankNumber('cost', operator, '0').values]).toEqual([NO_MATCH, NO_MATCH]);
    },
  );

  it('are those of their field', () => {
    const fields = fieldsOf(
      entry({
        pitchValue: '1',
        cost: '2',
        power: '3',
        defenseValue: '4',
        life: '5',
        intellect: '6',
      }),
    );
    const names = ['pitch', 'cost', 'power', 'defense', 'life', 'intellect'] as const;
    for (const [i, name] of names.entries())
      for (const [j, other] of names.entries())
        expect(fields.rankNumber(other, '=', String(i + 1)).values[0] === 0, `${name} ${other}`).toBe(
          i === j,
        );
  });
});
