/**
 * What a node knows is used for a second from the moment at which the database was last seen to have nothing newer: so no
 * answer is made of prices that were replaced more than a second ago, whatever becomes of notifications, which only make
 * it quicker.
 */
export const TRUSTED_MILLIS = 1000;

/** The distance, since the clock may have been set back. */
export function ageOf(atMillis: number, now: () => Date): number {
  return Math.abs(now().getTime() - atMillis);
}

/** Tells whether what was read is still what there is, as far as this node has heard. */
export class Clock {
  #changes = 0;

  /** What was begun before this moment confirms nothing. */
  change(): void {
    this.#changes++;
  }

  /** For what is asked of the database from now on: gives when that was, or null where it has changed since. */
  reading(now: () => Date): () => number | null {
    const atMillis = now().getTime();
    const changes = this.#changes;
    return () => (this.#changes === changes ? atMillis : null);
  }
}
