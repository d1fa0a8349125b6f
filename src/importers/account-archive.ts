import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import {
  ARCHIVE_FILES,
  ARCHIVE_FOLDER,
  ARCHIVE_VERSION,
  ArchivedAccount,
  ArchivedAlert,
  ArchivedCollection,
  ArchivedGoal,
  ArchivedGoalItem,
  ArchivedList,
  type ArchiveKind,
  archiveFile,
  CHECKSUMS_FILE,
} from '../domain/account-archive.ts';
import type { Breach } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { breachesOf } from '../domain/parse-input.ts';
import { DETAIL_COLUMNS, withoutShield } from '../domain/transaction-file.ts';
import { inTurns } from '../lib/in-turns.ts';
import { measureJson } from '../lib/json-text.ts';
import { mappedOneByOne, type Parts } from '../lib/parts.ts';
import type { Payer } from '../lib/processor-time.ts';
import { TarError, tarFiles } from '../lib/tar.ts';
import { type CsvRow, csvRows } from './csv-file.ts';
import { type ByteSource, ImportFileError, MOST_ROW_BYTES, sourceOfBytes } from './import-file.ts';

/** The archive of an account as it is read: file by file, each checked against all that an export writes. */

/** Why an archive cannot be taken in: nothing of it is. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const COLUMNS = [
  ...(['collectionId', 'occurredDate', 'action', 'quantity', 'unitAmount', 'currency', 'variantId'] as const),
  ...(['fees', 'shipping'] as const),
  ...DETAIL_COLUMNS,
];
export type ArchivedRow = CsvRow<(typeof COLUMNS)[number]>;

export type ArchivePart =
  | { kind: 'account'; file: string; content: ArchivedAccount }
  | { kind: 'collections'; file: string; content: ArchivedCollection[] }
  | { kind: 'goal'; file: string; content: ArchivedGoal }
  | { kind: 'price-alerts'; file: string; content: ArchivedAlert[] }
  | { kind: 'transactions'; file: string; rows: AsyncIterable<ArchivedRow> };

/**
 * The parts of an archive in their order, the account first; those of a kind may be none. The last is followed by the check of
 * all of them, so nothing is to be kept before the end. Throws an `ArchiveError`.
 *
 * @param payer for whom it is read, beside all others
 */
export async function* readArchive(source: ByteSource, payer?: Payer): AsyncGenerator<ArchivePart> {
  const sums: string[] = [];
  const order = new FileOrder();
  try {
    for await (const { name, content } of tarFiles(unpacked(source), LIMITS.archiveFileBytes)) {
      const file = fileOf(name);
      const kind = order.next(file, content.length);
      if (kind === 'checksums') {
        assertSums(content, sums);
        continue;
      }
      sums.push(await checksumLine([content], file, payer));
      yield await partOf(kind, file, content, payer);
    }
  } catch (error) {
    throw error instanceof TarError ? new ArchiveError(`The archive ${error.message}.`) : error;
  }
  if (!order.isAtEnd) throw new ArchiveError('The archive is cut off.');
}

/** As `sha256sum` writes it, and reads it. */
export async function checksumLine(
  content: readonly Uint8Array[],
  file: string,
  payer?: Payer,
): Promise<string> {
  return `${await inTurns(digestInParts(content), payer)}  ${file}\n`;
}

/** What is made of a file of 16 MiB in one go takes 40 ms. */
const PART_BYTES = 256 * 1024;

function* digestInParts(content: readonly Uint8Array[]): Parts<string> {
  const hash = createHash('sha256');
  for (const piece of content) {
    for (let at = 0; at < piece.length; at += PART_BYTES) {
      hash.update(piece.subarray(at, at + PART_BYTES));
      yield;
    }
  }
  return hash.digest('hex');
}

/** Whether it is UTF-8. */
export function* isUtf8InParts(content: Uint8Array): Parts<boolean> {
  for (let at = 0; at < content.length; ) {
    const end = endOfCharacter(content, at + PART_BYTES);
    if (!isUtf8(content.subarray(at, end))) return false;
    at = end;
    yield;
  }
  return true;
}

/** The bytes behind a character's first, of which there are three at most. */
function endOfCharacter(content: Uint8Array, at: number): number {
  let end = at;
  while (end < at + 3 && (content[end]! & 0xc0) === 0x80) end++;
  return end;
}

const NO_ARCHIVE = 'This is no archive of an account: a .tar.gz as an export writes it is needed.';

async function* unpacked(source: ByteSource): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // The error of either stream comes out of the loop below.
  pipeline(Readable.from(source.bytes()), gunzip, () => {});
  let bytes = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > LIMITS.archiveFileBytes + LIMITS.archiveRatio * gunzip.bytesWritten)
        throw new ArchiveError('The archive is packed more than any that an export writes.');
      yield piece;
    }
  } catch (error) {
    throw unpackingError(error);
  }
}

function unpackingError(error: unknown): unknown {
  switch ((error as { code?: unknown }).code) {
    case 'Z_BUF_ERROR':
      return new ArchiveError('The archive is cut off.');
    case 'Z_DATA_ERROR':
      return new ArchiveError(
        /header/.test((error as Error).message) ? NO_ARCHIVE : 'The archive is damaged.',
      );
    default:
      return error;
  }
}

