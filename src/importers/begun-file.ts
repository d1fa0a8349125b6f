import { Readable } from 'node:stream';
import { turnOf } from '../lib/in-turns.ts';
import { type Payer, workFor } from '../lib/processor-time.ts';
import { type ByteSource, ImportFileError, textOf } from './import-file.ts';

/** Its text, its bytes, or these as they come. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A piece is parsed at once, while all other requests wait; it may have 500 rows, each of another length than the header. */
const PIECE_BYTES = 1024;

/** By which a file is told: its first lines, by which columns are known to be separated. */
const FIRST_CHARACTERS = 8192;
const MOST_BYTES_OF_CHARACTER = 4;

/** For messages. */
const NAME = 'csv';

async function* inPieces(file: FileContent, payer: Payer | undefined): AsyncGenerator<Uint8Array> {
  for await (const part of partsOf(file)) {
    // It may have been waited for.
    workFor(payer);
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      await turnOf(payer);
      yield part.subarray(at, at + PIECE_BYTES);
    }
  }
}

function partsOf(file: FileContent): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (typeof file === 'string') return [Buffer.from(file)];
  return file instanceof Uint8Array ? [file] : file;
}

/** What is saved in place of CSV now and then, by its first bytes. */
const OTHER_FILES: readonly [start: string, what: string][] = [
  [
    '504b0304',
    'a ZIP archive, as Excel workbooks (.xlsx) and those of LibreOffice are; save the sheet as CSV',
  ],
  ['d0cf11e0', 'an Excel workbook (.xls); save the sheet as CSV'],
  ['1f8b', 'a gzip archive; unpack it'],
  ['25504446', 'a PDF; export the collection as CSV'],
  ['89504e47', 'a picture (PNG)'],
  ['ffd8ff', 'a picture (JPEG)'],
  ['47494638', 'a picture (GIF)'],
];

/** A file whose first characters were read, or all that it has. It can be read once, from its beginning. */
export async function begun(
  file: FileContent,
  payer: Payer | undefined,
): Promise<{ beginning: string; source: ByteSource }> {
  const pieces = inPieces(file, payer);
  try {
    const first = await firstBytes(pieces);
    const beginning = await beginningOf(first);
    const source = {
      name: NAME,
      async *bytes() {
        try {
          yield* inPieces(first, payer);
          yield* pieces;
        } finally {
          await pieces.return(undefined);
        }
      },
    };
    return { beginning, source };
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
}

async function firstBytes(pieces: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  const first: Uint8Array[] = [];
  for (let length = 0; length < FIRST_CHARACTERS * MOST_BYTES_OF_CHARACTER; ) {
    const { value, done } = await pieces.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  return Buffer.concat(first);
}

async function beginningOf(first: Uint8Array): Promise<string> {
  assertNoOtherFile(first);
  for await (const text of textOf({ name: NAME, bytes: () => Readable.from([first]) }))
    return text.slice(0, FIRST_CHARACTERS);
  return '';
}

function assertNoOtherFile(first: Uint8Array): void {
  const start = Buffer.from(first.subarray(0, 4)).toString('hex');
  const other = OTHER_FILES.find(([known]) => start.startsWith(known));
  if (other) throw new ImportFileError(NAME, 1, `it is no CSV file but ${other[1]}`);
}
