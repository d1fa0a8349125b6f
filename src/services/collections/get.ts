import { COLLECTIONS_BY_ID, type CollectionRow } from '../../db/queries/collections.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { type Context, observed } from '../context.ts';
import { Collection } from './model.ts';

/** Throws `NotFound`. */
export async function getCollection(ctx: Context, id: string): Promise<Collection> {
  const [collection] = await getCollections(ctx, [id]);
  if (!collection) throw notFound('collection');
  return collection;
}

/** The caller's collections in the order of the ids, with null where there is none. */
export async function getCollections(ctx: Context, ids: readonly string[]): Promise<(Collection | null)[]> {
  const known = ids.filter((id) => isIdOf('Collection', id));
  const rows =
    known.length === 0
      ? []
      : await ctx.db.hot<CollectionRow>(COLLECTIONS_BY_ID, [ctx.caller.accountId, JSON.stringify(known)]);
  const byId = new Map(observed(ctx, rows).map((row) => [row.id, new Collection(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}
