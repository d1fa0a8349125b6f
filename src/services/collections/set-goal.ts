import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { CLEAR_GOAL_COLLECTION, SET_GOAL_COLLECTION } from '../../db/queries/collections.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { getCollection } from './get.ts';
import type { Collection } from './model.ts';

/** Makes the collection the account's one goal collection; null for none. Throws `NotFound`. */
export function setGoalCollection(ctx: Context, id: string | null): Promise<Collection | null> {
  return idempotently(ctx, 'setGoalCollection', { id }, (once) => setGoal(once, id));
}

async function setGoal(ctx: Context, id: string | null): Promise<Collection | null> {
  if (id !== null && !isIdOf('Collection', id)) throw notFound('collection');
  const { accountId } = ctx.caller;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const changed = await tx.query<{ id: string }>(CLEAR_GOAL_COLLECTION, [accountId, id]);
    if (id !== null) changed.push(...(await tx.query<{ id: string }>(SET_GOAL_COLLECTION, [accountId, id])));
    announceCollections(tx, accountId, changed);
    return id === null ? null : getCollection({ ...ctx, db: tx }, id);
  });
}
