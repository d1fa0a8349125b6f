import type { Database } from '../db/client.ts';
import { BoundedMap } from '../domain/bounded-map.ts';

const WINDOW_MILLIS = 60_000;
const SWEEP_MILLIS = 60_000;
const MAX_BLOCKED = 10_000;

/** A minute starts with the first request of a key. $2 is when a minute that starts now ends, $3 is now. */
const COUNT = `
  insert into rate_limit (key, points, expire) values ($1, 1, $2)
  on conflict (key) do update set
    points = case when rate_limit.expire <= $3 then 1 else rate_limit.points + 1 end,
    expire = case when rate_limit.expire <= $3 then excluded.expire else rate_limit.expire end
  returning points, expire`;

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
    if (nowMillis < blockedUntil) return state(perMinute + 1, blockedUntil);
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
