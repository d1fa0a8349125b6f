import { CountedCache } from '../lib/counted-cache.ts';

/** Half of the 60 seconds within which the tokens of an account that is suspended must end on every node. */
const MAX_AGE_MILLIS = 30_000;
const MAX_ACCOUNTS = 10_000;

/** What is to be known before anybody may act as an account. */
export interface AccountAccess {
  /** The platform (uuid) that it is below, if any. */
  parentId: string | null;
  suspended: boolean;
}

type Known<T> = T | Promise<T>;

/**
 * Whether accounts may be acted as: of those that were asked for lately, however many there are. A platform is told nothing of
 * accounts below others, so what one was told is nothing for another.
 */
export class HeldAccess {
  readonly use = new CountedCache<string, { atMillis: number; access: Known<AccountAccess | null> }>({
    max: MAX_ACCOUNTS,
  });

  /** Null where the platform has no such account; at once where it is known. */
  of(
    platformId: string,
    accountId: string,
    elapsed: () => number,
    read: () => Promise<AccountAccess | null>,
  ): Known<AccountAccess | null> {
    const atMillis = elapsed();
    const key = `${platformId} ${accountId}`;
    const known = this.use.get(key);
    if (known && atMillis - known.atMillis < MAX_AGE_MILLIS) return known.access;
    // The promise itself is kept: requests that come meanwhile wait for the same look-up.
    const access = read();
    const entry: { atMillis: number; access: Known<AccountAccess | null> } = { atMillis, access };
    this.use.set(key, entry);
    access.then(
      (found) => {
        entry.access = found;
      },
      () => this.use.delete(key),
    );
    return access;
  }

  forget(accountId: string): void {
    for (const key of [...this.use.keys()]) if (key.endsWith(accountId)) this.use.delete(key);
  }

  forgetAll(): void {
    this.use.clear();
  }
}
