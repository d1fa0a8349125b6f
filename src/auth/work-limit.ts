import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { RecentWork } from '../lib/processor-time.ts';
import type { AccountWork } from '../services/context.ts';

const MINUTE_MILLIS = 60_000;
const MAX_ACCOUNTS = 10_000;
/** Nobody waits longer than a minute for what was under way at once. */
const MOST_MINUTES = 2;
/** In these parts it is told what is left, so that answers that are alike stay alike. */
const SHOWN_PARTS = 10;
const WAIT_MILLIS = 1000;

/** The work that this process and the database do for each account, and its budget. */
export type WorkLimit = (accountId: string) => AccountWork;

/** @param perMinute milliseconds of work of the database and of the processor; 0 for no limit */
export function createWorkLimit(perMinute: number, elapsed: () => number): WorkLimit {
  const accounts = new LRUCache<string, AccountWork>({ max: MAX_ACCOUNTS });
  return (accountId) => {
    const known = accounts.get(accountId);
    if (known) return known;
    const made = new LeakyBucket(perMinute || Number.POSITIVE_INFINITY, elapsed);
    accounts.set(accountId, made);
    return made;
  };
}

/** Work fills it, time empties it. */
class LeakyBucket implements AccountWork {
  readonly #perMinute: number;
  readonly #elapsed: () => number;
  readonly #recent = new RecentWork();
  #used = 0;
  #at: number;

  constructor(perMinute: number, elapsed: () => number) {
    this.#perMinute = perMinute;
    this.#elapsed = elapsed;
    this.#at = elapsed();
  }

  pay(millis: number): void {
    this.#recent.add(millis);
    this.#used = this.#usedNow() + millis;
  }

  get recentMillis(): number {
    return this.#recent.millis;
  }

  assertLeft(): void {
    const over = this.#usedNow() - this.#perMinute;
    if (over < 0) return;
    const retryAfterSeconds = Math.floor((over * MINUTE_MILLIS) / this.#perMinute / 1000) + 1;
    const message =
      `The service may work ${this.#perMinute} ms a minute for an account, in the database and the processor, and has. ` +
      `Go on in ${retryAfterSeconds} s, with fewer or cheaper requests.`;
    throw new DomainError('RateLimited', message, { retryAfterSeconds });
  }

  left(): { limit: number; remaining: number } | undefined {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return undefined;
    const left = Math.max(0, this.#perMinute - this.#usedNow());
    const part = this.#perMinute / SHOWN_PARTS;
    return { limit: this.#perMinute, remaining: Math.round(Math.ceil(left / part) * part) };
  }

  async untilLeft(isOver: () => boolean): Promise<void> {
    while (!isOver() && this.#usedNow() >= this.#perMinute)
      await new Promise((resolve) => setTimeout(resolve, WAIT_MILLIS).unref());
  }

  #usedNow(): number {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return 0;
    const now = this.#elapsed();
    const passed = now - this.#at;
    const most = MOST_MINUTES * this.#perMinute;
    this.#used = Math.max(0, Math.min(this.#used, most) - (passed * this.#perMinute) / MINUTE_MILLIS);
    this.#at = now;
    return this.#used;
  }
}
