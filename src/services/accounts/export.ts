import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Database } from '../../db/client.ts';
import {
  ACCOUNT_TO_ARCHIVE,
  type AccountToArchive,
  ALERTS_TO_ARCHIVE,
  ARCHIVED_STATE,
  COLLECTIONS_TO_ARCHIVE,
  GOAL_TO_ARCHIVE,
  TRANSACTIONS_TO_ARCHIVE,
} from '../../db/queries/account-archive.ts';
import type { PriceAlertRow } from '../../db/queries/price-alerts.ts';
import { ONE_SNAPSHOT } from '../../db/queries/snapshot.ts';
import {
  ARCHIVE_FOLDER,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedAlert,
  type ArchivedCollection,
  type ArchivedGoal,
  archiveFile,
  CHECKSUMS_FILE,
} from '../../domain/account-archive.ts';
import { accountIdOf } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { CSV_HEADER, transactionLine } from '../../domain/transaction-file.ts';
import { checksumLine } from '../../importers/account-archive.ts';
import { turnBehindOthers } from '../../lib/in-turns.ts';
import { mappedInParts } from '../../lib/parts.ts';
import type { Spool } from '../../lib/spool.ts';
import { TAR_END, tarFile } from '../../lib/tar.ts';
import { assertAwaited, type Context, readInTurns } from '../context.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { unavailable } from '../places.ts';
import { type ExportedRow, writtenOf } from '../transactions/export.ts';
import { asAccount, ownOrBelow } from './own-or-below.ts';
import { inTransferPlace, spooled, takeArchivePlace } from './transfers.ts';

/** Of a client that takes an archive. */
const SLOWEST_BYTES_PER_MILLI = 32;

/** The archive of an account, whole, on its way to whoever takes it. */
export interface AccountArchive {
  bytes: number;
  /** To be read to its end, or destroyed: until then it takes a place, for so long as a slow client needs. */
  stream: Readable;
}

/**
 * Everything of an account, the caller's own or one below it, as it is at one moment: a .tar.gz of JSON and CSV
 * (docs/platform.md#leaving). It is read as quickly as the database gives it, and put down on the disk for a client
 * that may be slow. Throws `NotFound`, `RateLimited`, `Unavailable`.
 */
