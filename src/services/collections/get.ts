import { COLLECTIONS_BY_ID, type CollectionRow } from '../../db/queries/collections.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Page } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { Collection } from './model.ts';
import { isSeenStored, isStale, readStored, readValued, staleOf, wayOf, withValues } from './valued.ts';

/** With the revision of what it shows, which the others may be without. Throws `NotFound`. */
export async function getCollection(ctx: Context, id: string): Promise<Collection> {
  const row = isIdOf('Collection', id) ? await readStored(ctx, id) : undefined;
  if (!row) throw notFound('collection');
  observed(ctx, [row]);
  return new Collection(row);
}

/**
 * The page of a list of one collection, by the verb that lists those of several: they are empty where there is none.
 * Throws `NotFound`.
 */
export async function pageOfCollection<T>(
  ctx: Context,
  id: string,
  list: (ids: readonly string[]) => Promise<Page<T>[]>,
): Promise<Page<T>> {
  if (!isIdOf('Collection', id)) throw notFound('collection');
  const [page] = await list([id]);
  if (page!.items.length === 0) await getCollection(ctx, id);
  return page!;
}

/**
 * Has what a collection is worth stored, before a transaction that shows it: as long as it is of an older market, that would make it
 * of all that is held, for its own answer alone. Does nothing where there is no such collection, and asks nothing where the value was
 * seen stored.
 */
export async function keepValueOf(ctx: Context, id: string): Promise<void> {
  if (isIdOf('Collection', id) && !(await isSeenStored(ctx, id))) await readStored(ctx, id);
}

/** A collection as it was written, with what it is worth now. Throws `NotFound`. */
export async function writtenCollection(ctx: Context, row: CollectionRow): Promise<Collection> {
  if (isStale(row)) return getCollection(ctx, row.id);
  observed(ctx, [row]);
  return new Collection(row);
}

/** The caller's collections in the order of the ids, with null where there is none. */
export async function getCollections(ctx: Context, ids: readonly string[]): Promise<(Collection | null)[]> {
  const known = ids.filter((id) => isIdOf('Collection', id));
  const params = [ctx.caller.accountId, JSON.stringify(known)];
  const rows =
    known.length === 0
      ? []
      : await readValued(
          ctx,
          (source) => ctx.db[wayOf(source)]<CollectionRow>(COLLECTIONS_BY_ID[source], params),
          staleOf,
          withValues,
        );
  const byId = new Map(observed(ctx, rows).map((row) => [row.id, new Collection(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}
