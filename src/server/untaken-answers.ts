import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { accountIdOf } from '../domain/credentials.ts';
import type { AnswerOwner } from '../http/exchange.ts';
import { groupBy } from '../lib/lists.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { leftBytes, UNTAKEN, unsentBytes } from './sockets.ts';

/** Connections with what is made for them and not taken, and whom that is for. */
type Untaken = Map<Socket, AnswerOwner>;

/**
 * Resets connections whose clients do not take what was made for them, once that comes to too many bytes: of who has most left, the one
 * that has had some for the longest time, and then the next. All below a platform are one, of whom then the account with the most, and so are all who are
 * not known. So nobody's answer makes room for those of another who has more.
 */
export function boundUntaken(server: Server, { maxUntaken }: ConnectionLimits, logger: Logger): void {
  const untaken: Untaken = new Map();
  const wasReset = dropLog(
    logger,
    { maxUntaken },
    'connections were reset: their clients did not take their answers, and all such had too many bytes',
  );
  server.on('connection', (socket) => {
    socket.on(UNTAKEN, (owner: AnswerOwner, isFirst: boolean) => {
      if (isFirst) untaken.delete(socket);
      untaken.set(socket, owner);
      for (const one of beyond(untaken, maxUntaken)) {
        const { accountId } = untaken.get(one)!;
        wasReset(accountId === undefined ? {} : { accountId: accountIdOf(accountId) });
        untaken.delete(one);
        // Not in order, in which the system would go on to keep what it has of it, up to some MB.
        one.resetAndDestroy();
      }
    });
    socket.once('close', () => untaken.delete(socket));
  });
}

/** What is to be reset. Those that were taken by now are forgotten. */
function beyond(untaken: Untaken, maxBytes: number): Socket[] {
  const sizes = new Map<Socket, number>();
  for (const socket of untaken.keys()) {
    const bytes = unsentBytes(socket);
    if (bytes > 0) sizes.set(socket, bytes);
    else untaken.delete(socket);
  }
  let excess = sum(sizes.values()) - maxBytes;
  const resets: Socket[] = [];
  const withMost = (sockets: Iterable<Socket>, nameOf: (owner: AnswerOwner) => string | undefined) => {
    const groups = groupBy(sockets, (socket) => nameOf(untaken.get(socket)!));
    // Whoever reads has less left than who does not.
    const sized = [...groups.values()].map((own) => ({ own, bytes: sum(own.map(leftBytes)) }));
    return sized.reduce((a, b) => (b.bytes > a.bytes ? b : a)).own;
  };
  while (excess > 0) {
    const own = withMost(sizes.keys(), ({ platformId, accountId }) => platformId ?? accountId);
    const [first] = withMost(own, ({ accountId }) => accountId);
    excess -= sizes.get(first!)!;
    sizes.delete(first!);
    resets.push(first!);
  }
  return resets;
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}
