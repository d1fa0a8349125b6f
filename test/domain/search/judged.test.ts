import { describe, expect, it } from 'vitest';
import { plainName } from '../../../src/domain/search/entries.ts';
import { fold } from '../../../src/domain/search/normalise.ts';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import { catalogueIndex } from './catalogue-entries.ts';
import { judge } from './judge.ts';
import { JUDGED_KINDS, JUDGED_QUERIES } from './judged-queries.ts';

const LEAST_AT_1 = 0.97;
const LEAST_AT_3 = 0.99;
const LEAST_OF_A_KIND = 0.92;
const LEAST_OF_TWO_SLIPS = 0.95;

describe('judged queries over the catalogue', () => {
  it('are at least 400, each typed once', () => {
    expect(JUDGED_QUERIES.length).toBeGreaterThanOrEqual(400);
    const typed = JUDGED_QUERIES.map(({ kind, query }) => `${kind} ${query}`);
    expect(typed.filter((query, i) => typed.indexOf(query) !== i)).toEqual([]);
  });

  it('mean what the catalogue has', async () => {
    const { entries } = await catalogueIndex();
    const known = new Set([
      '*',
      ...entries.flatMap(({ name, number, otherNumbers, variants }) => [
        name,
        plainName(name),
        ...name.split(' // '),
        ...[number, ...otherNumbers].map((printed) => `#${printed}`),
        ...variants.map(({ fcId }) => fcId),
      ]),
    ]);
    expect(JUDGED_QUERIES.filter(({ meant }) => !known.has(meant))).toEqual([]);
  });

  it('have it first, 97 of 100; among the first three, 99; and 92 of each kind', async () => {
    const { index, entries } = await catalogueIndex();
    const { scores, misses } = judge(index, entries);
    const all = scores.at(-1)!;
    expect(all.at1, misses.join('\n')).toBeGreaterThanOrEqual(LEAST_AT_1);
    expect(all.at3, misses.join('\n')).toBeGreaterThanOrEqual(LEAST_AT_3);
    const least = scores.filter(({ at1 }) => at1 < LEAST_OF_A_KIND);
    expect(least, misses.join('\n')).toEqual([]);
    expect(scores).toHaveLength(JUDGED_KINDS.length + 1);
  });
});

describe('every name of the catalogue', () => {
  it('is a query that finds its product first', async () => {
    const { entries, index, nameOf } = await catalogueIndex();
    const names = [...new Set(entries.map(({ name }) => name))];
    const misses = names.filter((name) => {
      const [best] = index.search(parseQuery(name)).productIds();
      return nameOf.get(best!) !== name;
    });
    expect(misses).toEqual([]);
  });

  it('and every fourth number', async () => {
    const { entries, index } = await catalogueIndex();
    const numberOf = new Map(entries.map(({ productId, number }) => [productId, number]));
    const numbers = [...new Set(entries.flatMap(({ number }) => number ?? []))].filter((_, i) => i % 4 === 0);
    const misses = numbers.filter((number) => {
      const typed = number.toLowerCase().replace(/(\d{3})$/, (digits) => ` ${Number(digits)}`);
      return [number, typed].some(
        (query) => numberOf.get(index.search(parseQuery(query)).productIds()[0]!) !== number,
      );
    });
    expect(misses).toEqual([]);
  });

  it('of ten letters and more is found with two slips, 95 of 100', async () => {
    const { entries, index, nameOf } = await catalogueIndex();
    const names = [...new Set(entries.map(({ name }) => plainName(name)))]
      .filter((name) => !name.includes(' // ') && fold(name).replaceAll(' ', '').length >= 10)
      .filter((_, i) => i % 10 === 0);
    const random = seeded(20260131);
    const misses = names.flatMap((name) => {
      const query = slipped(slipped(fold(name), random), random);
      const best = index.search(parseQuery(query)).productIds()[0];
      return best !== undefined && plainName(nameOf.get(best)!) === name ? [] : [`${query} for ${name}`];
    });
    expect(1 - misses.length / names.length, misses.join('\n')).toBeGreaterThanOrEqual(LEAST_OF_TWO_SLIPS);
  });
});

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Numbers from 0 up to 1, the same every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** With one letter missing, added, wrong or swapped with its neighbour, anywhere behind the first. */
function slipped(text: string, random: () => number): string {
  const letter = () => LETTERS[Math.floor(random() * LETTERS.length)]!;
  for (;;) {
    const at = 1 + Math.floor(random() * (text.length - 2));
    if (!LETTERS.includes(text[at]!) || !LETTERS.includes(text[at + 1]!)) continue;
    const slips = [
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + letter() + text.slice(at),
      text.slice(0, at) + letter() + text.slice(at + 1),
      text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2),
    ];
    const result = slips[Math.floor(random() * slips.length)]!;
    if (result !== text) return result;
  }
}
