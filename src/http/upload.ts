import { LIMITS } from '../domain/limits.ts';
import type { StreamBody } from './body.ts';
import { assertNotCompressed, malformed } from './json-body.ts';

/** What an upload is, and the types that its body may have, the usual one first. */
export const FILE_TYPES = {
  csv: ['text/csv', 'text/plain', 'multipart/form-data'],
  archive: ['application/gzip', 'multipart/form-data'],
} as const;
export type UploadKind = keyof typeof FILE_TYPES;

const TYPE = /^[\w.+-]+\/[\w.+-]+(?=\s*(;|$))/;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const MIB = 1024 * 1024;

/**
 * The file of a request as it comes: its body, or the only part of a form. Throws `MalformedRequest` (413, 415, 400 for a form that
 * cannot be read), at once or while it is read.
 */
export function readUpload(
  { headers }: Request,
  streamBody: StreamBody,
  upload: UploadKind,
): AsyncIterable<Uint8Array> {
  const type = headers.get('Content-Type') ?? '';
  const kind = TYPE.exec(type)?.[0].toLowerCase();
  const types: readonly string[] = FILE_TYPES[upload];
  if (kind === undefined || !types.includes(kind))
    throw malformed(`The body must be a file, with "Content-Type: ${types[0]}", or a form with one.`, 415);
  assertNotCompressed(headers);
  const boundary = BOUNDARY.exec(type);
  const isForm = kind === 'multipart/form-data';
  if (isForm && !boundary) throw malformed('The form has no boundary in its Content-Type.');
  if (Number(headers.get('Content-Length') ?? 0) > LIMITS.importFileBytes) throw tooLong();
  const bytes = bounded(streamBody(upload === 'csv'));
  return isForm ? fileOfForm(bytes, (boundary![1] ?? boundary![2])!) : bytes;
}

async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > LIMITS.importFileBytes) throw tooLong();
    yield piece;
  }
}

function tooLong() {
  return malformed(`The file must have at most ${LIMITS.importFileBytes / MIB} MiB.`, 413);
}

const END_OF_HEADERS = '\r\n\r\n';
const MOST_HEADER_BYTES = 16 * 1024;

/** The content of the only part of a form (RFC 7578). */
async function* fileOfForm(pieces: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Uint8Array> {
  const delimiter = `\r\n--${boundary}`;
  let held: Buffer = Buffer.alloc(0);
  let place: 'headers' | 'content' | 'behind' = 'headers';
  for await (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    if (place === 'headers') {
      const contentAt = contentOfPart(held, boundary);
      if (contentAt === null) continue;
      held = held.subarray(contentAt);
      place = 'content';
    }
    if (place === 'content') {
      const end = held.indexOf(delimiter);
      // The last bytes may be the first of a delimiter.
      const known = end < 0 ? Math.max(0, held.length - delimiter.length + 1) : end;
      if (known > 0) yield held.subarray(0, known);
      held = held.subarray(end < 0 ? known : end + delimiter.length);
      if (end >= 0) place = 'behind';
    }
    if (place === 'behind') {
      assertLast(held);
      held = held.subarray(0, LAST.length);
    }
  }
  if (place !== 'behind' || held.length < LAST.length) throw unreadable();
}

/** Where the content of a form's first part begins; null while that is not known. */
function contentOfPart(form: Buffer, boundary: string): number | null {
  // However much has come at once.
  const head = form.subarray(0, MOST_HEADER_BYTES);
  const start = head.indexOf(`--${boundary}\r\n`);
  const end = start < 0 ? -1 : head.indexOf(END_OF_HEADERS, start);
  if (end >= 0) return end + END_OF_HEADERS.length;
  if (head.length === MOST_HEADER_BYTES) throw unreadable();
  return null;
}

/** Behind the boundary that closes a form. */
const LAST = '--';

function assertLast(behind: Buffer): void {
  if (!LAST.startsWith(behind.toString('latin1', 0, LAST.length)))
    throw malformed('The form must have one part, the file; options are parameters of the query.');
}

function unreadable() {
  return malformed('The form cannot be read; it may have been cut off.');
}
