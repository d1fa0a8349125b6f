import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  countedInParts,
  mappedInParts,
  PART,
  type Parts,
  sortedInParts,
} from '../../src/lib/parts.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const LENGTHS = [0, 1, PART - 1, PART, PART + 1, 2 * PART, 5 * PART + 3];
const numbers = (length: number) => Array.from({ length }, (_, i) => (i * 7919) % 1009);

/** How often `count` was called in each part of the work. */
function perPart(work: (count: () => void) => Parts<unknown>): number[] {
  let counted = 0;
  const parts: number[] = [];
  for (const _ of work(() => counted++)) {
    parts.push(counted);
    counted = 0;
  }
  return [...parts, counted];
}

describe('work in parts', () => {
  it.each(LENGTHS)('does %i of something, in their order, so many at a time', (length) => {
    const seen: number[] = [];
    const counts = perPart((count) =>
      countedInParts(length, (i) => {
        count();
        seen.push(i);
      }),
    );
    expect(Math.max(...counts)).toBe(Math.min(length, PART));
    expect(seen).toEqual([...seen.keys()]);
    expect(seen).toHaveLength(length);
    expect(atOnce(mappedInParts(numbers(length), (number, i) => [number, i]))).toEqual(
      numbers(length).map((number, i) => [number, i]),
    );
  });

  it.each(LENGTHS)('sorts %i, and leaves equals in their order', (length) => {
    const items = numbers(length).map((number, i) => ({ key: number % 13, i }));
    const expected = items.toSorted((a, b) => a.key - b.key || a.i - b.i);
    expect(atOnce(sortedInParts(items, (a, b) => a.key - b.key))).toEqual(expected);
  });

  it('sorts as the platform does', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 3 * PART, size: 'max' }), (texts) => {
        const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
        expect(atOnce(sortedInParts(texts, byText))).toEqual(texts.toSorted());
      }),
      { numRuns: fuzzRuns(20) },
    );
  });

  it.each([1, 2, 64])('compares no more in a part when %i parts are sorted', (parts) => {
    const counts = perPart((count) =>
      sortedInParts(numbers(parts * PART), (a, b) => {
        count();
        return a - b;
      }),
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(PART * Math.log2(PART));
  });
});
