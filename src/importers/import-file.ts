import { createReadStream } from 'node:fs';
import { turnOf } from '../lib/in-turns.ts';
import type { Payer } from '../lib/processor-time.ts';

/** No record of any format is as long: a line or JSON object beyond it is damage, and is refused before it fills the memory. */
export const MOST_RECORD_BYTES = 1024 * 1024;

/**
 * Nor is a row of transactions, which is read in one go, as long: an export writes 8 KiB at most, and a cell of a spreadsheet has
 * 32,767 characters.
 */
export const MOST_ROW_BYTES = 64 * 1024;

/** Bytes to import, which can be read more than once. */
export interface ByteSource {
  /** For messages: the path of the file. */
  name: string;
  bytes(): AsyncIterable<Uint8Array>;
  /** Known to be UTF-8: a character that stands for one that cannot be read is what somebody wrote. */
  isText?: boolean;
}

/** What is made of a piece of a file is made in one turn of the event loop: of 64 KiB of rates up to 80 ms. */
const PIECE_BYTES = 16 * 1024;
/** Of what a request brings: some rows. */
const PIECE_AT_HAND_BYTES = 4 * 1024;

/** A path stands for the file there. */
export function sourceOf(input: string | ByteSource): ByteSource {
  if (typeof input !== 'string') return input;
  return { name: input, bytes: () => createReadStream(input, { highWaterMark: PIECE_BYTES }) };
}

/**
 * Bytes that are at hand, in pieces.
 * @param payer for whom they are read, beside all others
 */
export function sourceOfBytes(name: string, bytes: Uint8Array, payer?: Payer): ByteSource {
  return {
    name,
    async *bytes() {
      for (let at = 0; at < bytes.length; at += PIECE_AT_HAND_BYTES) {
        await turnOf(payer);
        yield bytes.subarray(at, at + PIECE_AT_HAND_BYTES);
      }
    },
  };
}

/** What makes a file unusable: nothing of it is imported. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly problem: string;

  constructor(file: string, line: number, problem: string, options?: ErrorOptions) {
    super(`${file}, line ${line}: ${problem}.`, options);
    this.problem = problem;
    this.file = file;
    this.line = line;
  }
}

/** Where a row stands. */
export interface RowPlace {
  file: string;
  line: number;
}

/** A sound row that names something this service does not know. It is left out and counted. */
export class RejectedRow {
  /** Null for what is not read by lines. */
  readonly place: RowPlace | { file: null; line: null };
  /** What rows are counted by, e.g. `unknown variant`. */
  readonly kind: string;
  readonly reason: string;

  constructor(place: RejectedRow['place'], kind: string, reason: string) {
    this.place = place;
    this.kind = kind;
    this.reason = reason;
  }
}

/** Rows to write, `length` being those that are not rejected. Each iteration begins anew. */
export type Rows<Row> = (Iterable<Row | RejectedRow> | AsyncIterable<Row | RejectedRow>) & { length: number };

/**
 * The rows of a file that has been read through once, so that a broken one is known before anything is written. Only
 * what is being worked on is in memory: each iteration reads the file again.
 */
export async function checkedRows<Row>(
  read: () => AsyncIterable<Row | RejectedRow>,
): Promise<AsyncIterable<Row | RejectedRow> & { length: number }> {
  let length = 0;
  for await (const row of read()) if (!(row instanceof RejectedRow)) length++;
  return { length, [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator]() };
}

/** The rows of several files, one after the other. */
export function joinedRows<Row>(parts: readonly Rows<Row>[]): Rows<Row> {
  return {
    length: parts.reduce((sum, { length }) => sum + length, 0),
    async *[Symbol.asyncIterator]() {
      for (const part of parts) yield* part;
    },
  };
}

/**
 * The text of a file, in pieces, without a byte order mark. It is UTF-8, or UTF-16 where it begins with the mark of it, as
 * spreadsheets save "Unicode text". Throws an `ImportFileError` where it is empty or neither: other encodings show as bytes
 * that cannot be read, or as zeros.
 */
export async function* textOf(source: ByteSource): AsyncGenerator<string> {
  let decoder = new TextDecoder('utf-8');
  let line = 1;
  let isEmpty = true;
  let isFirst = true;
  for await (const bytes of source.bytes()) {
    if (isFirst) decoder = new TextDecoder(encodingOf(bytes));
    isFirst = false;
    const text = decoder.decode(bytes, { stream: true });
    assertReadable(source, text, line);
    if (text === '') continue;
    isEmpty = false;
    line += newlinesIn(text);
    yield text;
  }
  const rest = decoder.decode();
  assertReadable(source, rest, line);
  if (isEmpty) throw new ImportFileError(source.name, 1, 'the file is empty');
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function assertReadable(source: ByteSource, text: string, line: number): void {
  const position = text.search(source.isText ? /\0/ : /[\uFFFD\0]/);
  if (position < 0) return;
  const problem =
    'it is not UTF-8 text (nor UTF-16 with its mark), or it is damaged here; save it as UTF-8 and import it again';
  throw new ImportFileError(source.name, line + newlinesIn(text.slice(0, position)), problem);
}

export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The first character of the file that is no space. */
export async function firstCharacter(source: ByteSource): Promise<string> {
  for await (const text of textOf(source)) {
    const character = text.trimStart()[0];
    if (character !== undefined) return character;
  }
  return '';
}

/** The whole text of a small file. Throws an `ImportFileError` above the limit. */
export async function wholeText(source: ByteSource, mostCharacters: number): Promise<string> {
  let whole = '';
  for await (const text of textOf(source)) {
    whole += text;
    if (whole.length <= mostCharacters) continue;
    const limit = `${mostCharacters / 1024 / 1024} MiB`;
    throw new ImportFileError(source.name, 1 + newlinesIn(whole), `the file is larger than ${limit}`);
  }
  return whole;
}
