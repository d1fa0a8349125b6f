import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const STORED = 0;
const DEFLATED = 8;

/**
 * The only file of a ZIP archive, as the ECB publishes its history. Throws for an archive of another shape, one that is
 * cut off, and one whose content is larger than `mostBytes`.
 */
export async function onlyFileOfZip(archive: Buffer, mostBytes: number): Promise<Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > archive.length || archive.readUInt32LE(end) !== END_OF_DIRECTORY) {
    throw new Error('it is no ZIP archive, or it was cut off');
  }
  if (archive.readUInt16LE(end + 10) !== 1) throw new Error('expected a ZIP archive of one file');
  const entry = archive.readUInt32LE(end + 16);
  if (entry + 46 > end || archive.readUInt32LE(entry) !== CENTRAL_HEADER)
    throw new Error('the ZIP archive is damaged');
  const method = archive.readUInt16LE(entry + 10);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if (local + 30 > end || archive.readUInt32LE(local) !== LOCAL_HEADER)
    throw new Error('the ZIP archive is damaged');
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new Error('the ZIP archive is packed in a way that is not known');
  return promisify(inflateRaw)(packed, { maxOutputLength: mostBytes });
}
