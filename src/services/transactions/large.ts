import { LIMITS } from '../../domain/limits.ts';
import { linesIn } from '../../lib/text.ts';
import type { Context } from '../context.ts';
import { inPlaces } from '../places.ts';

/** A file with more bytes or characters, or lines, which may be short. */
const LARGE_FILE = { length: 65_536, lines: 1000 };
/** So many transactions at once keep a processor of the database busy for longer than a small request takes. */
const LARGE_BATCH = 250;

/**
 * What has many transactions a few at a time: what many such have at once the collector of garbage would move, and everybody wait for. Before a database
 * transaction begins, which would hold a connection meanwhile.
 */
const inPlace = inPlaces(
  LIMITS.importsAtOnce,
  'The service takes as many large files and batches of transactions at the moment as it does at a time.',
);

export function inPlaceForFile<T>(
  ctx: Context,
  file: string | Uint8Array,
  run: () => Promise<T>,
): Promise<T> {
  return isLarge(file) ? inPlace(ctx, run) : run();
}

/** @param count of transactions that are recorded together */
export function inPlaceForBatch<T>(ctx: Context, count: number, run: () => Promise<T>): Promise<T> {
  return count > LARGE_BATCH ? inPlace(ctx, run) : run();
}

function isLarge(file: string | Uint8Array): boolean {
  if (file.length > LARGE_FILE.length) return true;
  return linesIn(typeof file === 'string' ? Buffer.from(file) : file) > LARGE_FILE.lines;
}
