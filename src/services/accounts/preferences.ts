import { memoryOf } from '../../memory/memory.ts';
import type { Preferences } from '../../memory/preferences.ts';
import type { Context } from '../context.ts';
import { getAccount } from './get.ts';

export type { Preferences } from '../../memory/preferences.ts';

/** The caller's preferences where they are at hand. */
export function preferencesAtHand({ db, caller, now, seen }: Context): Preferences | null {
  if (db.isTransaction) return null;
  const preferences = memoryOf(db).preferences.atHand(caller.accountId, now);
  if (preferences) seen?.currencies.add(preferences.preferredCurrency);
  return preferences;
}

/** The caller's preferences. */
export async function getPreferences(ctx: Context): Promise<Preferences> {
  return preferencesAtHand(ctx) ?? readPreferences(ctx);
}

/** As the database has them. */
export function readPreferences(ctx: Context): Promise<Preferences> {
  const { db, caller, now } = ctx;
  const read = async () => {
    const { preferredCurrency, preferredPriceSource, costBasis } = await getAccount(ctx);
    return { preferredCurrency, preferredPriceSource, costBasis };
  };
  return db.isTransaction ? read() : memoryOf(db).preferences.read(caller.accountId, now, read);
}
