import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { RecentWork } from '../lib/processor-time.ts';
import type { AccountWork, WorkOf } from '../services/context.ts';

const MINUTE_MILLIS = 60_000;
const MAX_ACCOUNTS = 10_000;
const MAX_PLATFORMS = 10_000;
/**
 * How many minutes' budget may be used up at most, by the one it has. What has no bound, such as another currency of a
 * whole account, is waited for by who asked for it, up to half an hour; all below a platform never wait longer than a minute for one of them.
 */
const MOST_MINUTES = { account: 31, platform: 2 } as const;

type Whose = keyof WorkLimits;

const WHOM: Record<Whose, string> = { account: 'an account', platform: 'all accounts below a platform' };

/** In these parts it is told what is left, so that answers that are alike stay alike. */
const SHOWN_PARTS = 10;
const WAIT_MILLIS = 1000;

/** What one account, and all accounts below a platform, may take a minute: milliseconds of the database and the processor; 0 for no limit. */
export interface WorkLimits {
  account: number;
  platform: number;
}

/** The work that this process and the database do for each account, and its budget. */
export function createWorkLimit(perMinute: WorkLimits, elapsed: () => number): WorkOf {
  const newBudgets = (max: number, limit: number, whose: Whose) => {
    const budgets = new LRUCache<string, LeakyBucket>({ max });
    return (id: string): LeakyBucket => {
      const known = budgets.get(id);
      if (known) return known;
      const made = new LeakyBucket(limit || Number.POSITIVE_INFINITY, elapsed, whose);
      budgets.set(id, made);
      return made;
    };
  };
  const ofAccount = newBudgets(MAX_ACCOUNTS, perMinute.account, 'account');
  const ofAll = newBudgets(MAX_PLATFORMS, perMinute.platform, 'platform');
  return (accountId, platformId) => {
    const work = ofAccount(accountId);
    // It never changes, and what is done beside requests does not always name it.
    if (platformId !== undefined) work.above = ofAll(platformId);
    return work;
  };
}

/** Work fills it, time empties it. */
class LeakyBucket implements AccountWork {
  /** That of its platform, which it fills as well. */
  above: LeakyBucket | undefined;
  readonly #perMinute: number;
  readonly #elapsed: () => number;
  readonly #whose: Whose;
  readonly #recent = new RecentWork();
  readonly #recentDatabase = new RecentWork();
  #used = 0;
  #at: number;

  constructor(perMinute: number, elapsed: () => number, whose: Whose) {
    this.#perMinute = perMinute;
    this.#elapsed = elapsed;
    this.#whose = whose;
    this.#at = elapsed();
  }

  pay(millis: number): void {
    this.#recent.add(millis);
    this.#used = this.#usedNow() + millis;
    this.above?.pay(millis);
  }

  payDatabase(millis: number): void {
    this.#recentDatabase.add(millis);
    this.#used = this.#usedNow() + millis;
    this.above?.payDatabase(millis);
  }

  get recentMillis(): number {
    return this.#recent.millis;
  }

  get recentDatabaseMillis(): number {
    return this.#recentDatabase.millis;
  }

  assertLeft(): void {
    const over = this.#usedNow() - this.#perMinute;
    if (over < 0) {
      this.above?.assertLeft();
      return;
    }
    const retryAfterSeconds = Math.floor((over * MINUTE_MILLIS) / this.#perMinute / 1000) + 1;
    const message =
      `The service may work ${this.#perMinute} ms a minute for ${WHOM[this.#whose]}, in the database and the processor, and has. ` +
      `Go on in ${retryAfterSeconds} s, with fewer or cheaper requests.`;
    throw new DomainError('RateLimited', message, { retryAfterSeconds });
  }

  get isUsedUp(): boolean {
    return this.#usedNow() >= this.#perMinute || this.above?.isUsedUp === true;
  }

  left(): { limit: number; remaining: number } | undefined {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return undefined;
    const left = Math.max(0, this.#perMinute - this.#usedNow());
    const part = this.#perMinute / SHOWN_PARTS;
    return { limit: this.#perMinute, remaining: Math.round(Math.ceil(left / part) * part) };
  }

  async untilLeft(isOver: () => boolean): Promise<void> {
    while (!isOver() && this.isUsedUp)
      await new Promise((resolve) => setTimeout(resolve, WAIT_MILLIS).unref());
  }

  #usedNow(): number {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return 0;
    const now = this.#elapsed();
    const passed = now - this.#at;
    const most = MOST_MINUTES[this.#whose] * this.#perMinute;
    this.#used = Math.max(0, Math.min(this.#used, most) - (passed * this.#perMinute) / MINUTE_MILLIS);
    this.#at = now;
    return this.#used;
  }
}
