import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pgliteOptions } from './embedded-options.ts';

// The program of the thread that an embedded database is in: it takes messages of PostgreSQL's protocol, a batch at a
// time, and posts what the database answers to each batch, as pieces of bytes.

/** Where the database is: a directory, or in memory, made of a dump. */
export type EmbeddedSource = { dataDir: string } | { loadDataDir: Blob };

/** What the thread says beside answers; with `ended` it is the last. */
export type ThreadReport = { opened: true } | { ended: string };

/** A batch of messages; null asks for the end. */
export type ThreadRequest = Uint8Array | null;

/** With which PGlite throws PostgreSQL's own errors out of its loop, and goes on behind them. */
const LONGJMP = 100;

const MAX_REASONS = 3;

const port = parentPort!;
const reasons: string[] = [];

/** What a stuck or broken instance would do next is not known, so nothing of it runs after this. */
function end(error: unknown): never {
  port.postMessage({ ended: reasons.join(' ').trim() || String(error) } satisfies ThreadReport);
  process.exit(1);
}

/**
 * PGlite passes over whatever else breaks its loop, such as the exit of a PostgreSQL that could not write its log of
 * changes, and calls it again without an end.
 */
function endWhereBroken({ Module: database }: PGlite): void {
  const loopOnce = database._PostgresMainLoopOnce;
  database._PostgresMainLoopOnce = () => {
    try {
      loopOnce();
    } catch (error) {
      if ((error as { status?: number }).status === LONGJMP) throw error;
      end(error);
    }
  };
}

async function answer(pglite: PGlite, messages: Uint8Array): Promise<void> {
  const chunks: Uint8Array[] = [];
  // A copy: they are in the memory of the database.
  await pglite.execProtocolRawStream(messages, { onRawData: (bytes) => void chunks.push(bytes.slice()) });
  port.postMessage(
    chunks,
    chunks.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

const onStderr = (line: string) => {
  // PGlite's own errors say nothing of the reason; PostgreSQL's log does.
  if (/(FATAL|PANIC|DETAIL|postgres):/.test(line)) reasons.push(line);
  if (reasons.length > MAX_REASONS) reasons.shift();
  return false;
};

try {
  const pglite = await PGlite.create({ ...pgliteOptions, ...(workerData as EmbeddedSource), onStderr });
  endWhereBroken(pglite);
  port.on('message', async (messages: ThreadRequest) => {
    try {
      if (messages !== null) return await answer(pglite, messages);
      await pglite.close();
      process.exit(0);
    } catch (error) {
      end(error);
    }
  });
  port.postMessage({ opened: true } satisfies ThreadReport);
} catch (error) {
  end(error);
}
