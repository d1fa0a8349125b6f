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

/** Whether accounts may be acted as: of those that were asked for lately, however many there are. */
export class HeldAccess {
  readonly use = new CountedCache<string, { atMillis: number; access: Known<AccountAccess | null> }>({
    max: MAX_ACCOUNTS,
  });

  /** Null where there is no such account; at once where it is known. */
  of(
    accountId: string,
    elapsed: () => number,
    read: () => Promise<AccountAccess | null>,
  ): Known<AccountAccess | null> {
    const atMillis = elapsed();
    const known = this.use.get(accountId);
    if (known && atMillis - known.atMillis < MAX_AGE_MILLIS) return known.access;
    // The promise itself is kept: requests that come meanwhile wait for the same look-up.
    const access = read();
    const entry: { atMillis: number; access: Known<AccountAccess | null> } = { atMillis, access };
    this.use.set(accountId, entry);
    access.then(
      (found) => {
        entry.access = found;
      },
      () => this.use.delete(accountId),
    );
    return access;
  }

  forget(accountId: string): void {
    this.use.delete(accountId);
  }

  forgetAll(): void {
    this.use.clear();
  }
}
