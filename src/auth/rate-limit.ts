import { LRUCache } from 'lru-cache';
import type { Database } from '../db/client.ts';
import { COUNT_REQUEST, LONGEST_LIMIT_MILLIS, SWEEP_LIMITS } from '../db/queries/auth.ts';

const WINDOW_MILLIS = 60_000;
const SWEEP_MILLIS = 60_000;
const MAX_BLOCKED = 10_000;

/** Where a key is in its minute, after the request that was counted. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  /** Until the minute ends. */
  resetSeconds: number;
  /** The request is not among the first `limit` of its minute. */
  isOver: boolean;
}

/** The headers that tell a client where it is in its minute. */
export function rateLimitHeaders({
  limit,
  remaining,
  resetSeconds,
}: Omit<RateLimitState, 'isOver'>): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  };
}

/** Counts a request from an address for `key`. Exact over all nodes, which count in the database. */
export type RateLimiter = (key: string, perMinute: number, address: string) => Promise<RateLimitState>;

export function createRateLimiter(db: Database, now: () => Date): RateLimiter {
  /** Keys that are over their limit until a time: they need not be counted further. */
  const blocked = new LRUCache<string, number>({ max: MAX_BLOCKED });
  let sweptMillis = 0;

  return async (key, perMinute, address) => {
    const nowMillis = now().getTime();
    const blockedUntil = blocked.get(key) ?? 0;
    const state = (points: number, expireMillis: number): RateLimitState => ({
      limit: perMinute,
      remaining: Math.max(0, perMinute - points),
      resetSeconds: Math.max(1, Math.ceil((expireMillis - nowMillis) / 1000)),
      isOver: points > perMinute,
    });
    const blockedMillis = blockedUntil - nowMillis;
    if (blockedMillis > 0 && blockedMillis <= LONGEST_LIMIT_MILLIS) return state(perMinute + 1, blockedUntil);
    if (nowMillis - sweptMillis >= SWEEP_MILLIS) {
      sweptMillis = nowMillis;
      await db.query(SWEEP_LIMITS, [nowMillis]);
    }
    const params = [key, nowMillis + WINDOW_MILLIS, nowMillis];
    const [row] = await db.query<{ points: number; expire: number }>(COUNT_REQUEST, params, { address });
    if (row!.points > perMinute) blocked.set(key, row!.expire);
    return state(row!.points, row!.expire);
  };
}
