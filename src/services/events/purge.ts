import type { Database } from '../../db/client.ts';
import { PURGE_EVENTS } from '../../db/queries/events.ts';

/** Removes events that are no longer kept, in batches that hold no lock for long. Gives their number. */
export async function purgeEvents(db: Database): Promise<number> {
  for (let purged = 0; ; ) {
    const [gone] = await db.query<{ count: number }>(PURGE_EVENTS);
    if (gone!.count === 0) return purged;
    purged += gone!.count;
  }
}
