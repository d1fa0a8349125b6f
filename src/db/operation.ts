import { ClientLeft, DomainError } from '../domain/errors.ts';
import { freeMillis } from '../lib/free-time.ts';
import { isLockNotAvailable, QUERY_CANCELED, sqlState, translated } from './errors.ts';

/** What one operation, or one request of REST, may ask of the database (docs/decisions.md#limits-of-an-operation). */
export const OPERATION_USE = { statements: 4, millis: 2000 } as const;

/** What one operation has asked of the database so far. */
export interface Operation {
  /**
   * Runs a statement, or a transaction, when fewer than four of the operation are under way. Throws `TooMuchWork` where
   * the operation has used up its time, `MalformedRequest` where its client has left before it wrote anything.
   */
  run<T>(work: () => Promise<T>, writes: boolean): Promise<T>;
  /**
   * Counts the time from here, when the statement is sent, until the function that it gives is called. Where the
   * operation's time is used up meanwhile `cancel` is called.
   */
  begin(cancel: () => void): () => void;
  /** Counts the time of a statement that shared its connection. */
  add(millis: number): void;
  /** The operation's error where a statement was broken off because its time is used up, by work or by a wait for a row; any other as it is. */
  explained(error: unknown): unknown;
  /** What is left of its time. */
  leftMillis(): number;
}

/**
 * @param millis what it may use in all
 * @param leaving told when nobody waits for the answer any more
 */
export function newOperation(millis: number, leaving?: AbortSignal): Operation {
  const cancels = new Set<() => void>();
  const queue: (() => void)[] = [];
  let underWay = 0;
  let usedMillis = 0;
  /** The same by the server's clock, which goes on while this process hears nothing. */
  let passedMillis = 0;
  let countedAt = 0;
  let passedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What has begun to write goes on to its end. */
  let hasWritten = false;

  /** One for all that it fails, which may be hundreds: too much work, or the lock that it has waited for. */
  let spent: DomainError | undefined;
  const tooMuch = (cause?: unknown) => {
    spent ??= tooMuchWork(millis, cause);
    return spent;
  };

  /** Adds up the time of all that are under way. */
  const count = () => {
    if (cancels.size === 0) return;
    const now = freeMillis();
    const passed = performance.now();
    usedMillis += (now - countedAt) * cancels.size;
    passedMillis += (passed - passedAt) * cancels.size;
    countedAt = now;
    passedAt = passed;
  };
  const leftMillis = () => {
    count();
    return Math.max(0, millis - usedMillis);
  };
  const assertMore = () => {
    if (leaving?.aborted && !hasWritten) throw new ClientLeft();
    // By the server's clock its time may have ended sooner.
    if (spent || leftMillis() === 0) throw tooMuch();
  };
  const watch = () => {
    clearTimeout(timer);
    if (cancels.size === 0) return;
    const stop = () => {
      if (leftMillis() > 0) watch();
      else for (const cancel of cancels) cancel();
    };
    timer = setTimeout(stop, leftMillis() / cancels.size + 1).unref();
  };

  return {
    async run(work, writes) {
      if (underWay >= OPERATION_USE.statements) await new Promise<void>((resolve) => queue.push(resolve));
      else underWay++;
      try {
        assertMore();
        hasWritten ||= writes;
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else underWay--;
      }
    },
    begin(cancel) {
      assertMore();
      if (cancels.size === 0) {
        countedAt = freeMillis();
        passedAt = performance.now();
      }
      cancels.add(cancel);
      watch();
      return () => {
        count();
        cancels.delete(cancel);
        watch();
      };
    },
    add(millis) {
      usedMillis += millis;
      passedMillis += millis;
    },
    explained(error) {
      count();
      const isSpent = Math.max(usedMillis, passedMillis) >= millis;
      if (sqlState(error) !== QUERY_CANCELED || !isSpent) return error;
      if (isLockNotAvailable(error)) spent ??= translated(error) as DomainError;
      return tooMuch(error);
    },
    leftMillis,
  };
}

function tooMuchWork(millis: number, cause?: unknown): DomainError {
  return new DomainError(
    'TooMuchWork',
    `This needs more than ${millis / 1000} s of the database's time, which is all that one operation may use. Ask for less at once: smaller pages, fewer fields that read whole collections, or several operations.`,
    { cause },
  );
}
