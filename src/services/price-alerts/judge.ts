import type { Database } from '../../db/client.ts';
import { ACCOUNTS_WITH_DUE_ALERTS, JUDGE_ALERTS, LOCK_DUE_ALERTS } from '../../db/queries/price-alerts.ts';
import { logTriggeredAlerts } from '../events/announce.ts';

/** So many alerts are looked at for whose they are, at most. */
const BATCH = 500;

/**
 * Judges the alerts of all accounts that have not been judged by the newest market, and logs an event for each time that
 * one fires, an account at a time. They are locked, so that of several processes only one sees a condition become true. `fail` is
 * told of the accounts that fail; those whose alerts another process has are left to it.
 */
export async function judgeDueAlerts(
  db: Database,
  fail: (accountId: string, error: unknown) => void,
): Promise<void> {
  const left = new Set<string>();
  for (;;) {
    const params = [JSON.stringify([...left]), BATCH];
    const accounts = await db.query<{ accountId: string }>(ACCOUNTS_WITH_DUE_ALERTS, params);
    if (accounts.length === 0) return;
    for (const { accountId } of accounts) {
      try {
        if (!(await judge(db, accountId))) left.add(accountId);
      } catch (error) {
        left.add(accountId);
        fail(accountId, error);
      }
    }
  }
}

/** Judges the alerts of an account that nobody else has taken. Gives whether there were any. */
function judge(db: Database, accountId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    type DueAlert = { id: string; marketRevision: number };
    const alerts = await tx.query<DueAlert>(LOCK_DUE_ALERTS, [accountId]);
    if (alerts.length === 0) return false;
    const ids = JSON.stringify(alerts.map(({ id }) => id));
    const params = [accountId, ids, alerts[0]!.marketRevision];
    const fired = await tx.query<{ alertId: string }>(JUDGE_ALERTS, params);
    await logTriggeredAlerts(tx, accountId, fired);
    return true;
  });
}
