import { setImmediate as turn } from 'node:timers/promises';
import type { Parts } from './parts.ts';

/** So long work goes on without giving others their turn, and by a part longer at most. */
const TURN_MILLIS = 5;

/** Does the work beside all others. */
export async function inTurns<T>(parts: Parts<T>): Promise<T> {
  for (let begun = performance.now(); ; ) {
    const part = parts.next();
    if (part.done) return part.value;
    if (performance.now() - begun < TURN_MILLIS) continue;
    await turn();
    begun = performance.now();
  }
}
