import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { COLLECTION_STATE, DELETE_COLLECTION } from '../../db/queries/collections.ts';
import type { ChangedCollection } from '../../db/queries/events.ts';
import { COUNT_ALERTS_OF_COLLECTION } from '../../db/queries/price-alerts.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { logCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { checkRevision, type RequiredRevisions, revisionsParam } from '../revision.ts';

/**
 * Deletes the collection and its ledger. Throws `NotFound`, `PreconditionFailed`, `CollectionInUse` for the goal
 * collection, for its target, and for one with price alerts.
 */
export async function deleteCollection(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions = null,
): Promise<void> {
  return idempotently(ctx, 'deleteCollection', { id }, (once) => removeCollection(once, id, revisions));
}

/** The same as a part of another change. */
export async function removeCollection(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions,
): Promise<void> {
  if (!isIdOf('Collection', id)) throw notFound('collection');
  const { accountId } = ctx.caller;
  await ctx.db.transaction(async (tx) => {
    // Only then is every price alert in sight that was made before.
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const params = [accountId, id, revisionsParam(revisions)];
    const deleted = await tx.query<ChangedCollection>(DELETE_COLLECTION, params);
    if (deleted.length === 0) throw await reasonForKeeping({ ...ctx, db: tx }, id, revisions);
    await logCollections(tx, accountId, 'Deleted', deleted);
  });
}

async function reasonForKeeping(
  { db, caller: { accountId } }: Context,
  id: string,
  revisions: RequiredRevisions,
): Promise<DomainError> {
  type State = { revision: number; isGoalCollection: boolean; isGoalTarget: boolean };
  const [state] = await db.query<State>(COLLECTION_STATE, [accountId, id]);
  if (!state) return notFound('collection');
  checkRevision(state.revision, revisions);
  const [alerts] = await db.query<{ count: number }>(COUNT_ALERTS_OF_COLLECTION, [accountId, id]);
  const reasons = [];
  if (state.isGoalCollection)
    reasons.push(
      'The collection is the goal collection of the account. Choose another goal collection first.',
    );
  if (state.isGoalTarget)
    reasons.push('The collection is what the goal collection is to hold. Give that another target first.');
  if (alerts!.count > 0)
    reasons.push(`The collection has price alerts (${alerts!.count}). Delete them first.`);
  return new DomainError('CollectionInUse', reasons.join(' '));
}
