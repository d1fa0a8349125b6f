import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestDocuments,
  bestRank,
  both,
  countMatches,
  either,
  improve,
  improveAll,
  improveEvery,
  lowered,
  NO_MATCH,
  negation,
  noMatches,
  type Ranks,
  sum,
} from '../../../src/domain/search/ranks.ts';

const rank = fc.oneof(fc.constantFrom(0, 1, 2, 253, 254, NO_MATCH), fc.nat(NO_MATCH));
const ranks = fc.array(rank, { maxLength: 8 }).map((values) => Uint8Array.from(values));
const pair = fc
  .array(fc.tuple(rank, rank), { maxLength: 8 })
  .map((pairs): [Ranks, Ranks] => [Uint8Array.from(pairs, ([a]) => a), Uint8Array.from(pairs, ([, b]) => b)]);

describe('ranks', () => {
  it('are combined document by document', () => {
    fc.assert(
      fc.property(pair, fc.nat(300), ([a, b], by) => {
        const each = (combine: (x: number, y: number) => number) =>
          Array.from(a, (x, i) => combine(x, b[i]!));
        expect([...both(a, b)]).toEqual(each(Math.max));
        expect([...either(a, b)]).toEqual(each(Math.min));
        expect([...negation(a)]).toEqual(each((x) => (x === NO_MATCH ? 0 : NO_MATCH)));
        expect([...sum(a, b)]).toEqual(
          each((x, y) => (x === NO_MATCH || y === NO_MATCH ? NO_MATCH : Math.min(x + y, 254))),
        );
        expect([...lowered(a, by, 200)]).toEqual(
          each((x) => (x === NO_MATCH ? NO_MATCH : Math.min(x + by, 200))),
        );
      }),
    );
  });

  it('are only ever improved', () => {
    fc.assert(
      fc.property(ranks, rank, (before, given) => {
        const every = before.slice();
        improveEvery(every, given);
        expect([...every]).toEqual(Array.from(before, (x) => Math.min(x, given)));
        const even = Uint32Array.from(before.keys()).filter((i) => i % 2 === 0);
        const some = before.slice();
        improveAll(some, even, given);
        expect([...some]).toEqual(Array.from(before, (x, i) => (i % 2 === 0 ? Math.min(x, given) : x)));
      }),
    );
    const none = noMatches(2);
    improve(none, 1, 7);
    expect([...none]).toEqual([NO_MATCH, 7]);
  });

  it('give the best documents first, equals in their order', () => {
    fc.assert(
      fc.property(ranks, fc.nat(9), (all, most) => {
        const matches = [...all.keys()].filter((i) => all[i] !== NO_MATCH);
        const sorted = matches.sort((a, b) => all[a]! - all[b]! || a - b);
        expect(bestDocuments(all, most)).toEqual(sorted.slice(0, most));
        expect(countMatches(all)).toBe(matches.length);
        expect(bestRank(all)).toBe(Math.min(NO_MATCH, ...all));
      }),
    );
  });
});
