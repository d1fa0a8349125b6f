import type { Database } from '../../db/client.ts';
import { RejectedRow, type Rows } from '../../importers/import-file.ts';
import type { Progress } from './progress.ts';

const BATCH_ROWS = 2000;
const MOST_REJECTED_SHOWN = 100;

/** What an upsert did to the rows that it was given. */
export interface Written {
  added: number;
  changed: number;
  unchanged: number;
}

/** What an import did. */
export interface ImportSummary extends Written {
  rejectedCount: number;
  /** Numbers of rejected rows by what is unknown, e.g. `unknown variant`. */
  rejectedBy: Record<string, number>;
  /** The first of the rejected rows. */
  rejected: { file: string | null; line: number | null; reason: string }[];
}

function emptySummary(): ImportSummary {
  return { added: 0, changed: 0, unchanged: 0, rejectedCount: 0, rejectedBy: {}, rejected: [] };
}

export function countRejected(summary: ImportSummary, { place, kind, reason }: RejectedRow): void {
  summary.rejectedCount++;
  summary.rejectedBy[kind] = (summary.rejectedBy[kind] ?? 0) + 1;
  if (summary.rejected.length < MOST_REJECTED_SHOWN) summary.rejected.push({ ...place, reason });
}

export function countWritten(summary: Written, { added, changed, unchanged }: Written): void {
  summary.added += added;
  summary.changed += changed;
  summary.unchanged += unchanged;
}

/** Sends rows to an upsert of `db/queries`. */
export async function upsertRows(db: Database, upsert: string, rows: readonly object[]): Promise<Written> {
  if (rows.length === 0) return { added: 0, changed: 0, unchanged: 0 };
  const touched = await db.query<{ added: boolean }>(upsert, [JSON.stringify(rows)]);
  const added = touched.filter((row) => row.added).length;
  return { added, changed: touched.length - added, unchanged: rows.length - touched.length };
}

export interface BatchOptions<Row> {
  label: string;
  progress: Progress;
  keyOf: (row: Row) => string;
  size?: number;
}

/**
 * Hands the rows on a batch at a time, the next being read while one is written, so that no more than two are in memory,
 * and counts those that are rejected. No batch has two rows with one key.
 */
export async function inBatches<Row>(
  rows: Rows<Row>,
  { label, progress, keyOf, size = BATCH_ROWS }: BatchOptions<Row>,
  write: (batch: Row[]) => Promise<Written>,
): Promise<ImportSummary> {
  const summary = emptySummary();
  const batch = new Map<string, Row>();
  let done = 0;
  let writing = Promise.resolve();
  const flush = async () => {
    await writing;
    if (batch.size === 0) return;
    const [all, count] = [[...batch.values()], done];
    batch.clear();
    writing = write(all).then((written) => {
      countWritten(summary, written);
      progress(label, Math.min(count, rows.length), rows.length);
    });
    // Who awaits it next is told, which may be later than it fails.
    writing.catch(() => {});
  };
  try {
    for await (const row of rows) {
      if (row instanceof RejectedRow) {
        countRejected(summary, row);
        continue;
      }
      const key = keyOf(row);
      if (batch.has(key)) await flush();
      batch.set(key, row);
      done++;
      if (batch.size === size) await flush();
    }
    await flush();
  } finally {
    // Where the rows cannot be read any more, nothing is sent behind the end of the transaction.
    await writing.catch(() => {});
  }
  await writing;
  return summary;
}
