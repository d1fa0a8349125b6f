import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT, LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import {
  DELETE_LEDGER_TO_RATE,
  DELETE_RATE_CHANGE,
  LOCK_LEDGER_TO_RATE,
  LOCK_RATE_CHANGE,
  NOTE_LEDGERS_TO_RATE,
} from '../../db/queries/rates.ts';
import { type Days, rerateLedger } from '../accounts/rerate.ts';
import { judgeDueAlerts } from '../price-alerts/judge.ts';

/**
 * Told of an account for which the work failed, or with null where all of it did; others do not wait for it, and the next
 * call tries it again.
 */
export type OnFailure = (accountId: string | null, error: unknown) => void;

/**
 * Does what an import leaves to be done for accounts: new exchange rates in the ledgers that they concern, and the judging
 * of price alerts. Any process may call it, several share the work, and what one leaves undone, the next takes up. Gives
 * the number of accounts that failed.
 */
export async function settleMarket(db: Database, onFailure: OnFailure = () => {}): Promise<number> {
  const failed = new Set<string>();
  const fail = (accountId: string, error: unknown) => {
    failed.add(accountId);
    onFailure(accountId, error);
  };
  const steps = [
    async () => {
      while (await noteRateChange(db));
    },
    async () => {
      while (await rateLedger(db, failed, fail));
    },
    () => judgeDueAlerts(db, fail),
  ];
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
  return failed.size;
}

/** Looks for the accounts that a change of rates concerns. Gives whether there was one. */
function noteRateChange(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    const [change] = await tx.query<Days & { id: string }>(LOCK_RATE_CHANGE);
    if (!change) return false;
    await tx.query(NOTE_LEDGERS_TO_RATE, [change.firstDay, change.lastDay]);
    await tx.query(DELETE_RATE_CHANGE, [change.id]);
    return true;
  });
}

/** Brings new rates into the ledger of an account. Gives whether there was one, other than those that failed. */
async function rateLedger(
  db: Database,
  failed: ReadonlySet<string>,
  fail: (accountId: string, error: unknown) => void,
): Promise<boolean> {
  let accountId: string | undefined;
  try {
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      const but = JSON.stringify([...failed]);
      const [found] = await tx.query<Days & { accountId: string }>(LOCK_LEDGER_TO_RATE, [but]);
      accountId = found?.accountId;
      if (!found || accountId === undefined) return;
      await tx.query(LOCK_ACCOUNT, [accountId]);
      await tx.query(LOCK_COLLECTIONS, [accountId]);
      await rerateLedger({ tx, accountId }, found);
      await tx.query(DELETE_LEDGER_TO_RATE, [accountId]);
    });
  } catch (error) {
    if (accountId === undefined) throw error;
    fail(accountId, error);
  }
  return accountId !== undefined;
}
