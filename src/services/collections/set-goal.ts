import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { type CollectionRow, SET_GOAL_COLLECTION } from '../../db/queries/collections.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { type Collection, collectionOf } from './model.ts';

/** Makes the collection the account's one goal collection; null for none. Throws `NotFound`. */
export async function setGoalCollection(ctx: Context, id: string | null): Promise<Collection | null> {
  if (id !== null && !isIdOf('Collection', id)) throw notFound('collection');
  const { accountId } = ctx.caller;
  const [clear, set] = SET_GOAL_COLLECTION;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    await tx.query(clear, [accountId, id]);
    if (id === null) return null;
    const [row] = await tx.query<CollectionRow>(set, [accountId, id]);
    if (!row) throw notFound('collection');
    return collectionOf(row);
  });
}
