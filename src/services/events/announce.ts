import type { Database } from '../../db/client.ts';
import {
  ALERTS_STREAM,
  type ChangedCollection,
  type EventKind,
  LOG_CHANGES,
  LOG_TRIGGERED_ALERTS,
} from '../../db/queries/events.ts';

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
 * Writes the event of each of the collections, whose revision the same database transaction has raised, and wakes those who follow them.
 *
 * @param variantIds those whose holdings have changed; null where that may be any
 */
export async function logCollections(
  tx: Database,
  accountId: string,
  kind: EventKind,
  collections: readonly ChangedCollection[],
  variantIds: string[] | null = [],
): Promise<void> {
  if (collections.length === 0) return;
  const variants = variantIds && JSON.stringify(variantIds);
  await tx.query(LOG_CHANGES, [accountId, JSON.stringify(collections), kind, variants]);
  announceCollections(tx, accountId, collections);
}

/**
 * Writes an event for each of the alerts, those of an account in this order, and wakes those who follow them once it is
 * committed. Part of the transaction in which they are triggered, and best the last of it: other events of the accounts
 * wait for its end.
 */
export async function logTriggeredAlerts(
  tx: Database,
  accountId: string,
  alerts: readonly { alertId: string }[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.query(LOG_TRIGGERED_ALERTS, [accountId, JSON.stringify(alerts.map(({ alertId }) => alertId))]);
  tx.notify(EVENTS_CHANNEL, streamKey(accountId, ALERTS_STREAM));
}

/** As it is announced. */
export function streamKey(accountId: string, stream: string): string {
  return `${accountId} ${stream}`;
}
