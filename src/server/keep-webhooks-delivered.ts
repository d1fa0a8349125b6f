import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, OpenDatabase } from '../db/client.ts';
import {
  DUE_WEBHOOKS,
  type DueWebhook,
  HOLD_BACK_WEBHOOK,
  TAKE_WEBHOOK,
  type TakenWebhook,
} from '../db/queries/webhook-deliveries.ts';
import { accountIdOf } from '../domain/credentials.ts';
import type { AddressesOf } from '../lib/public-address.ts';
import type { AccountWork, WorkOf } from '../services/context.ts';
import { isAnyWebhook, WebhookFeed } from '../services/webhooks/feed.ts';
import { runWebhook } from '../services/webhooks/run.ts';
import { packageVersion } from '../version.ts';

const LOOK_MILLIS = 1000;
const STOP_MILLIS = 1000;
/** Webhooks that a process works for at once: of those that are slow or fail, and of all others, for whom they take no place. */
const PLACES = { troubled: 8, others: 24 };

export interface KeepWebhooksDeliveredOptions {
  /** Where messages may be sent. */
  addressesOf: AddressesOf;
  /** What is done for an account's webhooks is its work; while its budget is used up they wait. */
  workOf: WorkOf;
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
  db: OpenDatabase,
  {
    addressesOf,
    workOf,
    logger,
    now,
    onAttempt = () => {},
    lookMillis = LOOK_MILLIS,
  }: KeepWebhooksDeliveredOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  // One of each request.
  setMaxListeners(0, signal);
  const underWay = { troubled: new Set<Promise<void>>(), others: new Set<Promise<void>>() };
  const { housekeeping, housekeepingOf } = db;
  const feed = new WebhookFeed(housekeeping, workOf);
  const userAgent = `cardledger/${packageVersion()}`;

  const onDisabled = ({ accountId, id }: TakenWebhook, reason: string) =>
    logger.warn({ accountId: accountIdOf(accountId), webhookId: id }, `a webhook is switched off: ${reason}`);

  const run = async (
    own: Database,
    webhook: TakenWebhook,
    work: AccountWork,
    lease: string,
  ): Promise<void> => {
    const options = { lease, work, addressesOf, userAgent, now, signal, onAttempt, onDisabled };
    try {
      await runWebhook(own, webhook, options);
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
    const due = await housekeeping.query<DueWebhook>(DUE_WEBHOOKS, [free, isTroubled]);
    let hasTaken = false;
    for (const { accountId, platformId, id } of due) {
      const payer = [accountId, platformId ?? undefined] as const;
      const own = housekeepingOf(...payer);
      const work = workOf(...payer);
      if (work.isUsedUp) {
        await own.query(HOLD_BACK_WEBHOOK, [accountId, id]);
        continue;
      }
      const [webhook] = await own.query<TakenWebhook>(TAKE_WEBHOOK, [accountId, id, isTroubled, lease]);
      if (!webhook) continue;
      hasTaken = true;
      const running = run(own, webhook, work, lease).finally(() => underWay[kind].delete(running));
      underWay[kind].add(running);
    }
    return hasTaken;
  };

  /** Takes what is there; for a log that is long it looks less often. */
  const look = async (): Promise<number> => {
    const began = performance.now();
    if (!(await isAnyWebhook(housekeeping))) return lookMillis;
    const hasMore = await feed.look();
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
