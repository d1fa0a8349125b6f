import type { CacheUse } from './cache-use.ts';

/** A map that forgets the entry used least recently when it would hold more than `capacity`. */
export class BoundedMap<K, V extends NonNullable<unknown>> implements CacheUse {
  hits = 0;
  misses = 0;
  // A Map keeps the order of insertion: the first entry is the one used least recently.
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) this.misses++;
    else {
      this.hits++;
      this.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value!);
  }

  clear(): void {
    this.#entries.clear();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
