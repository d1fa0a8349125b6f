/** Asked at each batch of what may be long: whether there may be another now; otherwise the rest waits. */
export type MayGoOn = () => boolean;

export const toTheEnd: MayGoOn = () => true;

/**
 * Does batches while there may be another, up to one that does less than a whole one: then nothing is left.
 *
 * @param batch gives how much it did
 * @returns how much all of them did
 */
export async function inBatches(
  mayGoOn: MayGoOn,
  whole: number,
  batch: () => Promise<number>,
): Promise<number> {
  let all = 0;
  while (mayGoOn()) {
    const done = await batch();
    all += done;
    if (done < whole) break;
  }
  return all;
}
