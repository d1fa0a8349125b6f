import { LRUCache } from 'lru-cache';
import type { CostBasis } from '../domain/cost-basis.ts';
import type { Currency } from '../domain/currencies.ts';
import type { PriceSource } from '../domain/inputs.ts';
import { ageOf, Clock, TRUSTED_MILLIS } from './clock.ts';

export interface Preferences {
  preferredCurrency: Currency;
  preferredPriceSource: PriceSource;
  costBasis: CostBasis;
}

const MAX_ACCOUNTS = 10_000;

/** The preferences of accounts: every price is shown in the preferred currency, and most requests show nothing else of the account. */
export class HeldPreferences {
  readonly #accounts = new LRUCache<string, Preferences & { readAtMillis: number }>({ max: MAX_ACCOUNTS });
  readonly #clock = new Clock();

  atHand(accountId: string, now: () => Date): Preferences | null {
    const known = this.#accounts.get(accountId);
    return known && ageOf(known.readAtMillis, now) < TRUSTED_MILLIS ? known : null;
  }

  /** As they were read last, however long ago: for whoever finds out where they are others by now. */
  last(accountId: string): Preferences | null {
    return this.#accounts.get(accountId) ?? null;
  }

  /** What `read` gives, and keeps it. */
  async read(accountId: string, now: () => Date, read: () => Promise<Preferences>): Promise<Preferences> {
    const confirmed = this.#clock.reading(now);
    const preferences = await read();
    const readAtMillis = confirmed();
    if (readAtMillis !== null) this.#accounts.set(accountId, { ...preferences, readAtMillis });
    return preferences;
  }

  forget(accountId: string): void {
    this.#clock.change();
    this.#accounts.delete(accountId);
  }

  forgetAll(): void {
    this.#clock.change();
    this.#accounts.clear();
  }
}
