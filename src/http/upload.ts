import { LIMITS } from '../domain/limits.ts';
import { isCompressed, type ReadBody } from './body.ts';
import { malformed } from './json-body.ts';

/** The types that the body of an upload may have. */
export const FILE_TYPES = ['text/csv', 'text/plain', 'multipart/form-data'] as const;

const TYPE = /^(text\/csv|text\/plain|multipart\/form-data)\s*(;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const MIB = 1024 * 1024;

/** The file of a request: its body, or the only part of a form. Throws `MalformedRequest` (400, 413, 415). */
export async function readUpload({ headers }: Request, readBody: ReadBody): Promise<Uint8Array> {
  const type = headers.get('Content-Type') ?? '';
  const kind = TYPE.exec(type)?.[1]?.toLowerCase();
  if (kind === undefined)
    throw malformed('The body must be a file, with "Content-Type: text/csv", or a form with one.', 415);
  if (isCompressed(headers))
    throw malformed('The body must not be compressed; the Content-Encoding says that it is.', 415);
  const boundary = BOUNDARY.exec(type);
  const isForm = kind === 'multipart/form-data';
  if (isForm && !boundary) throw malformed('The form has no boundary in its Content-Type.');
  const bytes = await readBody(LIMITS.importFileBytes, 'upload');
  if (bytes === null) throw malformed(`The file must have at most ${LIMITS.importFileBytes / MIB} MiB.`, 413);
  return isForm ? fileOfForm(bytes, (boundary![1] ?? boundary![2])!) : bytes;
}

const END_OF_HEADERS = '\r\n\r\n';
const MOST_HEADER_BYTES = 16 * 1024;

/** The content of the only part of a form (RFC 7578). */
function fileOfForm(bytes: Uint8Array, boundary: string): Uint8Array {
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = form.indexOf(`--${boundary}\r\n`);
  const headersEnd = form.indexOf(END_OF_HEADERS, start);
  const end = form.indexOf(`\r\n--${boundary}`, headersEnd + 2);
  if (start < 0 || headersEnd < 0 || headersEnd - start > MOST_HEADER_BYTES || end < 0)
    throw malformed('The form cannot be read; it may have been cut off.');
  const behind = end + boundary.length + 4;
  if (form.toString('latin1', behind, behind + 2) !== '--')
    throw malformed('The form must have one part, the file; options are parameters of the query.');
  return form.subarray(headersEnd + END_OF_HEADERS.length, end);
}
