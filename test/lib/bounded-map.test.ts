import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/lib/bounded-map.ts';

describe('BoundedMap', () => {
  it('forgets the entry used least recently beyond its capacity', () => {
    const cache = new BoundedMap<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
    expect(cache.size).toBe(2);
  });

  it('replaces and deletes', () => {
    const cache = new BoundedMap<string, number>(2);
    cache.set('a', 1);
    cache.set('a', 2);
    expect([cache.size, cache.get('a')]).toEqual([1, 2]);
    cache.delete('a');
    expect([cache.size, cache.get('a')]).toEqual([0, undefined]);
  });

  it('counts what it had and what it had not', () => {
    const cache = new BoundedMap<string, number>(2);
    cache.set('a', 0);
    for (const key of ['a', 'b', 'a']) cache.get(key);
    expect([cache.hits, cache.misses, cache.size]).toEqual([2, 1, 1]);
    cache.clear();
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });
});
