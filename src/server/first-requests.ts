import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { isProbe } from '../http/probes.ts';
import { workFor } from '../lib/processor-time.ts';

/**
 * So long the first request of a new connection waits at most while further connections come: the loop takes one of those in a turn
 * (docs/decisions.md#turns-of-the-event-loop), and would do what each asks before it takes the next.
 */
const MOST_MILLIS = 20;
/** So long of a turn those that have waited begin, and by one longer at most. */
const SHARE_MILLIS = 5;

interface Waiting {
  sinceMillis: number;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/**
 * Has the first request of each connection of a server wait while further connections come, before anything is made of it: one whose connection
 * has ended by then is dropped, mostly as its client has left. No probe waits, nor what comes behind the first.
 */
export function putOffFirst(
  server: Server,
  listener: RequestListener,
  onDropped: () => void,
): RequestListener {
  /** Connections that have asked for nothing yet. */
  const fresh = new WeakSet<object>();
  const waiting: Waiting[] = [];
  /** They are looked at in the next turn of the loop, or begin in this one. */
  let isUnderWay = false;
  /** How many connections were taken so far, and how many by when that was looked at last. */
  let taken = 0;
  let takenBefore = 0;
  let wasOneTakenInTurn = false;

  server.on('connection', (connection) => {
    fresh.add(connection);
    taken++;
    if (wasOneTakenInTurn) return;
    wasOneTakenInTurn = true;
    setImmediate(() => {
      wasOneTakenInTurn = false;
    });
  });

  const look = () => {
    const now = performance.now();
    const isOver = taken === takenBefore || now >= waiting[0]!.sinceMillis + MOST_MILLIS;
    takenBefore = taken;
    if (isOver) beginUntil(now + SHARE_MILLIS);
    else setImmediate(look);
  };
  const beginUntil = (endMillis: number) => {
    const { incoming, outgoing } = waiting.shift()!;
    // Behind all the microtasks of the one that begins.
    queueMicrotask(() => process.nextTick(goOnUntil, endMillis));
    // What the one before took is its own.
    workFor(undefined);
    if (incoming.socket.writable) void listener(incoming, outgoing);
    else onDropped();
  };
  const goOnUntil = (endMillis: number) => {
    if (waiting.length === 0) isUnderWay = false;
    else if (performance.now() < endMillis) beginUntil(endMillis);
    else setImmediate(look);
  };

  return (incoming, outgoing) => {
    if (!fresh.delete(incoming.socket) || isProbe(incoming.url!)) return listener(incoming, outgoing);
    waiting.push({ sinceMillis: performance.now(), incoming, outgoing });
    if (isUnderWay) return;
    isUnderWay = true;
    // In the same turn one may have been taken before this was read.
    takenBefore = wasOneTakenInTurn ? taken - 1 : taken;
    setImmediate(look);
  };
}
