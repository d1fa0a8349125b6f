import { LOCK_ACCOUNT, UPDATE_PREFERENCES } from '../../db/queries/accounts.ts';
import { UpdatePreferencesInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { preferencesChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { applyPreferences } from './apply-preferences.ts';
import { type Account, getAccount } from './get.ts';

/**
 * Changes the preferences that are given. Another currency or cost basis re-derives every amount of the account in one database
 * transaction (docs/decisions.md#currencies-and-rates, #cost-basis), while its writers wait. Throws `ValidationFailed`.
 */
export async function updatePreferences(ctx: Context, input: unknown): Promise<Account> {
  const parsed = parseInput(UpdatePreferencesInput, input);
  return idempotently(ctx, 'updatePreferences', parsed, (once) => update(once, parsed));
}

async function update(
  ctx: Context,
  { preferredCurrency, preferredPriceSource, costBasis }: UpdatePreferencesInput,
): Promise<Account> {
  const { accountId } = ctx.caller;
  const account = await ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const given = [preferredCurrency ?? null, preferredPriceSource ?? null, costBasis ?? null];
    await tx.query(UPDATE_PREFERENCES, [accountId, ...given]);
    const writing = { ...ctx, db: tx };
    await applyPreferences(writing);
    return getAccount(writing);
  });
  preferencesChanged(ctx.db, accountId);
  return account;
}
