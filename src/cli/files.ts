import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { CliError, messageOf } from '../server/errors.ts';

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export async function writeTo(stream: NodeJS.WritableStream, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
}

/** What was there before stays until all is written. */
export async function writeFile(file: string, pieces: Pieces): Promise<void> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w').catch((error) => {
    throw new CliError('InvalidFile', `Cannot write ${file}: ${messageOf(error)}.`, { cause: error });
  });
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.close();
    await rename(partial, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}
