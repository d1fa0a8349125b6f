import type { CacheUse } from '../lib/cache-use.ts';

/** What a cache may hold: entries, and the sum of their sizes in bytes. */
export interface LruLimits {
  maxEntries: number;
  maxBytes: number;
}

/**
 * A cache that forgets what was used least recently when it would outgrow either limit; what was used before it was half
 * full counts as used when it was set.
 */
export class LruCache<K, V> implements CacheUse {
  hits = 0;
  misses = 0;
  readonly #limits: LruLimits;
  readonly #bytesOf: (key: K, value: V) => number;
  // A Map keeps the order of insertion: the first entry is the one used least recently.
  readonly #entries = new Map<K, { value: V; bytes: number }>();
  #bytes = 0;

  constructor(limits: LruLimits, bytesOf: (key: K, value: V) => number) {
    this.#limits = limits;
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    if (this.#isHalfFull()) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** A value that is larger than the whole cache is not kept. */
  set(key: K, value: V): void {
    this.#drop(key);
    const bytes = this.#bytesOf(key, value);
    if (bytes > this.#limits.maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#bytes <= this.#limits.maxBytes) return;
      this.#drop(oldest);
    }
  }

  #isHalfFull(): boolean {
    const { maxEntries, maxBytes } = this.#limits;
    return 2 * this.#entries.size > maxEntries || 2 * this.#bytes > maxBytes;
  }

  #drop(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
