import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/client.ts';
import { isLockNotAvailable } from '../../db/errors.ts';
import { BAR_CONVERTED_WRITES, BEFORE_BAR, LIMIT_BAR, UNDO_BAR } from '../../db/queries/rates.ts';
import type { Progress } from './progress.ts';

/**
 * So long an import of rates stands in the queue of those who record converted amounts, at first and at most: all of them wait behind it
 * meanwhile, each with a connection. A request whose time is nearly used up waits for less than that, and is refused. In between it stands
 * aside for four times as long.
 */
const FIRST_BAR_MILLIS = 10;
export const LONGEST_BAR_MILLIS = 500;
const ASIDE = 4;

/** Other imports wait as long. */
const PATIENCE_MILLIS = 10 * 60_000;

/**
 * Waits for those who record a converted amount, of whom one may take minutes, as another currency of a large account does: others must not
 * wait for as long. However many there are, of whom each takes less than the longest wait, it is its turn in the end. To be called behind
 * all else of the transaction. Throws where others leave it no turn for so long.
 */
export async function barConvertedWrites(
  tx: Database,
  progress: Progress,
  patienceMillis = PATIENCE_MILLIS,
): Promise<void> {
  const end = performance.now() + patienceMillis;
  await tx.query(BEFORE_BAR);
  let millis = FIRST_BAR_MILLIS;
  while (!(await isBarredWithin(tx, millis))) {
    if (performance.now() > end)
      throw new Error(
        `changes in other currencies have kept the rates waiting for ${Math.ceil(patienceMillis / 60_000)} min; import them again when fewer are made`,
      );
    await sleep(ASIDE * millis);
    if (millis === LONGEST_BAR_MILLIS) continue;
    millis = Math.min(2 * millis, LONGEST_BAR_MILLIS);
    if (millis === LONGEST_BAR_MILLIS) progress('waiting for changes in other currencies to end', 0, 0);
  }
}

async function isBarredWithin(tx: Database, millis: number): Promise<boolean> {
  await tx.query(LIMIT_BAR, [`${millis}ms`]);
  try {
    await tx.query(BAR_CONVERTED_WRITES);
    return true;
  } catch (error) {
    if (!isLockNotAvailable(error)) throw error;
    await tx.query(UNDO_BAR);
    return false;
  }
}
