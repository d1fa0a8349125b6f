import type { Database } from '../../db/client.ts';
import { ALERTS_STREAM, LOG_TRIGGERED_ALERTS } from '../../db/queries/events.ts';

/** Where nodes tell each other in which streams there are new events. */
export const EVENTS_CHANNEL = 'events';

/** Wakes those who follow the collections, on every node, once what changed them is committed. */
export function announceCollections(
  db: Database,
  accountId: string,
  collections: readonly { id: string }[],
): void {
  for (const { id } of collections) db.notify(EVENTS_CHANNEL, streamKey(accountId, id));
}

/**
 * Writes an event for each of the account's alerts, in this order, and wakes those who follow them once it is committed.
 * Part of the transaction in which they are triggered, and best the last of it: other events of the account wait for its
 * end.
 */
export async function logTriggeredAlerts(
  tx: Database,
  accountId: string,
  alertIds: readonly string[],
): Promise<void> {
  if (alertIds.length === 0) return;
  await tx.query(LOG_TRIGGERED_ALERTS, [accountId, JSON.stringify(alertIds)]);
  tx.notify(EVENTS_CHANNEL, streamKey(accountId, ALERTS_STREAM));
}

/** As it is announced. */
export function streamKey(accountId: string, stream: string): string {
  return `${accountId} ${stream}`;
}
