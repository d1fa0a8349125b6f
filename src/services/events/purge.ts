import type { Database } from '../../db/client.ts';
import { PURGE_EVENTS } from '../../db/queries/events.ts';
import { type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';

/** Removes events that are no longer kept, in batches that hold no lock for long. Gives their number. */
export async function purgeEvents(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  let purged = 0;
  while (mayGoOn()) {
    const [gone] = await db.query<{ count: number }>(PURGE_EVENTS);
    if (gone!.count === 0) break;
    purged += gone!.count;
  }
  return purged;
}
