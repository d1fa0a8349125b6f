/**
 * So long the first request of a new connection waits at most while further connections come: the loop takes one of those in a turn
 * (docs/decisions.md#turns-of-the-event-loop), and would do what each asks before it takes the next.
 */
const MOST_MILLIS = 20;
/** So long of a turn those that have waited begin, and by one longer at most. */
const SHARE_MILLIS = 5;

interface Waiting {
  sinceMillis: number;
  begin(): void;
}

/** Connections that have asked for nothing yet. */
const fresh = new WeakSet<object>();
const waiting: Waiting[] = [];
/** They are looked at in the next turn of the loop, or begin in this one. */
let isUnderWay = false;
/** How many connections were taken so far, and how many by when that was looked at last. */
let taken = 0;
let takenBefore = 0;
let wasOneTakenInTurn = false;

/** A connection was taken, which its requests name. */
export function connectionTaken(connection: object): void {
  fresh.add(connection);
  taken++;
  if (wasOneTakenInTurn) return;
  wasOneTakenInTurn = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  wasOneTakenInTurn = false;
}

/** What a request is to wait for before anything is done for it; nothing where it is not the first of its connection. */
export function behindConnections(connection: object | undefined): Promise<void> | undefined {
  if (!connection || !fresh.delete(connection)) return undefined;
  return new Promise((resolve) => {
    waiting.push({ sinceMillis: performance.now(), begin: resolve });
    if (isUnderWay) return;
    isUnderWay = true;
    // In the same turn one may have been taken before this was read.
    takenBefore = wasOneTakenInTurn ? taken - 1 : taken;
    setImmediate(look);
  });
}

function look(): void {
  const now = performance.now();
  const isOver = taken === takenBefore || now >= waiting[0]!.sinceMillis + MOST_MILLIS;
  takenBefore = taken;
  if (isOver) beginUntil(now + SHARE_MILLIS);
  else setImmediate(look);
}

function beginUntil(endMillis: number): void {
  waiting.shift()!.begin();
  // Behind all the microtasks of the one that begins.
  queueMicrotask(() => process.nextTick(goOnUntil, endMillis));
}

function goOnUntil(endMillis: number): void {
  if (waiting.length === 0) isUnderWay = false;
  else if (performance.now() < endMillis) beginUntil(endMillis);
  else setImmediate(look);
}
