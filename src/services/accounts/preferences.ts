import type { Database, OpenDatabase, StopListening } from '../../db/client.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { Currency } from '../../domain/currencies.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import type { Context } from '../context.ts';
import { getAccount } from './get.ts';

export interface Preferences {
  preferredCurrency: Currency;
  preferredPriceSource: PriceSource;
}

/**
 * Each node keeps an account's preferences for a second, or until it hears that they have changed: every price is shown
 * in the preferred currency, and most requests show nothing else of the account.
 */
const TRUSTED_MILLIS = 1000;
const MAX_ACCOUNTS = 10_000;
const CHANNEL = 'preferences';

type Kept = Preferences & { readAtMillis: number };
const keptOf = new WeakMap<object, BoundedMap<string, Kept>>();

function kept({ identity }: Database): BoundedMap<string, Kept> {
  let accounts = keptOf.get(identity);
  if (!accounts) {
    accounts = new BoundedMap(MAX_ACCOUNTS);
    keptOf.set(identity, accounts);
  }
  return accounts;
}

/** The caller's preferences where they are at hand. */
export function preferencesAtHand({ db, caller, now, seen }: Context): Preferences | null {
  if (db.isTransaction) return null;
  const preferences = kept(db).get(caller.accountId);
  // The distance, since the clock may have been set back.
  if (!preferences || Math.abs(now().getTime() - preferences.readAtMillis) >= TRUSTED_MILLIS) return null;
  seen?.currencies.add(preferences.preferredCurrency);
  return preferences;
}

/** The caller's preferences. */
export async function getPreferences(ctx: Context): Promise<Preferences> {
  const atHand = preferencesAtHand(ctx);
  if (atHand) return atHand;
  const readAtMillis = ctx.now().getTime();
  const { preferredCurrency, preferredPriceSource } = await getAccount(ctx);
  const preferences = { preferredCurrency, preferredPriceSource };
  if (!ctx.db.isTransaction) kept(ctx.db).set(ctx.caller.accountId, { ...preferences, readAtMillis });
  return preferences;
}

/** For the process that has changed them: the next reader sees it. All others are told. */
export function preferencesChanged(db: Database, accountId: string): void {
  kept(db).delete(accountId);
  db.notify(CHANNEL, accountId);
}

/** Forgets what a node says has changed, and all when some may have been missed. */
export function forgetChangedPreferences(db: OpenDatabase): StopListening {
  const accounts = kept(db);
  return db.listen(
    CHANNEL,
    (accountId) => accounts.delete(accountId),
    () => accounts.clear(),
  );
}
