/** Gives a function that does work one after the other for each name, and that of different names at once. */
export function oneAtATime(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const result = (last.get(name) ?? Promise.resolve()).then(work);
    const end = result
      .catch(() => {})
      .then(() => {
        if (last.get(name) === end) last.delete(name);
      });
    last.set(name, end);
    return result;
  };
}
