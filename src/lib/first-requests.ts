import { connectionsCame } from './in-turns.ts';

/**
 * So long the first requests of new connections wait at most while further connections come: the loop takes one of those in a turn
 * (libuv from 1.45 on), and would do what each asks before it takes the next. Whoever is behind a crowd, such as a probe, is taken first,
 * and of who has left by then nothing is done.
 */
const MOST_MILLIS = 20;
/** So long of a turn those that have waited begin, and by one longer at most. */
const SHARE_MILLIS = 5;

/** How many connections had come with it, of those that have asked for nothing yet. */
const cameWith = new WeakMap<object, number>();
const waiting: (() => void)[] = [];
/** How many had come when that was looked at last. */
let seen = 0;
let endsAtMillis = 0;

/** A connection was taken, which its requests name. */
export function connectionTaken(connection: object): void {
  cameWith.set(connection, connectionsCame());
}

/** What a request is to wait for before anything is done for it; nothing where it is not the first of its connection. */
export function behindConnections(connection: object | undefined): Promise<void> | undefined {
  const came = connection && cameWith.get(connection);
  if (came === undefined) return undefined;
  cameWith.delete(connection!);
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) lookFrom(came);
  });
}

function lookFrom(came: number): void {
  seen = came;
  endsAtMillis = performance.now() + MOST_MILLIS;
  setImmediate(look);
}

function look(): void {
  const before = seen;
  seen = connectionsCame();
  const now = performance.now();
  if (seen === before || now >= endsAtMillis) letIn(now + SHARE_MILLIS);
  else setImmediate(look);
}

function letIn(untilMillis: number): void {
  waiting.shift()!();
  if (waiting.length === 0) return;
  // Behind all the microtasks of the one that goes on.
  if (performance.now() < untilMillis) queueMicrotask(() => process.nextTick(letIn, untilMillis));
  else lookFrom(connectionsCame());
}
