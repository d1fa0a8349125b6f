import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import { dateOf } from '../domain/dates.ts';
import { dueSince, type PullTimes } from '../domain/pull-times.ts';
import type { ImportSummary, Written } from '../services/market/batches.ts';
import {
  DownloadError,
  keepPull,
  leavePull,
  PULLS,
  type PullKind,
  putOffPull,
  takePull,
} from '../services/market/pull.ts';
import type { OnFailure } from '../services/market/settle.ts';
import type { ImportCounts } from '../services/market/write-import.ts';
import { packageVersion } from '../version.ts';
import { messageOf } from './errors.ts';

const LOOK_MILLIS = 60_000;
const KEEP_MILLIS = 60_000;
const STOP_MILLIS = 1000;
/** So much later than its time, by chance, that not all who pull at a full hour come together. */
const MOST_LATE_MILLIS = 10 * 60_000;
const FIRST_PAUSE_MILLIS = 5 * 60_000;
const LONGEST_PAUSE_MILLIS = 6 * 3600_000;

const WORDS: Record<PullKind, string> = { prices: 'market prices', rates: 'exchange rates' };

export interface KeepPulledOptions {
  now: () => Date;
  /** Told of accounts that are not brought to the new data yet. */
  onFailure: OnFailure;
  logger: Logger;
}

/**
 * Pulls market data when it is due, beside the requests, where no other process does. Gives the function that ends it:
 * a download at once, and what is written is undone.
 */
export function keepPulled(
  { pullPrices, pullRates, pullPricesUrl, pullRatesUrl, dataDir }: Config,
  db: Database,
  { now, onFailure, logger }: KeepPulledOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const lateMillis = Math.random() * MOST_LATE_MILLIS;
  let pulling: PullKind | undefined;

  const pull = async (kind: PullKind, baseUrl: string): Promise<void> => {
    const what = WORDS[kind];
    const onRetry = (message: string) => logger.info(`${what}: ${message}`);
    const asked = { baseUrl, dataDir, version: packageVersion(), today: dateOf(now()) };
    const { write, about } = await PULLS[kind]({ ...asked, onRetry, signal });
    // Told of after each part of what is written.
    const progress = () => signal.throwIfAborted();
    progress();
    const { counts, notes } = await write(db, progress, { onFailure });
    const done = sumOf(counts);
    logger.info(
      { ...about, ...done },
      [
        `pulled ${what}: ${done.added} added, ${done.changed} changed, ${done.rejected} left out`,
        ...notes,
      ].join('. '),
    );
  };

  const attempt = async (kind: PullKind, times: PullTimes, baseUrl: string): Promise<void> => {
    const due = dueSince(times, new Date(now().getTime() - lateMillis));
    const tries = await takePull(db, kind, due);
    if (tries === null) return;
    pulling = kind;
    const keeping = setInterval(() => keepPull(db, kind).catch(() => {}), KEEP_MILLIS).unref();
    try {
      await pull(kind, baseUrl);
    } catch (error) {
      if (signal.aborted) return;
      const asked = error instanceof DownloadError ? error.waitMillis : 0;
      const millis = Math.max(pauseMillis(tries), Math.min(asked, LONGEST_PAUSE_MILLIS));
      tell(kind, error, millis);
      await putOffPull(db, kind, millis);
    } finally {
      clearInterval(keeping);
    }
    pulling = undefined;
  };

  const tell = (kind: PullKind, error: unknown, millis: number) => {
    const minutes = Math.round(millis / 60_000);
    logger.warn(
      error instanceof DownloadError ? {} : { err: error },
      `${WORDS[kind]} are not pulled, and what was loaded stays; the next try is in ${minutes} min. ${messageOf(error)}`,
    );
  };

  const look = async (): Promise<void> => {
    for (const [kind, times, baseUrl] of [
      ['rates', pullRates, pullRatesUrl],
      ['prices', pullPrices, pullPricesUrl],
    ] as const) {
      if (times === null || signal.aborted) continue;
      await attempt(kind, times, baseUrl).catch((err) => {
        if (!signal.aborted) logger.warn({ err }, `it is not known whether ${WORDS[kind]} are due`);
      });
    }
  };
  let looking: Promise<void> | undefined;
  const lookUnlessUnderWay = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  lookUnlessUnderWay();
  const timer = setInterval(lookUnlessUnderWay, LOOK_MILLIS).unref();

  return async () => {
    clearInterval(timer);
    stopping.abort();
    // What is written for longer is undone where the database is closed.
    await Promise.race([looking, sleep(STOP_MILLIS, undefined, { ref: false })]);
    if (pulling) await leavePull(db, pulling).catch(() => {});
  };
}

/** Twice as long after each failure, up to six hours; by chance up to a quarter less or more. */
export function pauseMillis(tries: number): number {
  const millis = Math.min(FIRST_PAUSE_MILLIS * 2 ** (tries - 1), LONGEST_PAUSE_MILLIS);
  return millis * (0.75 + Math.random() / 2);
}

function sumOf(counts: ImportCounts) {
  const all = Object.values(counts);
  const sum = (count: (written: Written | ImportSummary) => number) =>
    all.reduce((total, written) => total + count(written), 0);
  return {
    added: sum(({ added }) => added),
    changed: sum(({ changed }) => changed),
    unchanged: sum(({ unchanged }) => unchanged),
    rejected: sum((written) => ('rejectedCount' in written ? written.rejectedCount : 0)),
  };
}
