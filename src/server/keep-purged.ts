import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { MayGoOn } from '../lib/may-go-on.ts';
import { purgeDeletedCollections } from '../services/collections/purge.ts';
import { purgeEvents } from '../services/events/purge.ts';
import { purgeIdempotencyKeys } from '../services/idempotency.ts';
import { purgeDeletedAccounts, purgeFormerAccounts } from '../services/sub-accounts/purge.ts';
import { purgeImportPreviews } from '../services/transactions/import-preview.ts';
import { purgeWebhookDeliveries } from '../services/webhooks/purge.ts';

const INTERVAL_MILLIS = 30_000;
/** Of one kind, of some milliseconds each: then the other kinds have theirs, however much is left of it. */
const BATCHES_IN_ROUND = 50;

const PURGES: [what: string, purge: (db: Database, mayGoOn: MayGoOn) => Promise<number>][] = [
  ['deleted collections', purgeDeletedCollections],
  ['deleted accounts', purgeDeletedAccounts],
  ['names of deleted accounts', purgeFormerAccounts],
  ['old events', purgeEvents],
  ['expired idempotency keys', purgeIdempotencyKeys],
  ['old previews of imports', purgeImportPreviews],
  ['old deliveries of webhooks', purgeWebhookDeliveries],
];

/** What is no longer needed is taken away in small batches, beside the requests. Gives the function that ends it. */
export function keepPurged(db: Database, logger: Logger): () => void {
  let isPurging = false;
  let isStopped = false;
  const purge = async () => {
    if (isPurging) return;
    isPurging = true;
    while (!isStopped && (await purgeRound(db, logger)));
    isPurging = false;
  };
  const timer = setInterval(purge, INTERVAL_MILLIS).unref();
  void purge();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

/** Takes some of each kind away. Gives whether more may be left. */
export async function purgeRound(db: Database, logger: Logger): Promise<boolean> {
  let isMoreLeft = false;
  for (const [what, purge] of PURGES) {
    let batches = 0;
    const mayGoOn = () => {
      const isOver = batches++ >= BATCHES_IN_ROUND;
      isMoreLeft ||= isOver;
      return !isOver;
    };
    await purge(db, mayGoOn).catch((error) => logger.warn({ err: error }, `${what} are not purged yet`));
  }
  return isMoreLeft;
}
