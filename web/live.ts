import type { ChangesSubscription } from './generated/graphql.ts';

export type Change = NonNullable<ChangesSubscription['collectionChanged']>;
/** The change is null where some were missed: everything may be another one. */
type Listener = (collectionId: string, change: Change | null) => void;

const listeners = new Set<Listener>();

/** Calls the listener after each change of the collection that is followed, whoever makes it, until the returned function is called. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function announce(collectionId: string, change: Change | null): void {
  for (const listener of [...listeners]) listener(collectionId, change);
}
