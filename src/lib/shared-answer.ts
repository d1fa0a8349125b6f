/**
 * Gives what `ask` tells when it is asked after the call. One asking is under way at most, and all who call meanwhile share
 * the next one: however many call, one asks after the other.
 */
export function sharedAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const answer = ask();
      last = answer.catch(() => {});
      return answer;
    });
    return next;
  };
}
