import type { CacheUse } from './cache-use.ts';

/**
 * A map that forgets an entry used less recently than others when it would hold more than `capacity`: the one used least
 * recently since it was half full, for until then it need not know.
 */
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
      if (2 * this.#entries.size > this.#capacity) this.set(key, value);
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
