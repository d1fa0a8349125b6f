import { notFound } from '../domain/errors.ts';
import { after } from '../lib/after.ts';
import type { Seen } from '../services/context.ts';
import type { GraphQLContext } from './context.ts';

/** What a stored reference points at is there. */
export function mustExist<T>(found: T | null | Promise<T | null>): T | Promise<T> {
  return after(found, (value) => {
    if (value === null) throw new Error('A stored reference points at nothing.');
    return value;
  });
}

/**
 * What a row that was just read points at, and was deleted by somebody between the two statements: then a query is to be
 * executed again in a snapshot, in which both are there or neither.
 */
export async function unlessDeleted<T>(
  what: string,
  found: Promise<T | null>,
  seen: Seen | undefined,
): Promise<T> {
  const value = await found;
  if (value !== null) return value;
  if (seen) seen.isTorn = true;
  throw notFound(what);
}

/**
 * What a mutation gave. Where that was kept for an idempotency key, or is read once more, as it is now: beside it is shown what is read
 * now, at a cost that follows from its size. As it was where it is gone.
 */
export function givenBy<T>(
  { mutation }: GraphQLContext,
  given: T,
  load: () => Promise<T | null>,
): T | Promise<T> {
  const isOlder = mutation?.isDone || mutation?.isReplayed;
  return isOlder ? load().then((now) => now ?? given) : given;
}

/** The collection that a row points at. */
export function collectionOf(id: string, { context, loaders }: GraphQLContext) {
  return unlessDeleted('collection', loaders.collection(id), context.seen);
}
