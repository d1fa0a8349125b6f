import { readFileSync } from 'node:fs';
import type { Database } from '../../src/db/client.ts';
import { type ByteSource, ImportFileError, RejectedRow, type Rows } from '../../src/importers/import-file.ts';
import { projectPath } from '../../src/paths.ts';

export const fixture = (path: string): string => projectPath(`test/fixtures/${path}`);

/** A file of this content, which is handed on in pieces of a few bytes, as a slow disk might. */
export function sourceWith(content: string | Uint8Array, name = 'file', pieceBytes = 7): ByteSource {
  const bytes = Buffer.from(content);
  return {
    name,
    async *bytes() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

/** A file of a gigabyte that is one line: it begins like `start` and goes on without end; counts what was read. */
export function gigabyteLine(start: string): ByteSource & { bytesRead: number } {
  const piece = Buffer.alloc(65_536, 'x');
  const source = {
    name: 'gigabyte',
    bytesRead: 0,
    async *bytes() {
      yield Buffer.from(start);
      for (let at = 0; at < 2 ** 30; at += piece.length) {
        source.bytesRead += piece.length;
        yield piece;
      }
    },
  };
  return source;
}

export async function drained<Row>(rows: Rows<Row>): Promise<{ rows: Row[]; rejected: RejectedRow[] }> {
  const read: { rows: Row[]; rejected: RejectedRow[] } = { rows: [], rejected: [] };
  for await (const row of rows) {
    if (row instanceof RejectedRow) read.rejected.push(row);
    else read.rows.push(row);
  }
  return read;
}

/** The message of the error that reading ends with. */
export async function problemOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof ImportFileError) return error.message;
    throw error;
  }
  return 'it was accepted';
}

export const textOfFixture = (path: string): string => readFileSync(fixture(path), 'utf8');

/** What every format refuses: the same text in other encodings, nothing at all, and a line of a gigabyte. */
export function brokenVariants(text: string): [what: string, source: ByteSource, message: RegExp][] {
  const latin1 = Buffer.from(text.replace(/[a-z](?=[^a-z]*$)/, 'é'), 'latin1');
  return [
    ['nothing', sourceWith(''), /^file, line 1: the file is empty\.$/],
    [
      'UTF-16 without a mark',
      sourceWith(Buffer.from(text, 'utf16le')),
      /^file, line 1: it is not UTF-8 text/,
    ],
    ['Latin-1', sourceWith(latin1), /^file, line \d+: it is not UTF-8 text/],
  ];
}

/** A digest of all rows of each table, by its name. */
export async function digestsOf(db: Database, tables: readonly string[]): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await db.query<{ digest: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from "${table}" t`,
    );
    digests[table] = row!.digest;
  }
  return digests;
}
