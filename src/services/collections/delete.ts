import { COLLECTION_STATE, DELETE_COLLECTION } from '../../db/queries/collections.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { checkRevision } from '../revision.ts';

/**
 * Deletes the collection and its ledger. Throws `NotFound`, `CollectionInUse` for the goal collection,
 * `PreconditionFailed`.
 */
export async function deleteCollection(
  ctx: Context,
  id: string,
  revision: number | null = null,
): Promise<void> {
  if (!isIdOf('Collection', id)) throw notFound('collection');
  const { accountId } = ctx.caller;
  const deleted = await ctx.db.query(DELETE_COLLECTION, [accountId, id, revision]);
  if (deleted.length > 0) return announceCollections(ctx.db, accountId, [{ id }]);
  const [state] = await ctx.db.query<{ revision: number }>(COLLECTION_STATE, [accountId, id]);
  if (!state) throw notFound('collection');
  checkRevision(state.revision, revision);
  throw new DomainError(
    'CollectionInUse',
    'The collection is the goal collection of the account. Choose another goal collection first.',
  );
}
