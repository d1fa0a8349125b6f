/** Archives of files in the form of POSIX tar (ustar), as far as an archive of ours needs it: plain files, one behind the other. */

const BLOCK = 512;
const NAME_BYTES = 100;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** What an archive ends with. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** A file as it stands in an archive, in pieces of which none is copied; its name has at most 100 ASCII characters. */
export function tarFile(name: string, content: readonly Buffer[], time: Date): Buffer[] {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  return [headerOf(name, size, time), ...content, ...(padding > 0 ? [Buffer.alloc(padding)] : [])];
}

function headerOf(name: string, size: number, time: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, NAME_BYTES, 'latin1');
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(Math.floor(time.getTime() / 1000), 11), 136);
  header.write('0', 156);
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${octal(checksumOf(header), 6)}\u0000 `, CHECKSUM_AT, 'latin1');
  return header;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

/** Of the bytes of a header, its own being taken for spaces. */
function checksumOf(header: Buffer): number {
  let sum = CHECKSUM_BYTES * 0x20;
  for (const [at, byte] of header.entries())
    if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += byte;
  return sum;
}

/** What is wrong with an archive, in words that go on "the archive …". */
export class TarError extends Error {}

/**
 * The files of an archive, one in memory at a time. Throws a `TarError` for one that is cut off or damaged, and for a file that is
 * no plain one, or has more than `mostBytes`.
 */
export async function* tarFiles(
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<{ name: string; content: Buffer }> {
  const blocks = new Blocks(pieces);
  for (;;) {
    const header = await blocks.take(BLOCK);
    if (isEmpty(header)) return blocks.assertOnlyZeros();
    const { name, size } = readHeader(header, mostBytes);
    const content = await blocks.take(size);
    await blocks.take((BLOCK - (size % BLOCK)) % BLOCK);
    yield { name, content };
  }
}

function readHeader(header: Buffer, mostBytes: number): { name: string; size: number } {
  const name = textAt(header, 0, NAME_BYTES);
  const number = (at: number, bytes: number) => octalOf(textAt(header, at, bytes).trim());
  if (textAt(header, 257, 5) !== 'ustar' || number(CHECKSUM_AT, CHECKSUM_BYTES) !== checksumOf(header))
    throw new TarError('is no tar archive, or it is damaged');
  const size = number(124, 12);
  if (!(size <= mostBytes)) throw new TarError(`has a file of more than ${mostBytes / 1024 / 1024} MiB`);
  const type = textAt(header, 156, 1);
  if ((type !== '0' && type !== '') || textAt(header, 345, 155) !== '')
    throw new TarError('has something else than plain files');
  return { name, size };
}

/** NaN for what is none, as the sizes of other tars above 8 GiB are. */
const octalOf = (text: string) => (/^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN);

function textAt(header: Buffer, at: number, bytes: number): string {
  return header.toString('latin1', at, at + bytes).replace(/\0.*$/s, '');
}

const isEmpty = (bytes: Buffer) => bytes.equals(Buffer.alloc(bytes.length));

/** Bytes that come in pieces of any size. */
class Blocks {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next so many bytes. Throws where there are fewer. */
  async take(bytes: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let missing = bytes; missing > 0; ) {
      if (this.#rest.length === 0 && !(await this.#next())) throw new TarError('is cut off');
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      taken.push(part);
    }
    return taken.length === 1 ? taken[0]! : Buffer.concat(taken);
  }

  /** To the end, so that it is known whether that is there. */
  async assertOnlyZeros(): Promise<void> {
    do if (!isEmpty(this.#rest)) throw new TarError('goes on behind its end');
    while (await this.#next());
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done) return false;
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }
}
