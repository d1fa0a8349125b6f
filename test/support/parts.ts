import type { Parts } from '../../src/lib/parts.ts';

/** The result of work in parts, all of which are done at once. */
export function done<T>(parts: Parts<T>): T {
  for (;;) {
    const step = parts.next();
    if (step.done) return step.value;
  }
}
