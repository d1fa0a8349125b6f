import type { Database } from '../../db/client.ts';
import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import {
  MARK_PRICED,
  PRICING_STATE,
  RATE_LEDGER,
  REDERIVE_HOLDINGS,
  REPRICE_HOLDINGS,
  RETOTAL_COLLECTIONS,
} from '../../db/queries/derived.ts';
import { ACCOUNTS_TO_REPRICE } from '../../db/queries/market.ts';
import { type Context, Seen } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { judgeAlerts } from '../price-alerts/judge.ts';

/** Imports follow one another far more slowly than queries are executed. */
const MAX_SNAPSHOTS = 5;

/**
 * Brings the amounts of every account to the latest prices and exchange rates and judges its alerts, an account at a
 * time: its readers see the old values or the new, and its writers wait no longer than its own pass takes. What a crash
 * leaves undone is done at the next call. Gives the number of accounts that were repriced.
 */
export async function repriceAccounts(db: Database): Promise<number> {
  const accounts = await db.query<{ accountId: string }>(ACCOUNTS_TO_REPRICE);
  for (const { accountId } of accounts) await catchUp(db, accountId);
  return accounts.length;
}

/** The same for one account, for those who come before its turn; nothing where it is at the latest prices already. */
export function catchUp(db: Database, accountId: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(LOCK_COLLECTIONS, [accountId]);
    const [state] = await tx.query<{ current: boolean }>(PRICING_STATE, [accountId]);
    if (!state!.current) await rederiveAccount(tx, accountId);
  });
}

/**
 * Runs `work`, which reads, on snapshots of the database until all amounts that it saw are of one state of the market;
 * before each one the caller's account is brought to the latest prices, whether or not its turn has come.
 */
export async function inOneMarket<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await catchUp(ctx.db, ctx.caller.accountId);
    const seen = new Seen();
    const result = await ctx.db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return work({ ...ctx, db: tx, seen });
    });
    if (!seen.isMixed || attempt === MAX_SNAPSHOTS) return result;
  }
}

/**
 * Rates, prices and totals of an account whose collections are locked, and then its alerts. Rates that were imported
 * after a transaction was recorded count too: the amounts do not depend on which came first. An import that commits
 * meanwhile is not marked as seen, so that its own pass comes to this account again.
 */
export async function rederiveAccount(tx: Database, accountId: string): Promise<void> {
  const [state] = await tx.query<{ revision: number }>(PRICING_STATE, [accountId]);
  const [{ rated }] = (await tx.query<{ rated: number }>(RATE_LEDGER, [accountId])) as [{ rated: number }];
  if (rated > 0) await tx.query(REDERIVE_HOLDINGS, [accountId]);
  await tx.query(REPRICE_HOLDINGS, [accountId]);
  const changed = await tx.query<{ id: string }>(RETOTAL_COLLECTIONS, [accountId]);
  await tx.query(MARK_PRICED, [accountId, state!.revision]);
  announceCollections(tx, accountId, changed);
  await judgeAlerts(tx, accountId, state!.revision);
}
