import type { Database } from '../../db/client.ts';
import { PURGE_EVENTS } from '../../db/queries/events.ts';
import { inBatches, type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';

/** Removes events that are no longer kept, in batches that hold no lock for long. Gives their number. */
export async function purgeEvents(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  // How many events are in a batch is not known: in the last one there are none.
  return inBatches(mayGoOn, 1, async () => {
    const [gone] = await db.query<{ count: number }>(PURGE_EVENTS);
    return gone!.count;
  });
}
