/** One for whom the process works. */
export interface Payer {
  pay(millis: number): void;
  /** How long the process worked for it lately, in milliseconds. */
  readonly recentMillis: number;
  /** How long the database did, where that is counted. */
  readonly recentDatabaseMillis?: number;
  /** All of whom it is one, who count as one beside others. */
  readonly above?: Payer | undefined;
}

const HALF_LIFE_MILLIS = 1000;

/** How much was done lately: what was done a second ago counts half, and so on. */
export class RecentWork {
  #millis = 0;
  #at = performance.now();

  add(millis: number, now = performance.now()): void {
    this.#millis = this.at(now) + millis;
    this.#at = now;
  }

  get millis(): number {
    return this.at(performance.now());
  }

  /** @param now by `performance.now()`, which a caller asks once for several */
  at(now: number): number {
    return this.#millis * 2 ** ((this.#at - now) / HALF_LIFE_MILLIS);
  }
}

/** Of one who asks, and is not known yet: what was done goes to whoever it is found to be, where that has no budget, else to nobody. */
export class Unknown implements Payer {
  readonly recentMillis = 0;
  millis = 0;

  pay(millis: number): void {
    this.millis += millis;
  }
}

/** One without a budget, whose work counts only for whose turn it is. */
export class WithoutBudget implements Payer {
  readonly #recent = new RecentWork();

  pay(millis: number): void {
    this.#recent.add(millis);
  }

  get recentMillis(): number {
    return this.#recent.millis;
  }
}

let payer: Payer | undefined;
let since = 0;
let endsTurn = false;

/**
 * From here on the process works for this one, until another is named or the turn of the event loop is over. What waited names
 * itself again when it goes on. So it is known whose the processor's time is without async hooks, which would slow
 * down everything; what goes on in one turn for several is counted for the one that was named last. It is paid for when another, or nobody, is
 * named: `recentMillis` is behind until then.
 */
export function workFor(next: Payer | undefined): void {
  if (next === payer) return;
  workUntilTold(next);
  if (!next || endsTurn) return;
  endsTurn = true;
  // Before the loop waits: that is nobody's time.
  setImmediate(endTurn);
}

/** The same where the caller sees to it that somebody else, or nobody, is named before the loop waits. */
export function workUntilTold(next: Payer | undefined): void {
  const now = performance.now();
  payer?.pay(now - since);
  payer = next;
  since = now;
}

/** Whom the process works for. */
export function worksFor(): Payer | undefined {
  return payer;
}

function endTurn(): void {
  endsTurn = false;
  workFor(undefined);
}
