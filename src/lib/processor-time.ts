/** One for whom the process works. */
export interface Payer {
  pay(millis: number): void;
  /** How much was done for it lately, in milliseconds. */
  readonly recentMillis: number;
  /** All of whom it is one, who count as one beside others. */
  readonly above?: Payer | undefined;
}

const HALF_LIFE_MILLIS = 1000;

/** How much was done lately: what was done a second ago counts half, and so on. */
export class RecentWork {
  #millis = 0;
  #at = performance.now();

  add(millis: number): void {
    this.#millis = this.millis + millis;
    this.#at = performance.now();
  }

  get millis(): number {
    return this.#millis * 2 ** ((this.#at - performance.now()) / HALF_LIFE_MILLIS);
  }
}

let payer: Payer | undefined;
let since = 0;
let endsTurn = false;

/**
 * From here on the process works for this one, until another is named or the turn of the event loop is over. What waited names
 * itself again when it goes on. So it is known whose the processor's time is without async hooks, which would slow
 * down everything; what goes on in one turn for several is counted for the one that was named last.
 */
export function workFor(next: Payer | undefined): void {
  const now = performance.now();
  payer?.pay(now - since);
  payer = next;
  since = now;
  if (!next || endsTurn) return;
  endsTurn = true;
  // Before the loop waits: that is nobody's time.
  setImmediate(endTurn);
}

/** Whom the process works for. */
export function worksFor(): Payer | undefined {
  return payer;
}

function endTurn(): void {
  endsTurn = false;
  workFor(undefined);
}
