import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { rateLimitHeaders } from './rate-limit.ts';

const WINDOW_MILLIS = 60_000;
const MAX_CLIENTS = 10_000;

/** Counts a request of the client and gives the `RateLimit-*` headers of its answer. Throws `RateLimited`. */
export type RequestLimit = (clientId: string) => Record<string, string>;

/** The limit of requests per minute for a client on this node; 0 for none. */
export function createRequestLimit(perMinute: number, elapsed: () => number): RequestLimit {
  if (perMinute === 0) return () => ({});
  const windows = new LRUCache<string, { endsAt: number; count: number }>({ max: MAX_CLIENTS });
  return (clientId) => {
    const millis = elapsed();
    let window = windows.get(clientId);
    if (!window || window.endsAt <= millis) {
      window = { endsAt: millis + WINDOW_MILLIS, count: 0 };
      windows.set(clientId, window);
    }
    window.count++;
    const resetSeconds = Math.ceil((window.endsAt - millis) / 1000);
    if (window.count > perMinute) {
      throw new DomainError(
        'RateLimited',
        `A client may send ${perMinute} requests a minute. Go on in ${resetSeconds} s.`,
        { retryAfterSeconds: resetSeconds, limit: perMinute },
      );
    }
    return rateLimitHeaders({ limit: perMinute, remaining: perMinute - window.count, resetSeconds });
  };
}
