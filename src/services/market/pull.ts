import { join } from 'node:path';
import type { Database } from '../../db/client.ts';
import {
  KEEP_PULL,
  LEAVE_PULL,
  PUT_OFF_PULL,
  type PullKind,
  RECORD_PULL,
  TAKE_PULL,
} from '../../db/queries/market-pulls.ts';
import { type Download, DownloadError, download } from '../../importers/download.ts';
import { readEcbRates } from '../../importers/ecb-rates.ts';
import type { ByteSource } from '../../importers/import-file.ts';
import { FLESH_AND_BLOOD, readTcgcsv, readTcgcsvGroups } from '../../importers/tcgcsv.ts';
import { noProgress, type Progress } from './progress.ts';
import { pricesImport, ratesImport, type WriteImport } from './write-import.ts';

export type { PullKind } from '../../db/queries/market-pulls.ts';
export { DownloadError } from '../../importers/download.ts';

export interface PullOptions {
  baseUrl: string;
  /** What was downloaded is kept in its `pull-cache`. */
  dataDir: string;
  /** Of this program: the servers are told who asks. */
  version: string;
  /** `YYYY-MM-DD` */
  today: string;
  onRetry?: (message: string) => void;
  /** Told of the groups that are downloaded. */
  progress?: Progress;
  /** Ends it; what is under way throws then. */
  signal?: AbortSignal;
}

/** What was downloaded, read through and checked. */
export interface Pulled {
  write: WriteImport;
  /** What of it was sent, and what was as it had been. */
  about: { groups?: number; downloaded: number; notModified: number };
}

/** Downloads market data. Throws a `DownloadError` for what cannot be had, or is not sound. */
export const PULLS: Record<PullKind, (options: PullOptions) => Promise<Pulled>> = {
  prices: pullPrices,
  rates: pullRates,
};

/** TCGCSV's paths: the groups of the game, then products and prices of each. */
async function pullPrices(options: PullOptions): Promise<Pulled> {
  const { baseUrl, today, progress = noProgress } = options;
  const get = downloader(options);
  const game = `tcgplayer/${FLESH_AND_BLOOD}`;
  const groups = await readTcgcsvGroups(await get(`${game}/groups`, readTcgcsvGroups));
  const downloads: Download[] = [];
  for (const [i, { groupId }] of groups.entries()) {
    downloads.push(await get(`${game}/${groupId}/products`, readTcgcsv));
    downloads.push(await get(`${game}/${groupId}/prices`, readTcgcsv));
    progress('groups', i + 1, groups.length);
  }
  const files = [];
  for (const file of downloads) files.push(await readTcgcsv(file));
  return {
    write: recorded('prices', pricesImport(files, [baseUrl], today)),
    about: { groups: groups.length, ...changesOf(downloads) },
  };
}

/** The history as CSV, or where that is not there in the archive that the ECB itself offers. */
async function pullRates(options: PullOptions): Promise<Pulled> {
  const { baseUrl, today } = options;
  const get = downloader(options);
  const check = (source: ByteSource) => readEcbRates(source, today);
  const file = await get('eurofxref-hist.csv', check).catch((error) => {
    if (!(error instanceof DownloadError && error.status === 404)) throw error;
    return get('eurofxref-hist.zip', check);
  });
  const rates = await check(file);
  return { write: recorded('rates', ratesImport([rates], [baseUrl])), about: changesOf([file]) };
}

/** Notes that it was pulled, so that it is not due before the next time. */
function recorded(kind: PullKind, write: WriteImport): WriteImport {
  return async (db, progress, options) => {
    const result = await write(db, progress, options);
    if (!options.dryRun) await db.query(RECORD_PULL, [kind]);
    return result;
  };
}

function changesOf(downloads: readonly Download[]) {
  const notModified = downloads.filter((download) => download.notModified).length;
  return { downloaded: downloads.length - notModified, notModified };
}

type Get = (path: string, check: (source: ByteSource) => Promise<unknown>) => Promise<Download>;

/** Gets paths below the base address. */
function downloader({ baseUrl, dataDir, version, onRetry, signal }: PullOptions): Get {
  const options = {
    cacheFolder: join(dataDir, 'pull-cache'),
    userAgent: `cardledger/${version} (market data import for a card collection service)`,
    ...(onRetry && { onRetry }),
    ...(signal && { signal }),
  };
  return (path, check) => download(`${baseUrl.replace(/\/+$/, '')}/${path}`, check, options);
}

/** Takes the pull of a kind where it is due and no other process has it: gives which try it is, or null. */
export async function takePull(db: Database, kind: PullKind, dueSince: Date): Promise<number | null> {
  const [taken] = await db.query<{ tries: number }>(TAKE_PULL, [kind, dueSince.toISOString()]);
  return taken?.tries ?? null;
}

/** To be said every minute while it is pulled: after five without it another process may. */
export async function keepPull(db: Database, kind: PullKind): Promise<void> {
  await db.query(KEEP_PULL, [kind]);
}

/** After a failure, for all processes. */
export async function putOffPull(db: Database, kind: PullKind, millis: number): Promise<void> {
  await db.query(PUT_OFF_PULL, [kind, millis]);
}

/** Where the process ends: another may begin at once. */
export async function leavePull(db: Database, kind: PullKind): Promise<void> {
  await db.query(LEAVE_PULL, [kind]);
}
