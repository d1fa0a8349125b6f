import type { Database, Param } from '../../db/client.ts';
import { JUDGE_ALERTS, LOCK_DUE_ALERTS, LOCK_DUE_ALERTS_OF } from '../../db/queries/price-alerts.ts';
import { logTriggeredAlerts } from '../events/announce.ts';

/** Alerts in one database transaction. */
const BATCH = 500;

interface DueAlert {
  accountId: string;
  id: string;
  marketRevision: number;
}

/**
 * Judges the alerts of all accounts that have not been judged by the newest market, and logs an event for each time that
 * one fires. They are locked, so that of several processes only one sees a condition become true. The accounts of a batch
 * that fails are judged one by one, and `fail` is told of those that fail alone.
 */
export async function judgeDueAlerts(
  db: Database,
  fail: (accountId: string, error: unknown) => void,
): Promise<void> {
  const judgedAlone = new Set<string>();
  for (;;) {
    const batch: DueAlert[] = [];
    try {
      await judge(db, batch, LOCK_DUE_ALERTS, [JSON.stringify([...judgedAlone]), BATCH]);
    } catch (error) {
      // Before any was taken, it is none of theirs.
      if (batch.length === 0) throw error;
      for (const accountId of new Set(batch.map(({ accountId }) => accountId))) {
        judgedAlone.add(accountId);
        await judge(db, [], LOCK_DUE_ALERTS_OF, [accountId]).catch((cause) => fail(accountId, cause));
      }
    }
    if (batch.length === 0) return;
  }
}

/** Judges the alerts that a statement takes, which are put into `taken`. */
function judge(db: Database, taken: DueAlert[], lock: string, params: Param[]): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    const alerts = await tx.query<DueAlert>(lock, params);
    // The transaction may be tried again.
    taken.splice(0, taken.length, ...alerts);
    if (alerts.length === 0) return;
    type Fired = { accountId: string; alertId: string };
    const fired = await tx.query<Fired>(JUDGE_ALERTS, [JSON.stringify(alerts), alerts[0]!.marketRevision]);
    await logTriggeredAlerts(tx, fired);
  });
}
