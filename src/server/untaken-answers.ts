import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { accountIdOf } from '../domain/credentials.ts';
import { LIMITS } from '../domain/limits.ts';
import type { AnswerOwner } from '../http/exchange.ts';
import { groupBy } from '../lib/lists.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { keptBytes, leftBytes, UNTAKEN, UNTAKEN_BYTES } from './sockets.ts';

/** An answer at its largest, with its head and what stands beside `data`. */
const ANSWER_ROOM = LIMITS.answerBytes + 1024 * 1024;

const RESET =
  'connections were reset: their clients did not take their answers, and all such had too many bytes';
const MAX_LOGGED = 1000;

/** Connections that keep what is made for them and not taken, and whom that is for. */
type Untaken = Map<Socket, AnswerOwner>;

/**
 * Resets connections whose clients do not take what was made for them, once all of them keep too many bytes: of who keeps the room of most answers,
 * or of as many and has most left of them, the one that has had some for the longest time, and then the next. All below a platform are one, of whom then
 * the account with the most, and so are all who are not known. So nobody's answer makes room for those of another who keeps more.
 */
export function boundUntaken(server: Server, { maxUntaken }: ConnectionLimits, logger: Logger): void {
  const untaken: Untaken = new Map();
  const wasReset = resetLog(logger, maxUntaken);
  server.on('connection', (socket) => {
    socket.on(UNTAKEN, (owner: AnswerOwner, isFirst: boolean) => {
      if (isFirst) untaken.delete(socket);
      untaken.set(socket, owner);
      for (const one of beyond(untaken, maxUntaken)) {
        wasReset(untaken.get(one)!);
        // Not in order, in which the system would go on to keep what it has of it, up to some MB.
        one.resetAndDestroy();
      }
    });
    socket.once('close', () => untaken.delete(socket));
  });
}

/** Counts those of each account by themselves; of all who are not known together. */
function resetLog(logger: Logger, maxUntaken: number): (owner: AnswerOwner) => void {
  const logs = new LRUCache<string, () => void>({ max: MAX_LOGGED });
  return ({ accountId }) => {
    const name = accountId === undefined ? 'nobody known' : accountIdOf(accountId);
    const log = logs.get(name) ?? dropLog(logger, { maxUntaken, accountId: accountId && name }, RESET);
    logs.set(name, log);
    log();
  };
}

interface Entry {
  socket: Socket;
  owner: AnswerOwner;
  kept: number;
  left: number;
}

/** What is to be reset. Those that were taken by now are forgotten. */
function beyond(untaken: Untaken, maxBytes: number): Socket[] {
  const entries = new Set<Entry>();
  for (const [socket, owner] of untaken) {
    const kept = keptBytes(socket);
    if (kept >= UNTAKEN_BYTES) entries.add({ socket, owner, kept, left: leftBytes(socket) });
    else untaken.delete(socket);
  }
  let excess = sum(entries, ({ kept }) => kept) - maxBytes;
  const resets: Socket[] = [];
  while (excess > 0) {
    const own = withMost(entries, ({ platformId, accountId }) => platformId ?? accountId);
    const [first] = withMost(own, ({ accountId }) => accountId);
    entries.delete(first!);
    excess -= first!.kept;
    resets.push(first!.socket);
  }
  return resets;
}

/** Those of the owner with the most, in their order. */
function withMost(entries: Iterable<Entry>, nameOf: (owner: AnswerOwner) => string | undefined): Entry[] {
  const groups = groupBy(entries, ({ owner }) => nameOf(owner));
  const sized = [...groups.values()].map((own) => ({
    own,
    // In whole answers: that one is a little larger than another is no reason.
    answers: Math.round(sum(own, ({ kept }) => kept) / ANSWER_ROOM),
    // Of as many, whoever reads has less left than who does not.
    left: sum(own, ({ left }) => left),
  }));
  return sized.reduce((a, b) => ((b.answers - a.answers || b.left - a.left) > 0 ? b : a)).own;
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let all = 0;
  for (const item of items) all += of(item);
  return all;
}
