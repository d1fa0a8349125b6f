import type { Database } from '../../db/client.ts';
import {
  FAIL_OF_DISABLED,
  PURGE_DELETED_WEBHOOKS,
  PURGE_FINISHED,
  PURGE_OF_DELETED,
  SWITCH_OFF_FULL,
} from '../../db/queries/webhook-feed.ts';
import { LIMITS } from '../../domain/limits.ts';

/** So that a batch holds its locks for some milliseconds. */
const BATCH_ROWS = 1000;

/**
 * Removes deliveries that are no longer kept, and deleted webhooks; one for which too much waits is switched off, and
 * what waits for one that is off fails. In
 * batches that hold no lock for long. Gives the number of deliveries.
 */
export async function purgeWebhookDeliveries(db: Database): Promise<number> {
  const parts: [statement: string, params: (string | number)[]][] = [
    [FAIL_OF_DISABLED, []],
    [PURGE_OF_DELETED, []],
    [PURGE_FINISHED, ['Delivered', LIMITS.webhookDeliveredHours]],
    [PURGE_FINISHED, ['Failed', LIMITS.webhookFailedHours]],
  ];
  let purged = 0;
  await db.query(SWITCH_OFF_FULL);
  for (const [statement, params] of parts) {
    for (let rows = BATCH_ROWS; rows === BATCH_ROWS; purged += rows) {
      rows = (await db.query(statement, [...params, BATCH_ROWS])).length;
    }
  }
  await db.query(PURGE_DELETED_WEBHOOKS);
  return purged;
}
