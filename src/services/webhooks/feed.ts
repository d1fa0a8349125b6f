import { performance } from 'node:perf_hooks';
import type { Database } from '../../db/client.ts';
import { BACKLOG_AGE } from '../../db/queries/webhook-deliveries.ts';
import {
  ACTIVE_SINCE,
  FEED_WEBHOOKS,
  type FedRow,
  type FeedRow,
  KEEP_FEED,
  TAKE_FEED,
} from '../../db/queries/webhook-feed.ts';
import type { WorkOf } from '../context.ts';

const NOTHING = '{"streams": [], "webhooks": []}';

/** New events of a look: for ten webhooks each, some tenths of a second. */
const EVENTS = 500;

/**
 * Makes the deliveries of what the log of events has, as far as it is committed; of several processes one at a time.
 * What is read twice makes nothing twice, since the id of a delivery is made of what names its event.
 */
export class WebhookFeed {
  readonly #db: Database;
  readonly #workOf: WorkOf;
  /** What this process has fed of what is read again, so that it need not find out. */
  #fed = NOTHING;

  constructor(db: Database, workOf: WorkOf) {
    this.#db = db;
    this.#workOf = workOf;
  }

  /** Feeds so many new events, accounts in turns. Gives whether there is more. */
  async look(): Promise<boolean> {
    const look = await this.#db.transaction(async (tx) => {
      await tx.liftTimeouts();
      const since = await activeSince(tx);
      if (since === null) return null;
      const [feed] = await tx.query<FeedRow>(TAKE_FEED, [since]);
      if (!feed) return null;
      const { number, from, to, next, isMoved } = feed;
      const began = performance.now();
      const [row] = await tx.query<FedRow>(FEED_WEBHOOKS, [from, to, number, this.#fed, EVENTS]);
      const { made, last, leftFrom, ...fed } = row!;
      const millis = performance.now() - began;
      // A write each second would be for nothing where nothing happens.
      if (made > 0 || isMoved) await tx.query(KEEP_FEED, [last, next, leftFrom]);
      return { ...fed, millis, hasMore: to !== null || leftFrom !== null };
    });
    if (!look) return false;
    this.#fed = look.fed;
    this.#charge(look);
    return look.hasMore;
  }

  /** The statement is one for all: those whose webhooks are told pay for it. */
  #charge({ shares, millis }: Pick<FedRow, 'shares'> & { millis: number }): void {
    const all = shares.reduce((sum, { count }) => sum + count, 0);
    for (const { accountId, platformId, count } of shares)
      this.#workOf(accountId, platformId ?? undefined).payDatabase((millis * count) / all);
  }
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
