import { describe, expect, it } from 'vitest';
import type { SearchEntry } from '../../../src/domain/search/entries.ts';
import { SearchMarket } from '../../../src/domain/search/search-market.ts';
import { searchTexts } from '../../../src/domain/search/search-texts.ts';
import { PART } from '../../../src/lib/parts.ts';
import { catalogueIndex } from './catalogue-entries.ts';

/** The entries, which count how many of them are looked at until `restart` is called. */
function watched(entries: readonly SearchEntry[]) {
  const seen = new Set<SearchEntry>();
  const all = entries.map(
    (entry) =>
      new Proxy(entry, {
        get(target, field) {
          seen.add(target);
          return Reflect.get(target, field);
        },
      }),
  );
  const restart = () => {
    const count = seen.size;
    seen.clear();
    return count;
  };
  return { all, restart };
}

describe('the index of the catalogue', () => {
  it('looks at a part of the cards in each step, when it is built', async () => {
    const { entries } = await catalogueIndex();
    const { all, restart } = watched(entries);
    const parts = searchTexts(all);
    let steps = 0;
    let most = 0;
    for (let isDone = false; !isDone; steps++) {
      isDone = parts.next().done!;
      // A sort compares those of one part with each other, or of two runs with the next ones.
      most = Math.max(most, restart());
    }
    expect(most).toBeLessThanOrEqual(2 * PART);
    expect(most).toBeGreaterThan(0);
    expect(steps).toBeGreaterThan(entries.length / PART);
  });

  it('asks for the market of a part of the cards in each step', async () => {
    const { entries } = await catalogueIndex();
    let asked = 0;
    const ids = entries.map(({ productId }) => productId);
    const parts = SearchMarket.of(
      ids,
      Uint32Array.from({ length: ids.length + 1 }, (_, i) => i),
      () => {
        asked++;
        return { price: '1.50', eur: null, sales30: asked % 7 };
      },
    );
    for (const _ of parts) {
      expect(asked).toBeLessThanOrEqual(PART);
      asked = 0;
    }
  });
});
