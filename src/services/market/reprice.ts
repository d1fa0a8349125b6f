import type { Database } from '../../db/client.ts';
import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import {
  MARK_PRICED,
  RATE_LEDGER,
  REDERIVE_HOLDINGS,
  REPRICE_HOLDINGS,
  RETOTAL_COLLECTIONS,
} from '../../db/queries/derived.ts';
import { ACCOUNTS_TO_REPRICE } from '../../db/queries/market.ts';
import type { Context } from '../context.ts';

/**
 * Brings the amounts of every account to the latest prices and exchange rates, an account at a time: its readers see
 * the old values or the new, and its writers wait no longer than its own pass takes. What a crash leaves undone is done
 * at the next call. Gives the number of accounts that were repriced.
 */
export async function repriceAccounts(db: Database): Promise<number> {
  const accounts = await db.query<{ accountId: string }>(ACCOUNTS_TO_REPRICE);
  for (const { accountId } of accounts) await db.transaction((tx) => lockAndRederive(tx, accountId));
  return accounts.length;
}

/**
 * Runs `work` on one snapshot of the database, in which the caller's account has the prices of the snapshot, whether or
 * not its turn has come.
 */
export function inOneMarket<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    await lockAndRederive(tx, ctx.caller.accountId);
    return work({ ...ctx, db: tx });
  });
}

async function lockAndRederive(tx: Database, accountId: string): Promise<void> {
  await tx.query('set local statement_timeout = 0');
  await tx.query(LOCK_COLLECTIONS, [accountId]);
  await rederiveAccount(tx, accountId);
}

/**
 * Rates, prices and totals of an account whose collections are locked. Rates that were imported after a transaction was
 * recorded count too: the amounts do not depend on which came first.
 */
export async function rederiveAccount(tx: Database, accountId: string): Promise<void> {
  const [{ rated }] = (await tx.query<{ rated: number }>(RATE_LEDGER, [accountId])) as [{ rated: number }];
  if (rated > 0) await tx.query(REDERIVE_HOLDINGS, [accountId]);
  for (const statement of [REPRICE_HOLDINGS, RETOTAL_COLLECTIONS, MARK_PRICED])
    await tx.query(statement, [accountId]);
}
