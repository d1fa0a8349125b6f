import { COLLECTIONS_BY_ID, type CollectionRow } from '../../db/queries/collections.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Page } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import type { LedgerState } from '../summaries/ledgers.ts';
import { Collection } from './model.ts';
import { readValued, wayOf, withStored } from './valued.ts';

/** Throws `NotFound`. */
export async function getCollection(ctx: Context, id: string): Promise<Collection> {
  const [collection] = await getCollections(ctx, [id]);
  if (!collection) throw notFound('collection');
  return collection;
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

/** Those whose values are of an older market. */
export function staleOf(rows: readonly CollectionRow[]): LedgerState[] {
  return rows
    .filter(({ isStale }) => isStale)
    .map(({ id, ledgerState }) => ({ id, ledgerState: ledgerState! }));
}

/** A collection as it was written, with what it is worth now. Throws `NotFound`. */
export async function writtenCollection(ctx: Context, row: CollectionRow): Promise<Collection> {
  return row.isStale ? getCollection(ctx, row.id) : new Collection(row);
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
          withStored,
        );
  const byId = new Map(observed(ctx, rows).map((row) => [row.id, new Collection(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}
