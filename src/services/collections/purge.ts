import type { Database } from '../../db/client.ts';
import {
  DELETED_COLLECTIONS,
  PURGE_COLLECTION,
  PURGE_COST_STATES,
  PURGE_HOLDINGS,
  PURGE_TRANSACTIONS,
} from '../../db/queries/collections.ts';

const BATCH_ROWS = 5000;

/** Removes what deleted collections left, in batches that hold no lock for long. Gives the number of collections. */
export async function purgeDeletedCollections(db: Database): Promise<number> {
  let purged = 0;
  for (;;) {
    const deleted = await db.query<{ accountId: string; id: string }>(DELETED_COLLECTIONS);
    for (const { accountId, id } of deleted) {
      for (const statement of [PURGE_TRANSACTIONS, PURGE_COST_STATES, PURGE_HOLDINGS]) {
        while ((await db.query(statement, [accountId, id, BATCH_ROWS])).length === BATCH_ROWS);
      }
      await db.query(PURGE_COLLECTION, [accountId, id]);
      purged++;
    }
    if (deleted.length === 0) return purged;
  }
}
