/** What a stored reference points at is there. */
export async function mustExist<T>(found: Promise<T | null>): Promise<T> {
  const value = await found;
  if (value === null) throw new Error('A stored reference points at nothing.');
  return value;
}
