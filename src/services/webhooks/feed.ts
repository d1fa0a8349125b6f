import type { Database } from '../../db/client.ts';
import {
  ACTIVE_SINCE,
  BACKLOG_AGE,
  FEED_WEBHOOKS,
  type FeedRow,
  KEEP_FEED,
  TAKE_FEED,
} from '../../db/queries/webhook-feed.ts';

/**
 * Makes the deliveries of what the log of events has, as far as it is committed; of several processes one at a time.
 * What is read twice makes nothing twice, since the id of a delivery is made of what names its event. Gives whether there
 * is more, of a time that was missed.
 */
export function feedWebhooks(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    const since = await activeSince(tx);
    if (since === null) return false;
    const [feed] = await tx.query<FeedRow>(TAKE_FEED, [since]);
    if (!feed) return false;
    const { number, from, to, next, isMoved } = feed;
    const [fed] = await tx.query<{ made: number; last: number }>(FEED_WEBHOOKS, [from, to, number]);
    // A write each second would be for nothing where nothing happens.
    if (fed!.made > 0 || isMoved) await tx.query(KEEP_FEED, [fed!.last, next]);
    return to !== null;
  });
}

/** Whether there is a webhook that is on: one look, for all those who have none. */
export async function isAnyWebhook(db: Database): Promise<boolean> {
  return (await activeSince(db)) !== null;
}

async function activeSince(db: Database): Promise<string | null> {
  const [row] = await db.query<{ since: string | null }>(ACTIVE_SINCE);
  return row!.since;
}

/** Seconds for which the oldest work has waited that nobody does; 0 where there is none. */
export async function webhookBacklogAge(db: Database): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(BACKLOG_AGE);
  return row!.seconds ?? 0;
}
