import type { Database } from '../db/client.ts';
import { BoundedMap } from '../domain/bounded-map.ts';

const WINDOW_MILLIS = 60_000;
/** Of one minute, while the clocks of two nodes may differ by another. */
const LONGEST_WAIT_MILLIS = 2 * WINDOW_MILLIS;
const SWEEP_MILLIS = 60_000;
const MAX_BLOCKED = 10_000;

/**
 * A minute starts with the first request of a key, and anew where it would end later than the clocks of two nodes explain:
 * after a clock was set back nobody waits for what it said. $2 is when a minute that starts now ends, $3 is now.
 */
const COUNT = `
  insert into rate_limit (key, points, expire) values ($1, 1, $2)
  on conflict (key) do update set
    points = case when ${hasEnded('$3::bigint')} then 1 else rate_limit.points + 1 end,
    expire = case when ${hasEnded('$3::bigint')} then excluded.expire else rate_limit.expire end
  returning points, expire`;

function hasEnded(now: string): string {
  return `rate_limit.expire not between ${now} + 1 and ${now} + ${LONGEST_WAIT_MILLIS}`;
}

const SWEEP = `
  delete from rate_limit where key in (
    select key from rate_limit where expire <= $1 for update skip locked)`;

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

/** Counts a request for `key`. Exact over all nodes, which count in the database. */
export type RateLimiter = (key: string, perMinute: number) => Promise<RateLimitState>;

export function createRateLimiter(db: Database, now: () => Date): RateLimiter {
  /** Keys that are over their limit until a time: they need not be counted further. */
  const blocked = new BoundedMap<string, number>(MAX_BLOCKED);
  let sweptMillis = 0;

  return async (key, perMinute) => {
    const nowMillis = now().getTime();
    const blockedUntil = blocked.get(key) ?? 0;
    const state = (points: number, expireMillis: number): RateLimitState => ({
      limit: perMinute,
      remaining: Math.max(0, perMinute - points),
      resetSeconds: Math.max(1, Math.ceil((expireMillis - nowMillis) / 1000)),
      isOver: points > perMinute,
    });
    const blockedMillis = blockedUntil - nowMillis;
    if (blockedMillis > 0 && blockedMillis <= LONGEST_WAIT_MILLIS) return state(perMinute + 1, blockedUntil);
    if (nowMillis - sweptMillis >= SWEEP_MILLIS) {
      sweptMillis = nowMillis;
      await db.query(SWEEP, [nowMillis]);
    }
    const [row] = await db.query<{ points: number; expire: number }>(COUNT, [
      key,
      nowMillis + WINDOW_MILLIS,
      nowMillis,
    ]);
    if (row!.points > perMinute) blocked.set(key, row!.expire);
    return state(row!.points, row!.expire);
  };
}
