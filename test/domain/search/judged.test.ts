import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import { catalogueIndex } from './catalogue-entries.ts';
import { JUDGED_QUERIES } from './judged-queries.ts';

const LEAST_SHARE = 0.95;

describe('judged queries over the catalogue', () => {
  it('are at least 60, and of names that the catalogue has', async () => {
    const { entries } = await catalogueIndex();
    const names = new Set(entries.map(({ name }) => name));
    expect(JUDGED_QUERIES.length).toBeGreaterThanOrEqual(60);
    expect(JUDGED_QUERIES.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it('have the card among the first three, 95 of 100', async () => {
    const misses = await missesOf(() => 3);
    const share = 1 - misses.length / JUDGED_QUERIES.length;
    expect(
      share,
      `${misses.length} of ${JUDGED_QUERIES.length} missed:\n${misses.join('\n')}`,
    ).toBeGreaterThanOrEqual(LEAST_SHARE);
  });

  it('have the card first where it is meant beyond doubt, 95 of 100', async () => {
    const misses = await missesOf(({ first }) => (first ? 1 : 3));
    const share = 1 - misses.length / JUDGED_QUERIES.length;
    expect(
      share,
      `${misses.length} of ${JUDGED_QUERIES.length} missed:\n${misses.join('\n')}`,
    ).toBeGreaterThanOrEqual(LEAST_SHARE);
  });
});

describe('every name of the catalogue', () => {
  it('is a query that finds its product first', async () => {
    const { entries, index, nameOf } = await catalogueIndex();
    const names = [...new Set(entries.map(({ name }) => name))];
    const misses = names.filter((name) => {
      const [best] = index.search(parseQuery(name)).productIds;
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
        (query) => numberOf.get(index.search(parseQuery(query)).productIds[0]!) !== number,
      );
    });
    expect(misses).toEqual([]);
  });
});

async function missesOf(within: (judged: (typeof JUDGED_QUERIES)[number]) => number): Promise<string[]> {
  const { index, nameOf } = await catalogueIndex();
  return JUDGED_QUERIES.flatMap((judged) => {
    const names = index.search(parseQuery(judged.query)).productIds.map((id) => nameOf.get(id)!);
    if (names.slice(0, within(judged)).includes(judged.name)) return [];
    return [`${judged.query} → ${judged.name}, not ${names.slice(0, 3).join(' | ') || 'nothing'}`];
  });
}