function fileOf(name: string): string {
  if (name.startsWith(`${ARCHIVE_FOLDER}/`)) return name.slice(ARCHIVE_FOLDER.length + 1);
  throw unexpected(name);
}

function unexpected(name: string): ArchiveError {
  return new ArchiveError(
    `The archive has ${JSON.stringify(name.slice(0, 100))} where an export of version ${ARCHIVE_VERSION} has another file.`,
  );
}

/** What may come next: none is left out but whole kinds, and of parts only the last is short. */
class FileOrder {
  #place = -1;
  #part = 0;
  /** A file costs more than its bytes do: nobody is to send a million that have none. */
  #isShort = false;
  isAtEnd = false;

  next(file: string, bytes: number): ArchiveKind | 'checksums' {
    if (this.isAtEnd) throw unexpected(file);
    if (file === CHECKSUMS_FILE && this.#place >= 0) {
      this.isAtEnd = true;
      return 'checksums';
    }
    const place = ARCHIVE_FILES.findIndex(({ kind, parts }, i) => {
      if (!parts) return i > this.#place && file === archiveFile(kind);
      return i >= this.#place && file === archiveFile(kind, i === this.#place ? this.#part + 1 : 1);
    });
    // The account comes first.
    if (place < 0 || (this.#place < 0 && place > 0)) throw unexpected(file);
    const isFurther = place === this.#place;
    if (isFurther && this.#isShort) throw unexpected(file);
    this.#part = isFurther ? this.#part + 1 : 1;
    this.#place = place;
    this.#isShort = bytes < LIMITS.archiveLeastPartBytes;
    return ARCHIVE_FILES[place]!.kind;
  }
}

function assertSums(given: Buffer, sums: readonly string[]): void {
  if (!given.equals(Buffer.from(sums.join(''))))
    throw new ArchiveError(`The archive is damaged: its ${CHECKSUMS_FILE} is of other files.`);
}

async function partOf(
  kind: ArchiveKind,
  file: string,
  content: Buffer,
  payer: Payer | undefined,
): Promise<ArchivePart> {
  if (kind === 'transactions') {
    const isText = await inTurns(isUtf8InParts(content), payer);
    return { kind, file, rows: rowsOf({ ...sourceOfBytes(file, content, payer), isText }) };
  }
  const json = jsonOf(file, content);
  const each = <T extends z.ZodType>(rule: T, values: readonly unknown[], at: Breach['path'] = []) =>
    inTurns(
      mappedOneByOne(values, (value, i) => checked(file, rule, value, [...at, i])),
      payer,
    );
  switch (kind) {
    case 'account':
      assertVersion(json);
      return { kind, file, content: checked(file, ArchivedAccount, json) };
    case 'goal': {
      const { items, ...goal } = checked(file, ArchivedGoal, json);
      const content = { ...goal, items: await each(ArchivedGoalItem, items, ['items']) };
      if (new Set(content.items.map(({ variantId }) => variantId)).size < items.length)
        throw new ArchiveError(`${file}: items must not have a variant twice.`);
      return { kind, file, content };
    }
    case 'collections':
      return { kind, file, content: await each(ArchivedCollection, checked(file, ArchivedList, json)) };
    case 'price-alerts':
      return { kind, file, content: await each(ArchivedAlert, checked(file, ArchivedList, json)) };
  }
}

/** As many values as a body may have: each of a MiB of `{}` would lack ten others, which took 2.6 GB to say. */
function jsonOf(file: string, content: Buffer): unknown {
  if (content.length > LIMITS.archiveJsonBytes) throw tooLong(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const measure = measureJson(text, { values: LIMITS.bodyValues, depth: LIMITS.bodyDepth });
    if ('beyond' in measure) throw tooLong(file);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(`${file}: it is not well-formed JSON in UTF-8.`);
  }
}

/** The value as the rule gives it. Throws an `ArchiveError` of its first breach. */
function checked<T extends z.ZodType>(
  file: string,
  rule: T,
  value: unknown,
  at: Breach['path'] = [],
): z.output<T> {
  const parsed = rule.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, detail }] = breachesOf(parsed.error, value, at) as [Breach];
  throw new ArchiveError(`${file}: ${path.length > 0 ? `${path.join('.')} ` : ''}${detail}.`);
}

function tooLong(file: string): ArchiveError {
  return new ArchiveError(`${file}: it is longer than an export writes it.`);
}

function assertVersion(value: unknown): void {
  const { format, version } = (value ?? {}) as Record<string, unknown>;
  if (format !== ArchivedAccount.shape.format.value) throw new ArchiveError(NO_ARCHIVE);
  if (version === ARCHIVE_VERSION) return;
  throw new ArchiveError(
    `The archive is of version ${JSON.stringify(version)}, and this service reads version ${ARCHIVE_VERSION}.`,
  );
}

async function* rowsOf(source: ByteSource): AsyncGenerator<ArchivedRow> {
  try {
    for await (const { line, values } of csvRows(source, {
      delimiter: ',',
      required: COLUMNS,
      mostRecordBytes: MOST_ROW_BYTES,
    })) {
      for (const column of COLUMNS) values[column] = withoutShield(values[column]);
      yield { line, values };
    }
  } catch (error) {
    throw error instanceof ImportFileError ? new ArchiveError(error.message) : error;
  }
}
