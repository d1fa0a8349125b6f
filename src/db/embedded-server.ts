import { setTimeout as sleep } from 'node:timers/promises';
import { removeFrom } from '../lib/lists.ts';
import { EMBEDDED_LIMIT_MILLIS, EmbeddedConnection } from './embedded-connection.ts';
import type { EmbeddedSource } from './embedded-thread.ts';
import { unavailable } from './errors.ts';
import type { Pool } from './pool.ts';
import { newTurns, serviceTurn, type Turn } from './turns.ts';

const CLOSE_MILLIS = 5000;
const REOPEN_MILLIS = 1000;

interface Listener {
  channel: string;
  onPayload(payload: string): void;
  onConnect(): void;
}

/** The embedded database as a pool of one connection, which is opened anew where it was lost. */
export interface EmbeddedServer extends Pool {
  /** `onConnect` is called each time that it begins to listen, as after the database was opened anew. */
  listen(listener: Listener): () => Promise<void>;
}

interface ServerOptions {
  /** Done each time before the database is opened. */
  beforeOpening?: () => Promise<void>;
  /** Told in a line when the database is lost, and when it is back. */
  onProgress?: (message: string) => void;
}

/** Opens the database. Who waits too long for his turn is refused; while the database is lost, all are. */
export async function openServer(
  source: EmbeddedSource,
  { beforeOpening = async () => {}, onProgress = () => {} }: ServerOptions = {},
): Promise<EmbeddedServer> {
  const turns = newTurns(1);
  const inUse: Promise<unknown>[] = [];
  const listeners: Listener[] = [];
  let isClosed = false;

  const open = async () => {
    await beforeOpening();
    return EmbeddedConnection.open(source, {
      onNotification(channel, payload) {
        for (const listener of [...listeners]) if (listener.channel === channel) listener.onPayload(payload);
      },
    });
  };
  let opening = open();
  let connection = await opening;

  const reopen = async () => {
    for (let last = ''; !isClosed; await sleep(REOPEN_MILLIS, undefined, { ref: false })) {
      try {
        opening = open();
        connection = await opening;
        if (isClosed) return;
        onProgress('The embedded database is open again');
        watch();
        for (const listener of listeners) void startListening(listener);
        return;
      } catch (error) {
        const message = `The embedded database does not open, and is tried again each second: ${(error as Error).message}`;
        if (message !== last) onProgress(message);
        last = message;
      }
    }
  };
  const watch = () =>
    void connection.ended.then((reason) => {
      if (reason === null || isClosed) return;
      onProgress(`The embedded database has ended and is opened anew: ${reason}`);
      return reopen();
    });
  watch();

  const useConnection = async <T>(
    turn: Turn,
    work: (connection: EmbeddedConnection) => Promise<T>,
  ): Promise<T> => {
    await turns.take(turn);
    const used = connection;
    try {
      return await work(used);
    } finally {
      used.limitMillis = EMBEDDED_LIMIT_MILLIS;
      turns.giveBack(turn);
    }
  };
  const server: EmbeddedServer = {
    usage: turns.usage,
    hasDeadlines: false,
    async use(turn, work) {
      if (isClosed) throw unavailable('The service is stopping. Try again shortly.');
      const used = useConnection(turn, work);
      inUse.push(used);
      try {
        return await used;
      } finally {
        removeFrom(inUse, used);
      }
    },
    discardIdle() {},
    discardAll() {},
    async close() {
      isClosed = true;
      const done = Promise.allSettled(inUse);
      await Promise.race([done, sleep(CLOSE_MILLIS, undefined, { ref: false })]);
      // What is being opened anew is closed, too, before another process may open it.
      await opening.catch(() => {});
      if (connection.unanswered > 0) connection.discard();
      await connection.close();
    },
    listen(listener) {
      listeners.push(listener);
      const started = startListening(listener);
      return async () => {
        removeFrom(listeners, listener);
        await started;
        if (!listeners.some(({ channel }) => channel === listener.channel))
          await server
            .use(serviceTurn(), (used) => used.send(`unlisten "${listener.channel}"`))
            .catch(() => {});
      };
    },
  };
  /** It is tried until it works: others may keep the database busy for long. */
  const startListening = async (listener: Listener) => {
    const own = connection;
    while (!isClosed && own === connection && listeners.includes(listener)) {
      try {
        await server.use(serviceTurn(), (used) => used.send(`listen "${listener.channel}"`));
        return listener.onConnect();
      } catch {
        await sleep(REOPEN_MILLIS, undefined, { ref: false });
      }
    }
  };
  return server;
}
