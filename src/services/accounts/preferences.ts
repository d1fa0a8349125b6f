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

type KeptPreferences = Preferences & { readAtMillis: number };

/** What a node keeps of a database. */
interface Kept {
  accounts: BoundedMap<string, KeptPreferences>;
  /** How often it has heard of a change: what was read before one is not kept after it. */
  changes: number;
}

const keptOf = new WeakMap<object, Kept>();

function kept({ identity }: Database): Kept {
  let known = keptOf.get(identity);
  if (!known) {
    known = { accounts: new BoundedMap(MAX_ACCOUNTS), changes: 0 };
    keptOf.set(identity, known);
  }
  return known;
}

/** The caller's preferences where they are at hand. */
export function preferencesAtHand({ db, caller, now, seen }: Context): Preferences | null {
  if (db.isTransaction) return null;
  const preferences = kept(db).accounts.get(caller.accountId);
  // The distance, since the clock may have been set back.
  if (!preferences || Math.abs(now().getTime() - preferences.readAtMillis) >= TRUSTED_MILLIS) return null;
  seen?.currencies.add(preferences.preferredCurrency);
  return preferences;
}

/** The caller's preferences. */
export async function getPreferences(ctx: Context): Promise<Preferences> {
  const atHand = preferencesAtHand(ctx);
  if (atHand) return atHand;
  const known = kept(ctx.db);
  const { changes } = known;
  const readAtMillis = ctx.now().getTime();
  const { preferredCurrency, preferredPriceSource } = await getAccount(ctx);
  const preferences = { preferredCurrency, preferredPriceSource };
  if (!ctx.db.isTransaction && known.changes === changes) {
    known.accounts.set(ctx.caller.accountId, { ...preferences, readAtMillis });
  }
  return preferences;
}

/** For the process that has changed them: the next reader sees it. All others are told. */
export function preferencesChanged(db: Database, accountId: string): void {
  forget(kept(db), accountId);
  db.notify(CHANNEL, accountId);
}

/** Forgets what a node says has changed, and all when some may have been missed. */
export function forgetChangedPreferences(db: OpenDatabase): StopListening {
  const known = kept(db);
  return db.listen(
    CHANNEL,
    (accountId) => forget(known, accountId),
    () => {
      known.changes++;
      known.accounts.clear();
    },
  );
}

function forget(known: Kept, accountId: string): void {
  known.changes++;
  known.accounts.delete(accountId);
}
