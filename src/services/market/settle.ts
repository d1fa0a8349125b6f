import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT, LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import {
  DELETE_LEDGER_TO_RATE,
  DELETE_RATE_CHANGE,
  LEDGERS_TO_RATE,
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
    // They do not follow from rates of the past, for which a ledger may have to be waited for.
    () => judgeDueAlerts(db, fail),
    async () => {
      while (await noteRateChange(db));
    },
    () => rateLedgers(db, fail),
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

/** Brings new rates into all ledgers that are to get them. */
async function rateLedgers(db: Database, fail: (accountId: string, error: unknown) => void): Promise<void> {
  const left = new Set<string>();
  for (;;) {
    const accounts = await db.query<{ accountId: string }>(LEDGERS_TO_RATE, [JSON.stringify([...left])]);
    if (accounts.length === 0) return;
    for (const { accountId } of accounts) {
      try {
        if (!(await rateLedger(db, accountId))) left.add(accountId);
      } catch (error) {
        left.add(accountId);
        fail(accountId, error);
      }
    }
  }
}

/** Gives whether it was to get new rates, and nobody else has taken it. */
function rateLedger(db: Database, accountId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [days] = await tx.query<Days>(LOCK_LEDGER_TO_RATE, [accountId]);
    if (!days) return false;
    await tx.query(LOCK_ACCOUNT, [accountId]);
    await tx.query(LOCK_COLLECTIONS, [accountId]);
    // Who has them for longer than a request waits holds up no other account.
    await tx.liftTimeouts();
    await rerateLedger({ tx, accountId }, days);
    await tx.query(DELETE_LEDGER_TO_RATE, [accountId]);
    return true;
  });
}
