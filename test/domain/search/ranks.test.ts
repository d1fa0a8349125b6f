import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestDocuments,
  bestRank,
  both,
  either,
  improve,
  improveAll,
  improveEvery,
  NO_MATCH,
  negation,
  noMatches,
  type Ranks,
  ranksOf,
  sum,
  worsen,
  worsenAll,
} from '../../../src/domain/search/ranks.ts';

const rank = fc.oneof(fc.constantFrom(0, 1, 2, 253, 254, NO_MATCH), fc.nat(NO_MATCH));
const ranks = fc.array(rank, { maxLength: 8 }).map((values) => ranksOf(Uint8Array.from(values)));
const pair = fc
  .array(fc.tuple(rank, rank), { maxLength: 8 })
  .map((pairs): [Ranks, Ranks] => [
    ranksOf(Uint8Array.from(pairs, ([a]) => a)),
    ranksOf(Uint8Array.from(pairs, ([, b]) => b)),
  ]);

/** The values, of which the matches are to be those that match, each once. */
function valuesOf({ values, matches }: Ranks): number[] {
  expect(matches.toSorted((a, b) => a - b)).toEqual(
    [...values.keys()].filter((document) => values[document] !== NO_MATCH),
  );
  return [...values];
}

describe('ranks', () => {
  it('are combined document by document', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const before = structuredClone([a, b]);
        const each = (combine: (x: number, y: number) => number) =>
          Array.from(a.values, (x, i) => combine(x, b.values[i]!));
        expect(valuesOf(both(a, b))).toEqual(each(Math.max));
        expect(valuesOf(either(a, b))).toEqual(each(Math.min));
        expect(valuesOf(negation(a))).toEqual(each((x) => (x === NO_MATCH ? 0 : NO_MATCH)));
        expect(valuesOf(sum(a, b))).toEqual(
          each((x, y) => (x === NO_MATCH || y === NO_MATCH ? NO_MATCH : Math.min(x + y, 254))),
        );
        // What is made better or worse afterwards is the result alone.
        improveEvery(either(a, b), 0);
        expect([a, b]).toEqual(before);
      }),
    );
  });

  it('are only ever improved', () => {
    fc.assert(
      fc.property(ranks, rank, (before, given) => {
        const { values } = before;
        const every = ranksOf(values.slice());
        improveEvery(every, given);
        expect(valuesOf(every)).toEqual(Array.from(values, (x) => Math.min(x, given)));
        const even = Uint32Array.from(values.keys()).filter((i) => i % 2 === 0);
        const some = ranksOf(values.slice());
        improveAll(some, even, given);
        expect(valuesOf(some)).toEqual(Array.from(values, (x, i) => (i % 2 === 0 ? Math.min(x, given) : x)));
      }),
    );
    const none = noMatches(2);
    improve(none, 1, 7);
    expect(valuesOf(none)).toEqual([NO_MATCH, 7]);
  });

  it('get worse where they match', () => {
    fc.assert(
      fc.property(pair, fc.nat(300), ([before, { values: each }], by) => {
        const expected = (worse: (x: number, i: number) => number) =>
          Array.from(before.values, (x, i) => (x === NO_MATCH ? NO_MATCH : worse(x, i)));
        const all = ranksOf(before.values.slice());
        worsenAll(all, by, 200);
        expect(valuesOf(all)).toEqual(expected((x) => Math.min(x + by, 200)));
        const still = ranksOf(before.values.slice());
        worsenAll(still, by);
        expect(valuesOf(still)).toEqual(expected((x) => Math.min(x + by, 254)));
        const some = ranksOf(before.values.slice());
        worsen(some, each);
        expect(valuesOf(some)).toEqual(expected((x, i) => Math.min(x + each[i]!, 254)));
      }),
    );
  });

  it('give the best documents first, equals in the order', () => {
    // The last document is the first in the order.
    const reversed = (size: number) => {
      const documents = Uint32Array.from({ length: size }, (_, i) => size - 1 - i);
      return { documents, positions: documents };
    };
    fc.assert(
      fc.property(ranks, fc.nat(9), (all, most) => {
        const { values } = all;
        const sorted = all.matches.toSorted((a, b) => values[a]! - values[b]! || b - a);
        expect(bestDocuments(all, most, reversed(values.length))).toEqual(sorted.slice(0, most));
        expect(bestRank(all)).toBe(Math.min(NO_MATCH, ...values));
      }),
    );
    // Few among many, found in any order.
    const few = noMatches(1000);
    for (const document of [700, 9, 80, 100]) improve(few, document, document === 80 ? 1 : 2);
    expect(bestDocuments(few, 3, reversed(1000))).toEqual([80, 700, 100]);
  });
});
