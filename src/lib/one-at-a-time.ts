/** Gives a function that does work one after the other for each one whose it is, and that of others at once. */
export function oneAtATime(): <T>(whose: unknown, work: () => Promise<T>) => Promise<T> {
  const last = new Map<unknown, Promise<unknown>>();
  return async (whose, work) => {
    const result = (last.get(whose) ?? Promise.resolve()).then(work);
    const end = result
      .catch(() => {})
      .then(() => {
        if (last.get(whose) === end) last.delete(whose);
      });
    last.set(whose, end);
    return result;
  };
}
