import type { Database } from '../../db/client.ts';
import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import { MARK_PRICED, REPRICE_HOLDINGS, RETOTAL_COLLECTIONS } from '../../db/queries/derived.ts';
import { ACCOUNTS_TO_REPRICE } from '../../db/queries/market.ts';

/**
 * Brings the market values of every account to the latest prices and exchange rates, an account at a time: its
 * readers see the old values or the new, and its writers wait no longer than its own pass takes. What a crash leaves
 * undone is done at the next call. Gives the number of accounts that were repriced.
 */
export async function repriceAccounts(db: Database): Promise<number> {
  const accounts = await db.query<{ accountId: string }>(ACCOUNTS_TO_REPRICE);
  for (const { accountId } of accounts) {
    await db.transaction(async (tx) => {
      await tx.query('set local statement_timeout = 0');
      await tx.query(LOCK_COLLECTIONS, [accountId]);
      for (const statement of [REPRICE_HOLDINGS, RETOTAL_COLLECTIONS, MARK_PRICED])
        await tx.query(statement, [accountId]);
    });
  }
  return accounts.length;
}
