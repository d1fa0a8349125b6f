/** Lets one side wait until the other has something for it. */
export interface Waker {
  wake(): void;
  end(): void;
  fail(error: unknown): void;
  /** Resolves with true when it was woken since the last call, with false when it has ended. Throws what it failed by. */
  next(): Promise<boolean>;
  readonly hasEnded: boolean;
}

/** A waker that is awake: the first `next()` resolves at once. */
export function newWaker(): Waker {
  let isAwake = true;
  let hasEnded = false;
  let failure: { error: unknown } | undefined;
  let resume = () => {};
  return {
    wake() {
      isAwake = true;
      resume();
    },
    end() {
      hasEnded = true;
      resume();
    },
    fail(error) {
      failure ??= { error };
      resume();
    },
    async next() {
      if (!isAwake && !hasEnded && !failure) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      isAwake = false;
      if (failure && !hasEnded) throw failure.error;
      return !hasEnded;
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}
