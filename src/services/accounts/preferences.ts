import { memoryOf } from '../../memory/memory.ts';
import type { Preferences } from '../../memory/preferences.ts';
import { type Context, observed } from '../context.ts';
import { getAccount } from './get.ts';

export type { Preferences } from '../../memory/preferences.ts';

/** The caller's preferences where they are at hand. */
export function preferencesAtHand(ctx: Context): Preferences | null {
  const { db, caller, now } = ctx;
  if (db.isTransaction) return null;
  const preferences = memoryOf(db).preferences.atHand(caller.accountId, now);
  return preferences && noted(ctx, preferences);
}

/** Being read for an answer, whose parts ask at once. */
const beingRead = new WeakMap<Context, Promise<Preferences>>();

/** The caller's preferences. */
export async function getPreferences(ctx: Context): Promise<Preferences> {
  const known = preferencesAtHand(ctx) ?? beingRead.get(ctx);
  if (known) return known;
  const read = readPreferences(ctx)
    .then((preferences) => noted(ctx, preferences))
    .finally(() => beingRead.delete(ctx));
  beingRead.set(ctx, read);
  return read;
}

function noted(ctx: Context, preferences: Preferences): Preferences {
  observed(ctx, [{ currency: preferences.preferredCurrency }]);
  return preferences;
}

/** As the database has them; those of a transaction, which may have changed them, are not kept. */
export function readPreferences(ctx: Context): Promise<Preferences> {
  return ctx.db.isTransaction ? storedPreferences(ctx) : learnPreferences(ctx);
}

/** The same, kept for the next who asks: a transaction has changed none. */
export function learnPreferences(ctx: Context): Promise<Preferences> {
  const { db, caller, now } = ctx;
  return memoryOf(db).preferences.read(caller.accountId, now, () => storedPreferences(ctx));
}

async function storedPreferences(ctx: Context): Promise<Preferences> {
  const { preferredCurrency, preferredPriceSource, costBasis } = await getAccount(ctx, { isKept: true });
  return { preferredCurrency, preferredPriceSource, costBasis };
}
