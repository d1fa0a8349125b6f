import { LOCK_ACCOUNT, LOCK_COLLECTIONS, UPDATE_PREFERENCES } from '../../db/queries/accounts.ts';
import { SET_COLLECTION_CURRENCY } from '../../db/queries/derived.ts';
import { JOIN_CONVERTED_WRITES } from '../../db/queries/rates.ts';
import { parseInput, UpdatePreferencesInput } from '../../domain/inputs.ts';
import { preferencesChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { type Account, getAccount } from './get.ts';
import { rerateLedger } from './rerate.ts';

/**
 * Changes the preferences that are given. Another currency re-derives every amount of the account in one database
 * transaction (docs/decisions.md#currencies-and-rates), while its writers wait. Throws `ValidationFailed`.
 */
export async function updatePreferences(ctx: Context, input: unknown): Promise<Account> {
  const parsed = parseInput(UpdatePreferencesInput, input);
  return idempotently(ctx, 'updatePreferences', parsed, (once) => update(once, parsed));
}

async function update(
  ctx: Context,
  { preferredCurrency, preferredPriceSource }: UpdatePreferencesInput,
): Promise<Account> {
  const { accountId } = ctx.caller;
  const account = await ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const before = await getAccount({ ...ctx, db: tx });
    await tx.query(UPDATE_PREFERENCES, [accountId, preferredCurrency ?? null, preferredPriceSource ?? null]);
    const after = await getAccount({ ...ctx, db: tx });
    if (after.preferredCurrency === before.preferredCurrency) return after;
    // The whole ledger of the account is rated again, which may take longer than a request's statement.
    await tx.liftTimeouts();
    // An import of rates that comes between looks for ledgers by their currency.
    await tx.query(JOIN_CONVERTED_WRITES);
    await tx.query(LOCK_COLLECTIONS, [accountId]);
    const params = [accountId, after.preferredCurrency];
    const collections = await tx.query<{ id: string }>(SET_COLLECTION_CURRENCY, params);
    await rerateLedger(tx, accountId, undefined, collections);
    return after;
  });
  preferencesChanged(ctx.db, accountId);
  return account;
}
