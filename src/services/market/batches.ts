import type { Database } from '../../db/client.ts';
import type { Progress } from './progress.ts';

const BATCH_ROWS = 2000;

/** What an upsert did to the rows that it was given. */
export interface Written {
  added: number;
  changed: number;
  unchanged: number;
}

/** Sends the rows to an upsert of `db/queries/market.ts`, a batch at a time. */
export async function writeInBatches(
  db: Database,
  upsert: string,
  rows: readonly object[],
  label: string,
  progress: Progress,
): Promise<Written> {
  const written: Written = { added: 0, changed: 0, unchanged: 0 };
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    const batch = rows.slice(start, start + BATCH_ROWS);
    const touched = await db.query<{ added: boolean }>(upsert, [JSON.stringify(batch)]);
    const added = touched.filter((row) => row.added).length;
    written.added += added;
    written.changed += touched.length - added;
    written.unchanged += batch.length - touched.length;
    progress(label, Math.min(start + BATCH_ROWS, rows.length), rows.length);
  }
  return written;
}
