import type { Database } from '../../db/client.ts';
import {
  FAIL_OF_DISABLED,
  PURGE_DELETED_WEBHOOKS,
  PURGE_FINISHED,
  PURGE_OF_DELETED,
  SWITCH_OFF_FULL,
} from '../../db/queries/webhook-deliveries.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';

/** So that a batch holds its locks for some milliseconds. */
const BATCH_ROWS = 1000;

/**
 * Removes deliveries that are no longer kept, and deleted webhooks; one for which too much waits is switched off, and
 * what waits for one that is off fails. In
 * batches that hold no lock for long. Gives the number of deliveries.
 */
export async function purgeWebhookDeliveries(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  let parts: [statement: string, params: (string | number)[]][] = [
    [FAIL_OF_DISABLED, []],
    [PURGE_OF_DELETED, []],
    [PURGE_FINISHED, ['Delivered', LIMITS.webhookDeliveredHours]],
    [PURGE_FINISHED, ['Failed', LIMITS.webhookFailedHours]],
  ];
  let purged = 0;
  await db.query(SWITCH_OFF_FULL);
  while (parts.length > 0 && mayGoOn()) {
    const more: typeof parts = [];
    for (const part of parts) {
      const [statement, params] = part;
      const { length } = await db.query(statement, [...params, BATCH_ROWS]);
      purged += length;
      if (length === BATCH_ROWS) more.push(part);
    }
    parts = more;
  }
  await db.query(PURGE_DELETED_WEBHOOKS);
  return purged;
}
