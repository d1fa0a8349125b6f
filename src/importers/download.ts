import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from '../paths.ts';
import { type ByteSource, ImportFileError, sourceOf } from './import-file.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_TRIES = 5;
const FIRST_WAIT_MILLIS = 1000;
const LONGEST_WAIT_MILLIS = 120_000;
const TIMEOUT_MILLIS = 30_000;
/** Between two requests, so that a hundred of them are no burden. */
const PAUSE_MILLIS = 100;
const RETRYABLE_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface DownloadOptions {
  /** Where answers are kept, with their ETags. */
  cacheFolder: string;
  userAgent: string;
  /** Told of each failure that is tried again. */
  onRetry?: (message: string) => void;
  /** Ends it: throws the signal's reason. */
  signal?: AbortSignal;
  /** For tests. */
  wait?: (millis: number) => Promise<void>;
  timeoutMillis?: number;
}

/** What a server answered; named by its address. */
export interface Download extends ByteSource {
  /** The server said that it is as it was, and the kept answer is used. */
  notModified: boolean;
}

/** A download that failed for good; the message has the address and the reason. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  /** Of the last answer, if there was one. */
  readonly status: number | null;
  /** For how long the server asks to be left alone. */
  readonly waitMillis: number;

  constructor(url: string, problem: string, status: number | null, waitMillis = 0) {
    super(`Cannot download ${url}: ${problem}.`);
    this.status = status;
    this.waitMillis = waitMillis;
  }
}

/** A failure that may pass. */
class PassingFailure extends Error {
  readonly waitMillis: number | null;
  readonly status: number | null;

  constructor(
    message: string,
    { waitMillis = null, status = null }: { waitMillis?: number | null; status?: number | null } = {},
  ) {
    super(message);
    this.waitMillis = waitMillis;
    this.status = status;
  }
}

/**
 * Downloads what is at the address, if it changed since the last time. `check` throws for an answer that is not sound:
 * that one is asked for again, as after a failure of the server or the network, with growing pauses or those that the
 * server asks for. Only a sound answer is kept. Throws a `DownloadError` after five tries.
 */
export async function download(
  url: string,
  check: (source: ByteSource) => Promise<unknown>,
  options: DownloadOptions,
): Promise<Download> {
  const { signal } = options;
  const wait = options.wait ?? ((millis) => sleep(millis, undefined, signal && { signal }));
  await makeDirectory(options.cacheFolder);
  for (let tries = 1; ; tries++) {
    try {
      const answer = await attempt(url, check, options);
      await wait(PAUSE_MILLIS);
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PassingFailure)) throw error;
      if (tries === MOST_TRIES)
        throw new DownloadError(url, `${error.message}, after ${tries} tries`, error.status);
      const millis = error.waitMillis ?? FIRST_WAIT_MILLIS * 2 ** (tries - 1);
      if (millis > LONGEST_WAIT_MILLIS) {
        const asked = Math.ceil(millis / 1000);
        const problem = `${error.message}, and it asks to wait for ${asked} s`;
        throw new DownloadError(url, problem, error.status, millis);
      }
      options.onRetry?.(`${url}: ${error.message}; trying again in ${millis / 1000} s`);
      await wait(millis);
    }
  }
}

interface Kept {
  etag: string | null;
  lastModified: string | null;
}

async function attempt(
  url: string,
  check: (source: ByteSource) => Promise<unknown>,
  options: DownloadOptions,
): Promise<Download> {
  const name = join(options.cacheFolder, createHash('sha256').update(url).digest('hex').slice(0, 32));
  const [body, notes, part] = [`${name}.body`, `${name}.json`, `${name}.${process.pid}.part`];
  const kept = await readFile(notes, 'utf8').then(
    (text) => JSON.parse(text) as Kept,
    () => null,
  );
  const response = await requested(url, kept, options);
  const named = (path: string): ByteSource => ({ ...sourceOf(path), name: url });
  if (response.status === 304 && kept !== null) {
    await response.body?.cancel();
    await passing(() => check(named(body))).catch(async (error) => {
      await rm(notes, { force: true });
      throw error;
    });
    return { ...named(body), notModified: true };
  }
  assertOk(url, response);
  try {
    await passing(() => save(url, response, part));
    await passing(() => check(named(part)));
    await rename(part, body);
  } finally {
    await rm(part, { force: true });
  }
  const { headers } = response;
  const fresh: Kept = { etag: headers.get('ETag'), lastModified: headers.get('Last-Modified') };
  await writeFile(notes, JSON.stringify(fresh));
  return { ...named(body), notModified: false };
}

function requested(url: string, kept: Kept | null, options: DownloadOptions): Promise<Response> {
  const headers: Record<string, string> = { 'User-Agent': options.userAgent };
  if (kept?.etag) headers['If-None-Match'] = kept.etag;
  else if (kept?.lastModified) headers['If-Modified-Since'] = kept.lastModified;
  const timeout = AbortSignal.timeout(options.timeoutMillis ?? TIMEOUT_MILLIS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  return passing(() => fetch(url, { headers, signal }));
}

function assertOk(url: string, { ok, status, statusText, headers }: Response): void {
  if (ok) return;
  const problem = `the server answered ${`${status} ${statusText}`.trim()}`;
  if (!RETRYABLE_STATUS.has(status)) throw new DownloadError(url, problem, status);
  throw new PassingFailure(problem, { waitMillis: retryAfterMillis(headers.get('Retry-After')), status });
}

/** Seconds, or a date. */
function retryAfterMillis(header: string | null): number | null {
  if (header === null) return null;
  const millis = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(millis) ? null : Math.max(0, millis);
}

async function save(url: string, response: Response, path: string): Promise<void> {
  const bytes = Readable.fromWeb((response.body ?? new Blob([]).stream()) as ReadableStream);
  let size = 0;
  await pipeline(
    bytes,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > MOST_BYTES)
          throw new DownloadError(url, `the answer is larger than ${MOST_BYTES / 1024 / 1024} MiB`, null);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
}

/** Failures of the network, and answers that are cut off or damaged, may pass. */
async function passing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    // The file is named by the address, with which every failure begins.
    throw new PassingFailure(
      error instanceof ImportFileError ? `line ${error.line}: ${error.problem}` : causeOf(error),
    );
  }
}

/** fetch says "fetch failed" and "terminated", and has the reason as its cause. */
function causeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time';
  const { message, cause } = error as Error;
  return cause instanceof Error
    ? `${message} (${cause.message || (cause as NodeJS.ErrnoException).code})`
    : message;
}
