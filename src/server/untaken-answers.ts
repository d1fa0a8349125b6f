import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { takenBytes, UNTAKEN } from './sockets.ts';

/** A client that has had an answer for less is not slow yet. */
const NEW_MILLIS = 1000;

/** Since when a connection has something of an answer that its client did not take, and what it had taken of all by then. */
interface Begun {
  atMillis: number;
  taken: number;
}
type Untaken = Map<Socket, Begun>;

/**
 * Closes connections whose clients do not take what was made for them, once that comes to too many bytes: the slowest first. So
 * whoever takes nothing makes room for who takes an answer by a slow line.
 */
export function boundUntaken(server: Server, { maxUntaken }: ConnectionLimits, logger: Logger): void {
  const untaken: Untaken = new Map();
  const closed = dropLog(
    logger,
    { maxUntaken },
    'connections were closed: their clients did not take their answers, and all such had too many bytes',
  );
  const add = (socket: Socket) => {
    if (!untaken.has(socket)) untaken.set(socket, { atMillis: performance.now(), taken: takenBytes(socket) });
    let bytes = bytesOf(untaken);
    while (bytes > maxUntaken) {
      const slowest = slowestOf(untaken);
      bytes -= slowest.writableLength;
      untaken.delete(slowest);
      slowest.destroy();
      closed();
    }
  };
  server.on('connection', (socket) => {
    socket.on(UNTAKEN, (isFirst: boolean) => {
      if (isFirst) untaken.delete(socket);
      add(socket);
    });
    socket.once('close', () => untaken.delete(socket));
  });
}

function bytesOf(untaken: Untaken): number {
  let bytes = 0;
  for (const { writableLength } of untaken.keys()) bytes += writableLength;
  return bytes;
}

function slowestOf(untaken: Untaken): Socket {
  const now = performance.now();
  let slowest: Socket | undefined;
  let leastRate = Number.POSITIVE_INFINITY;
  for (const [socket, { atMillis, taken }] of untaken) {
    const millis = now - atMillis;
    const rate = millis < NEW_MILLIS ? Number.MAX_VALUE : (takenBytes(socket) - taken) / millis;
    if (socket.writableLength === 0 || rate >= leastRate) continue;
    slowest = socket;
    leastRate = rate;
  }
  return slowest!;
}
