import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { DUE_WEBHOOKS, TAKE_WEBHOOK, type TakenWebhook } from '../db/queries/webhook-feed.ts';
import { accountIdOf } from '../domain/credentials.ts';
import type { AddressesOf } from '../lib/public-address.ts';
import { feedWebhooks, isAnyWebhook } from '../services/webhooks/feed.ts';
import { runWebhook } from '../services/webhooks/run.ts';
import { packageVersion } from '../version.ts';

const LOOK_MILLIS = 1000;
const STOP_MILLIS = 1000;
/** Webhooks that a process works for at once: of those that are slow or fail, and of all others, for whom they take no place. */
const PLACES = { troubled: 8, others: 24 };

export interface KeepWebhooksDeliveredOptions {
  /** Where messages may be sent. */
  addressesOf: AddressesOf;
  logger: Logger;
  now: () => Date;
  onAttempt?: (outcome: 'delivered' | 'failed') => void;
  /** For tests. */
  lookMillis?: number;
}

/**
 * Tells webhooks of what happens, beside the requests, where no other process does. Gives the function that ends it: what is
 * under way then is left to others.
 */
export function keepWebhooksDelivered(
  db: Database,
  { addressesOf, logger, now, onAttempt = () => {}, lookMillis = LOOK_MILLIS }: KeepWebhooksDeliveredOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  // One of each request.
  setMaxListeners(0, signal);
  const underWay = { troubled: new Set<Promise<void>>(), others: new Set<Promise<void>>() };
  const userAgent = `cardledger/${packageVersion()}`;

  const onDisabled = ({ accountId, id }: TakenWebhook, reason: string) =>
    logger.warn({ accountId: accountIdOf(accountId), webhookId: id }, `a webhook is switched off: ${reason}`);

  const run = async (webhook: TakenWebhook, lease: string): Promise<void> => {
    const options = { lease, addressesOf, userAgent, now, signal, onAttempt, onDisabled };
    try {
      await runWebhook(db, webhook, options);
    } catch (err) {
      // Its lease ends, and it is tried again.
      if (!signal.aborted)
        logger.warn({ err, webhookId: webhook.id }, 'a webhook is not served; it is tried again');
    }
  };

  const take = async (kind: keyof typeof PLACES): Promise<boolean> => {
    const free = PLACES[kind] - underWay[kind].size;
    if (free === 0 || signal.aborted) return false;
    const lease = randomUUID();
    const isTroubled = kind === 'troubled';
    const due = await db.query<Pick<TakenWebhook, 'accountId' | 'id'>>(DUE_WEBHOOKS, [free, isTroubled]);
    let hasTaken = false;
    for (const { accountId, id } of due) {
      const [webhook] = await db.query<TakenWebhook>(TAKE_WEBHOOK, [accountId, id, isTroubled, lease]);
      if (!webhook) continue;
      hasTaken = true;
      const running = run(webhook, lease).finally(() => underWay[kind].delete(running));
      underWay[kind].add(running);
    }
    return hasTaken;
  };

  /** Takes what is there; for a log that is long it looks less often. */
  const look = async (): Promise<number> => {
    const began = performance.now();
    if (!(await isAnyWebhook(db))) return lookMillis;
    const hasMore = await feedWebhooks(db);
    await take('others');
    await take('troubled');
    return hasMore ? 0 : Math.max(lookMillis, 5 * (performance.now() - began));
  };

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const millis = await look().catch((err) => {
        if (!signal.aborted) logger.warn({ err }, 'webhooks are not looked at');
        return 10 * lookMillis;
      });
      await sleep(millis, undefined, { ref: false, signal }).catch(() => {});
    }
  };
  const looping = loop();

  return async () => {
    stopping.abort();
    const all = [looping, ...underWay.troubled, ...underWay.others];
    // What is written for longer is undone where the database is closed.
    await Promise.race([Promise.all(all), sleep(STOP_MILLIS, undefined, { ref: false })]);
  };
}