export async function exportAccount(ctx: Context, id: string): Promise<AccountArchive> {
  const accountId = await ownOrBelow(ctx, id);
  const giveBack = takeArchivePlace(ctx);
  try {
    const archive = await inTransferPlace(ctx, () => spooledArchive(ctx, accountId));
    const stream = Readable.from(archive.read(), { objectMode: false });
    const millis = LIMITS.archiveTakenMillis + archive.bytes / SLOWEST_BYTES_PER_MILLI;
    const cut = setTimeout(() => stream.destroy(), millis).unref();
    stream.once('close', () => {
      clearTimeout(cut);
      giveBack();
      void archive.close();
    });
    ctx.leaving?.addEventListener('abort', () => stream.destroy(), { once: true });
    return { bytes: archive.bytes, stream };
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** The same for a command, which writes it down itself: `write` is given the bytes. */
export async function exportAccountTo(
  ctx: Context,
  id: string,
  write: (archive: Readable) => Promise<void>,
  progress: Progress = noProgress,
): Promise<void> {
  const accountId = await ownOrBelow(ctx, id);
  await inSnapshot(ctx, accountId, (own) => write(packed(own, progress)));
}

/** What is read: in one transaction, or each page by itself. */
type Reading = Omit<Context, 'db'> & { db: Pick<Database, 'query'> };

const MOST_READINGS = 3;

/**
 * A transaction of the embedded database is all of it, and others would wait until the last page is read: there each page is read by
 * itself, and all of them once more where the account was changed meanwhile.
 */
async function spooledArchive(ctx: Context, accountId: string): Promise<Spool> {
  if (ctx.db.kind === 'postgres') return inSnapshot(ctx, accountId, (own) => spooled(packed(own)));
  const query: Database['query'] = (text, params) =>
    ctx.db.transaction(
      async (tx) => {
        await tx.liftOperation();
        return asAccount(ctx, tx, accountId, (own) => own.db.query(text, params));
      },
      { reads: true },
    );
  const state = async () => (await query<{ state: string }>(ARCHIVED_STATE, [accountId]))[0]!.state;
  const own: Reading = { ...ctx, db: { query }, caller: { ...ctx.caller, accountId } };
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    const before = await state();
    const archive = await spooled(packed(own));
    let isSame = false;
    try {
      isSame = (await state()) === before;
    } finally {
      if (!isSame) await archive.close();
    }
    if (isSame) return archive;
  }
  throw unavailable('The account was changed each time it was read.');
}

/** In a transaction that is tried again where its connection has to begin anew. */
function inSnapshot<T>(ctx: Context, accountId: string, work: (own: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction(
    async (tx) => {
      await tx.query(ONE_SNAPSHOT);
      // The account says how much there is to do, a page at a time; whoever takes a page may need seconds for it.
      await tx.liftTimeouts();
      return asAccount(ctx, tx, accountId, work);
    },
    { reads: true },
  );
}

function packed(own: Reading, progress: Progress = noProgress): Readable {
  // The error of either stream comes out of the last.
  return pipeline(Readable.from(filesOf(own, progress), { objectMode: false }), createGzip(), () => {});
}

/** The archive file by file. */
async function* filesOf(own: Reading, progress: Progress): AsyncGenerator<Buffer> {
  const time = own.now();
  const sums: string[] = [];
  const written = async (file: string, content: readonly Buffer[]) => {
    sums.push(await checksumLine(content, file, own.work));
    return tarFile(`${ARCHIVE_FOLDER}/${file}`, content, time);
  };
  const { db, caller } = own;
  const params = [caller.accountId];
  const [account] = await db.query<AccountToArchive>(ACCOUNT_TO_ARCHIVE, params);
  if (!account) throw notFound('account');
  yield* await written(archiveFile('account'), [json(accountOf(account, own))]);
  let part = 0;
  for await (const items of collectionParts(db, params)) {
    const content = [Buffer.from('[\n'), ...items, Buffer.from('\n]\n')];
    yield* await written(archiveFile('collections', ++part), content);
  }
  const [goal] = await db.query<ArchivedGoal>(GOAL_TO_ARCHIVE, params);
  if (goal) yield* await written(archiveFile('goal'), [json(goal)]);
  part = 0;
  for await (const lines of transactionParts(own, account.transactionCount, progress)) {
    yield* await written(archiveFile('transactions', ++part), [Buffer.from(ARCHIVE_HEADER), ...lines]);
  }
  const alerts = await db.query<PriceAlertRow>(ALERTS_TO_ARCHIVE, params);
  if (alerts.length > 0) yield* await written(archiveFile('price-alerts'), [json(alerts.map(alertOf))]);
  yield* tarFile(`${ARCHIVE_FOLDER}/${CHECKSUMS_FILE}`, [Buffer.from(sums.join(''))], time);
  yield TAR_END;
}

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

function accountOf({ name, createdAt, ...row }: AccountToArchive, { caller, now }: Reading) {
  const { preferredCurrency, preferredPriceSource, costBasis, ...counts } = row;
  return {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    exportedAt: now().toISOString(),
    accountId: accountIdOf(caller.accountId),
    name,
    createdAt,
    preferences: { preferredCurrency, preferredPriceSource, costBasis },
    ...counts,
  };
}

function alertOf(row: PriceAlertRow): ArchivedAlert | object {
  const { amount, percent, lastTriggeredAt } = row;
  return {
    priceAlertId: row.id,
    targetId: row.variantId ?? row.collectionId,
    condition: row.condition,
    amount: amount === null ? null : { currency: row.currency, decimal: amount },
    percent: percent === null ? null : Number(percent),
    days: row.days,
    direction: row.direction,
    createdAt: row.createdAt,
    isMet: row.isMet,
    triggerCount: row.triggerCount,
    lastTrigger: lastTriggeredAt && {
      triggeredAt: lastTriggeredAt,
      day: row.lastTriggeredDay,
      value: row.lastValue,
      currency: row.lastCurrency,
      change: row.lastChange,
    },
  };
}

/** Characters that are made bytes together: ten thousand texts the collector of garbage would move. */
const PIECE_CHARACTERS = 65_536;

/** Texts as they fill files, none of which gets longer than that but for its last text. */
class Filling {
  #pieces: Buffer[] = [];
  #piece = '';
  #texts = 0;
  #bytes = 0;
  readonly #most: { texts: number; bytes: number };
  readonly #separator: string;

  constructor(most: { texts: number; bytes: number }, separator = '') {
    this.#most = most;
    this.#separator = separator;
  }

  /** What is full with it. */
  add(text: string): Buffer[] | null {
    this.#piece += this.#texts === 0 ? text : `${this.#separator}${text}`;
    this.#texts++;
    this.#bytes += Buffer.byteLength(text);
    if (this.#piece.length >= PIECE_CHARACTERS) this.#endPiece();
    return this.#texts >= this.#most.texts || this.#bytes >= this.#most.bytes ? this.rest() : null;
  }

  rest(): Buffer[] {
    this.#endPiece();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#texts = 0;
    this.#bytes = 0;
    return pieces;
  }

  #endPiece(): void {
    if (this.#piece !== '') this.#pieces.push(Buffer.from(this.#piece));
    this.#piece = '';
  }
}

/** Half of what is read: what is written may not be refused. */
const JSON_PART = { texts: LIMITS.exportPageSize, bytes: LIMITS.archiveJsonBytes / 2 };
const CSV_PART = { texts: LIMITS.archiveTransactions, bytes: LIMITS.archivePartBytes };

async function* collectionParts(db: Reading['db'], params: readonly string[]): AsyncGenerator<Buffer[]> {
  const filling = new Filling(JSON_PART, ',\n');
  let behind = '';
  for (;;) {
    const page = await db.query<ArchivedCollection>(COLLECTIONS_TO_ARCHIVE, [
      ...params,
      behind,
      LIMITS.exportPageSize,
    ]);
    for (const collection of page) {
      const full = filling.add(JSON.stringify(collection));
      if (full) yield full;
    }
    if (page.length < LIMITS.exportPageSize) break;
    behind = page.at(-1)!.collectionId;
  }
  const rest = filling.rest();
  if (rest.length > 0) yield rest;
}

type ArchivedRow = ExportedRow & { collectionId: string };

/** The columns that an import of transactions reads, behind the collection's id. */
const ARCHIVE_HEADER = `collectionId,${CSV_HEADER}`;

async function* transactionParts(own: Reading, total: number, progress: Progress): AsyncGenerator<Buffer[]> {
  const filling = new Filling(CSV_PART);
  let behind = '';
  let done = 0;
  for (;;) {
    const params = [own.caller.accountId, behind, LIMITS.exportPageSize];
    await turnBehindOthers(own.work);
    const page = await own.db.query<ArchivedRow>(TRANSACTIONS_TO_ARCHIVE, params);
    const lines = await readInTurns(own, mappedInParts(page, lineOf));
    for (const line of lines) {
      const full = filling.add(line);
      if (full) yield full;
    }
    done += page.length;
    progress('transactions', done, total);
    assertAwaited(own.leaving);
    if (page.length < LIMITS.exportPageSize) break;
    behind = page.at(-1)!.id;
  }
  const rest = filling.rest();
  if (rest.length > 0) yield rest;
}

function lineOf(row: ArchivedRow): string {
  return `${row.collectionId},${transactionLine(row.collectionName, writtenOf(row))}`;
}
