import type { Database } from '../../db/client.ts';
import { ACCOUNTS_WITH_DUE_ALERTS, JUDGE_ALERTS, LOCK_DUE_ALERTS } from '../../db/queries/price-alerts.ts';
import { logTriggeredAlerts } from '../events/announce.ts';

/** So many alerts are looked at for whose they are, at most. */
const BATCH = 500;

/** Alerts of an account that are judged before others have their turn: each may be on a collection of many thousand cards. */
const AT_ONCE = 10;

/** So many accounts wait for another turn, at most, before they have it. */
const MOST_WAITING = 1000;

/**
 * Judges the alerts of all accounts that have not been judged by the newest market, and logs an event for each time that
 * one fires, in turns of accounts. They are locked, so that of several processes only one sees a condition become true. `fail` is
 * told of the accounts that fail; those whose alerts another process has are left to it.
 */
export async function judgeDueAlerts(
  db: Database,
  fail: (accountId: string, error: unknown) => void,
): Promise<void> {
  const left = new Set<string>();
  const waiting = new Set<string>();
  for (;;) {
    const params = [JSON.stringify([...left, ...waiting]), BATCH];
    const accounts = await db.query<{ accountId: string }>(ACCOUNTS_WITH_DUE_ALERTS, params);
    if (accounts.length === 0 && waiting.size === 0) return;
    if (accounts.length === 0 || waiting.size > MOST_WAITING) waiting.clear();
    for (const { accountId } of accounts) {
      try {
        const count = await judge(db, accountId);
        if (count === 0) left.add(accountId);
        if (count === AT_ONCE) waiting.add(accountId);
      } catch (error) {
        left.add(accountId);
        fail(accountId, error);
      }
    }
  }
}

/** Judges alerts of an account that nobody else has taken. Gives how many. */
function judge(db: Database, accountId: string): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    type DueAlert = { id: string; marketRevision: number };
    const alerts = await tx.query<DueAlert>(LOCK_DUE_ALERTS, [accountId, AT_ONCE]);
    if (alerts.length === 0) return 0;
    const ids = JSON.stringify(alerts.map(({ id }) => id));
    const params = [accountId, ids, alerts[0]!.marketRevision];
    const fired = await tx.query<{ alertId: string }>(JUDGE_ALERTS, params);
    await logTriggeredAlerts(tx, accountId, fired);
    return alerts.length;
  });
}
