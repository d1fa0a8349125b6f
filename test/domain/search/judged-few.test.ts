import { expect, it } from 'vitest';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import { buildSearchIndex, type SearchEntry } from '../../../src/domain/search/search-index.ts';
import { JUDGED_QUERIES } from './judged-queries.ts';
import { searchCard } from './search-card.ts';

const NUMBERS: Record<string, string> = {
  'Rhinar, Reckless Rampage': 'WTR001',
  'Enlightened Strike': '1HP361',
  'Prism, Awakener of Sol': 'DTD001',
};
const PITCH: Record<string, string> = { Red: '1', Yellow: '2', Blue: '3' };
const COLOURS: Record<string, string> = { 'Enlightened Strike': 'Red', 'Energy Potion': 'Blue' };

/** The cards that are meant, by their names alone, and those of them that have another colour. */
function judgedCards(): SearchEntry[] {
  return [...new Set(JUDGED_QUERIES.map(({ name }) => name))].map((name) =>
    searchCard({
      productId: name,
      name,
      number: NUMBERS[name] ?? null,
      setCode: name.startsWith('Command') ? 'ARC' : 'WTR',
      rarities: ['Majestic'],
      variantNames: ['Cold Foil'],
      class: 'Generic',
      pitchValue: PITCH[/\((\w+)\)$/.exec(name)?.[1] ?? COLOURS[name] ?? ''] ?? null,
    }),
  );
}

it('the judged queries find their cards among each other', () => {
  const index = buildSearchIndex(judgedCards());
  const best = (query: string) => index.search(parseQuery(query)).productIds;
  const misses = JUDGED_QUERIES.filter(
    ({ query, name, first }) =>
      !best(query)
        .slice(0, first ? 1 : 3)
        .includes(name),
  );
  expect(misses.map(({ query }) => query)).toEqual([]);
});

it('each of their names finds its card', () => {
  const names = judgedCards().map(({ name }) => name);
  const index = buildSearchIndex(judgedCards());
  expect(names.filter((name) => index.search(parseQuery(name)).productIds[0] !== name)).toEqual([]);
});
