import { type NodeType, typeOfId } from '../domain/ids.ts';

/** For `isTypeOf`: every object with a global id says by it what it is. */
export function isNodeOf(type: NodeType) {
  return (object: unknown): boolean => typeOfId((object as { id: string }).id) === type;
}

/** What a stored reference points at is there. */
export async function mustExist<T>(found: Promise<T | null>): Promise<T> {
  const value = await found;
  if (value === null) throw new Error('A stored reference points at nothing.');
  return value;
}
