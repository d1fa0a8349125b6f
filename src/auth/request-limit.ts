import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { rateLimitHeaders } from './rate-limit.ts';

const WINDOW_MILLIS = 60_000;
const MAX_COUNTED = 10_000;

/** Counts a request by who sends it, and gives the `RateLimit-*` headers of its answer. Throws `RateLimited`. */
export type RequestLimit = (sender: string) => Record<string, string>;

/**
 * A limit of requests per minute on this node; 0 for none.
 * @param rule what may be sent, with `N` for how many
 */
export function createRequestLimit(perMinute: number, elapsed: () => number, rule: string): RequestLimit {
  if (perMinute === 0) return () => ({});
  const windows = new LRUCache<string, { endsAt: number; count: number }>({ max: MAX_COUNTED });
  return (sender) => {
    const millis = elapsed();
    let window = windows.get(sender);
    if (!window || window.endsAt <= millis) {
      window = { endsAt: millis + WINDOW_MILLIS, count: 0 };
      windows.set(sender, window);
    }
    window.count++;
    const resetSeconds = Math.ceil((window.endsAt - millis) / 1000);
    if (window.count > perMinute) {
      throw new DomainError(
        'RateLimited',
        `${rule.replace('N', String(perMinute))} Go on in ${resetSeconds} s.`,
        { retryAfterSeconds: resetSeconds, limit: perMinute },
      );
    }
    return rateLimitHeaders({ limit: perMinute, remaining: perMinute - window.count, resetSeconds });
  };
}
