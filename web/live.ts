import type { ChangesSubscription } from './generated/graphql.ts';

export type Change = NonNullable<ChangesSubscription['collectionChanged']>;
/** Null where changes were missed: everything may be another one. */
type Listener = (change: Change | null) => void;

const listeners = new Map<string, Set<Listener>>();

/** Calls the listener after each change of the collection, whoever makes it, until the returned function is called. */
export function onChange(collectionId: string, listener: Listener): () => void {
  const ofCollection = listeners.get(collectionId) ?? new Set();
  listeners.set(collectionId, ofCollection.add(listener));
  return () => ofCollection.delete(listener);
}

export function announce(collectionId: string, change: Change | null): void {
  for (const listener of listeners.get(collectionId) ?? []) listener(change);
}
