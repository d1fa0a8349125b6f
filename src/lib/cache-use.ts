/** How a cache is used; hits and misses grow while the process lives. */
export interface CacheUse {
  readonly hits: number;
  readonly misses: number;
  /** Entries that it holds. */
  readonly size: number;
}

/** The same, as the cache itself keeps it. */
export type CacheCount = { -readonly [Name in keyof CacheUse]: CacheUse[Name] };
