import { LRUCache } from 'lru-cache';
import type { CacheUse } from './cache-use.ts';

/** A cache that forgets what was used least recently, and counts what it had and what it had not. */
export class CountedCache<K extends {}, V extends {}> extends LRUCache<K, V> implements CacheUse {
  hits = 0;
  misses = 0;

  override get(key: K): V | undefined {
    const value = super.get(key);
    if (value === undefined) this.misses++;
    else this.hits++;
    return value;
  }
}
