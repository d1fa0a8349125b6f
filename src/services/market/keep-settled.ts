import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenDatabase } from '../../db/client.ts';
import { MARKET_CHANNEL } from '../../memory/memory.ts';
import { type OnFailure, settleMarket } from './settle.ts';

/** For what a process left undone that ended, and for accounts that failed. */
const INTERVAL_MILLIS = 10_000;
const STOP_MILLIS = 1000;

/** Settles the market beside the requests, as soon as a node says that it has changed. Gives the function that ends it. */
export function keepMarketSettled(
  db: OpenDatabase,
  onFailure: OnFailure,
  intervalMillis = INTERVAL_MILLIS,
): () => Promise<void> {
  let isWanted = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    while (isWanted) {
      isWanted = false;
      await settleMarket(db.housekeeping, onFailure).catch((error) => onFailure(null, error));
    }
    running = undefined;
  };
  const settle = () => {
    isWanted = true;
    running ??= run();
  };
  const stopListening = db.listen(MARKET_CHANNEL, settle, settle);
  const timer = setInterval(settle, intervalMillis).unref();
  return async () => {
    clearInterval(timer);
    isWanted = false;
    // What is under way longer is undone where the database is closed, and left to the next.
    await Promise.race([
      Promise.all([stopListening(), running]),
      sleep(STOP_MILLIS, undefined, { ref: false }),
    ]);
  };
}
