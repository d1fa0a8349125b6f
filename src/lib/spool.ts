import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes that are put down on the disk. */
export interface Spool {
  bytes: number;
  /** From the first on, each time. */
  read(): AsyncIterable<Uint8Array>;
  /** The bytes are gone with it. */
  close(): Promise<void>;
}

const PIECE_BYTES = 64 * 1024;

/** Puts all of the bytes into a file that nobody else sees, and that is gone with this process at the latest. */
export async function spool(source: AsyncIterable<Uint8Array>): Promise<Spool> {
  const path = join(tmpdir(), `cardledger-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    for await (const piece of source) await file.appendFile(piece);
    const { size } = await file.stat();
    return {
      bytes: size,
      async *read() {
        for (let at = 0; at < size; ) {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, at);
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
