import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { groupBy } from '../lib/lists.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { UNTAKEN, unsentBytes } from './sockets.ts';

/** Connections with what is made for them and not taken, and for whom that is. */
type Untaken = Map<Socket, string>;

/**
 * Closes connections whose clients do not take what was made for them, once that comes to too many bytes: of the account that
 * has most of them, the one that has had some for the longest time, and then the next. So nobody's answer makes room for another account's
 * that are more.
 */
export function boundUntaken(server: Server, { maxUntaken }: ConnectionLimits, logger: Logger): void {
  const untaken: Untaken = new Map();
  const closed = dropLog(
    logger,
    { maxUntaken },
    'connections were closed: their clients did not take their answers, and all such had too many bytes',
  );
  server.on('connection', (socket) => {
    socket.on(UNTAKEN, (owner: string | undefined) => {
      untaken.set(socket, owner ?? `address ${socket.remoteAddress}`);
      for (const one of beyond(untaken, maxUntaken)) {
        closed({ owner: untaken.get(one) });
        untaken.delete(one);
        // Not in order, in which the system would go on to keep what it has of it, up to some MB.
        one.resetAndDestroy();
      }
    });
    socket.once('close', () => untaken.delete(socket));
  });
}

/** What is to be closed. Those that were taken by now are forgotten. */
function beyond(untaken: Untaken, maxBytes: number): Socket[] {
  let bytes = 0;
  for (const socket of untaken.keys()) {
    const own = unsentBytes(socket);
    if (own === 0) untaken.delete(socket);
    bytes += own;
  }
  if (bytes <= maxBytes) return [];
  const owners = [...groupBy([...untaken], ([, owner]) => owner).values()].map((own) => {
    const sockets = own.map(([socket]) => socket);
    return { sockets, bytes: sockets.reduce((sum, socket) => sum + unsentBytes(socket), 0) };
  });
  const closing: Socket[] = [];
  while (bytes > maxBytes) {
    const most = owners.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const socket = most.sockets.shift()!;
    const own = unsentBytes(socket);
    most.bytes -= own;
    bytes -= own;
    closing.push(socket);
  }
  return closing;
}
