import type { Database } from '../../db/client.ts';
import { JUDGE_ALERTS, LOCK_ALERTS } from '../../db/queries/price-alerts.ts';
import { logTriggeredAlerts } from '../events/announce.ts';

/**
 * Judges the alerts of an account that have not been judged by this revision of the market data, which was read before,
 * and logs an event for each time that one fires. They are locked first, so that of several nodes only one sees a
 * condition become true. The last work of its transaction.
 */
export async function judgeAlerts(tx: Database, accountId: string, marketRevision: number): Promise<void> {
  const alerts = await tx.query<{ id: string }>(LOCK_ALERTS, [accountId, marketRevision]);
  if (alerts.length === 0) return;
  const ids = JSON.stringify(alerts.map(({ id }) => id));
  const fired = await tx.query<{ id: string }>(JUDGE_ALERTS, [accountId, ids, marketRevision]);
  await logTriggeredAlerts(
    tx,
    accountId,
    fired.map(({ id }) => id),
  );
}
