const SLICES = 10;

/**
 * Calls `giveUp` after so many milliseconds, unless the function that it gives is called first. Time in which this
 * process was too busy to hear an answer does not count: it takes the time in slices, and a long one for one slice.
 */
export function startPatience(millis: number, giveUp: () => void): () => void {
  let left = SLICES;
  const next = () =>
    setTimeout(() => {
      left--;
      if (left === 0) giveUp();
      else timer = next();
    }, millis / SLICES);
  let timer = next();
  return () => clearTimeout(timer);
}
