import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, Speller, slipsAllowed } from '../../../src/domain/search/spelling.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

/** The textbook's optimal string alignment distance, with the whole table. */
function slowDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const substitution = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(substitution, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, table[i - 2]![j - 2]! + 1);
      table[i]![j] = least;
    }
  }
  return table[a.length]![b.length]!;
}

/** As `distance` defines it: the whole word, or a beginning of it for one more. */
function slowSlips(typed: string, word: string): number {
  const beginnings = Array.from(word, (_, i) => slowDistance(typed, word.slice(0, i + 1)) + 1);
  return Math.min(slowDistance(typed, word), typed.length + 1, ...beginnings);
}

const word = fc.string({ unit: fc.constantFrom(...'abcde'), minLength: 1, maxLength: 9 });

describe('distance', () => {
  it.each([
    ['conqer', 'conquer', 1],
    ['comand', 'command', 1],
    ['belllow', 'bellow', 1],
    ['stirke', 'strike', 1],
    ['enlihgtend', 'enlightened', 2],
    ['snach', 'snatch', 1],
    ['dorinth', 'dorinthea', 1],
    ['cat', 'cat', 0],
  ])('%s, %s: %i', (typed, meant, slips) => {
    expect(distance(typed, meant, 3)).toBe(slips);
  });

  it('is one above the most where it is more', () => {
    expect(distance('abcdef', 'uvwxyz', 2)).toBe(3);
    expect(distance('abcdef', 'badcfe', 2)).toBe(3);
    expect(distance('abcdef', 'badcfe', 3)).toBe(3);
  });

  it('equals the textbook', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 3 }), (typed, meant, most) => {
        expect(distance(typed, meant, most)).toBe(Math.min(slowSlips(typed, meant), most + 1));
      }),
      { numRuns: fuzzRuns(3000) },
    );
  });
});

describe('slipsAllowed', () => {
  it.each([
    ['ab', 0],
    ['abc', 1],
    ['abcde', 1],
    ['abcdef', 2],
    ['abcdefghij', 2],
    ['abcdefghijk', 3],
    ['a'.repeat(40), 3],
    ['a'.repeat(41), 0],
    ['wtr001', 0],
  ])('%s: %i', (typed, slips) => {
    expect(slipsAllowed(typed)).toBe(slips);
  });
});

describe('Speller', () => {
  it('finds what comparing with every word finds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 30 }), word, (words, typed) => {
        const most = slipsAllowed(typed);
        const expected = words
          .map((candidate, position) => ({ position, slips: slowSlips(typed, candidate) }))
          .filter(({ slips }) => most > 0 && slips <= most);
        expect(new Speller(words).closeTo(typed)).toEqual(expected);
      }),
      { numRuns: fuzzRuns(1000) },
    );
  });

  it('never takes numbers for words', () => {
    expect(new Speller(['wtr001', 'wtrab']).closeTo('wtrabc')).toEqual([{ position: 1, slips: 1 }]);
  });
});
