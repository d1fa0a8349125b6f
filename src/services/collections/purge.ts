import type { Database } from '../../db/client.ts';
import {
  DELETED_COLLECTIONS,
  PURGE_COLLECTION,
  PURGE_COST_STATES,
  PURGE_HOLDINGS,
  PURGE_TRANSACTIONS,
} from '../../db/queries/collections.ts';
import { type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';

const BATCH_ROWS = 5000;

/** Removes what deleted collections left, in batches that hold no lock for long. Gives the number of collections. */
export async function purgeDeletedCollections(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  for (let purged = 0; ; ) {
    const deleted = await db.query<Deleted>(DELETED_COLLECTIONS);
    if (deleted.length === 0) return purged;
    for (const collection of deleted) {
      if (!(await purgeCollection(db, collection, mayGoOn))) return purged;
      purged++;
    }
  }
}

interface Deleted {
  /** uuid */
  accountId: string;
  id: string;
}

/** Gives whether it is gone. */
async function purgeCollection(db: Database, { accountId, id }: Deleted, mayGoOn: MayGoOn): Promise<boolean> {
  for (const statement of [PURGE_TRANSACTIONS, PURGE_COST_STATES, PURGE_HOLDINGS]) {
    for (let rows = BATCH_ROWS; rows === BATCH_ROWS; ) {
      if (!mayGoOn()) return false;
      rows = (await db.query(statement, [accountId, id, BATCH_ROWS])).length;
    }
  }
  await db.query(PURGE_COLLECTION, [accountId, id]);
  return true;
}
