import { describe, expect, it } from 'vitest';
import { CountedCache } from '../../src/lib/counted-cache.ts';

const cacheOf = (max: number, maxSize: number) =>
  new CountedCache<string, string>({ max, maxSize, sizeCalculation: (value) => value.length });

describe('CountedCache', () => {
  it('drops the entry used least recently when there are too many', () => {
    const cache = cacheOf(2, 100);
    cache.set('a', '1');
    cache.set('b', '2');
    cache.get('a');
    cache.set('c', '3');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['1', undefined, '3']);
    expect(cache.size).toBe(2);
  });

  it('drops as many as a large entry needs', () => {
    const cache = cacheOf(10, 10);
    for (const key of ['a', 'b', 'c']) cache.set(key, 'xxx');
    cache.set('d', 'x'.repeat(7));
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, undefined, 'xxx']);
    expect(cache.calculatedSize).toBe(10);
  });

  it('does not keep what is larger than itself, nor what it had under that key', () => {
    const cache = cacheOf(10, 10);
    cache.set('a', 'x');
    cache.set('b', 'x');
    cache.set('a', 'x'.repeat(11));
    expect([cache.get('a'), cache.get('b'), cache.calculatedSize]).toEqual([undefined, 'x', 1]);
  });

  it('counts what it had and what it had not', () => {
    const cache = new CountedCache<string, number>({ max: 2 });
    cache.set('a', 0);
    for (const key of ['a', 'b', 'a']) cache.get(key);
    expect([cache.hits, cache.misses, cache.size]).toEqual([2, 1, 1]);
    cache.clear();
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });
});
