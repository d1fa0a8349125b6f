import { describe, expect, it } from 'vitest';
import { LruCache } from '../../src/graphql/lru-cache.ts';

const cacheOf = (maxEntries: number, maxBytes: number) =>
  new LruCache<string, string>({ maxEntries, maxBytes }, (_key, value) => value.length);

describe('LruCache', () => {
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
    expect(cache.bytes).toBe(10);
  });

  it('replaces an entry, and counts it once', () => {
    const cache = cacheOf(10, 10);
    cache.set('a', 'x'.repeat(9));
    cache.set('a', 'y');
    expect([cache.get('a'), cache.size, cache.bytes]).toEqual(['y', 1, 1]);
  });

  it('does not keep what is larger than itself, nor what it had under that key', () => {
    const cache = cacheOf(10, 10);
    cache.set('a', 'x');
    cache.set('b', 'x');
    cache.set('a', 'x'.repeat(11));
    expect([cache.get('a'), cache.get('b'), cache.bytes]).toEqual([undefined, 'x', 1]);
  });
});
