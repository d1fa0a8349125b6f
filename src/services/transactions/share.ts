import { LOCK_ACCOUNT, LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import { COLLECTION_STATE } from '../../db/queries/collections.ts';
import { GIVE_SHARES_BACK, TAKE_SHARE, TRANSACTION_COUNT } from '../../db/queries/shares.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Context } from '../context.ts';

/** The share that a collection has of the account's transactions has no room for those that are to be written. */
export class ShareUsedUp extends Error {
  readonly needed: number;

  constructor(needed: number) {
    super(`There is no room for ${needed} transactions.`);
    this.needed = needed;
  }
}

/**
 * Runs `write`, and again with a larger share where that of the collection was used up. In between it holds no lock: a share
 * grows under that of the account, which is locked before its collections; so within a transaction that is for whoever began
 * it to do. Where others have used up that one, too, it is given in one transaction with the write. Throws `LimitExceeded`.
 */
export async function withShare<T>(
  ctx: Context,
  collectionId: string,
  write: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { db } = ctx;
  if (db.isTransaction) return write(ctx);
  let needed: number;
  try {
    return await write(ctx);
  } catch (error) {
    needed = neededBy(error);
  }
  await db.transaction((tx) => takeShare({ ...ctx, db: tx }, collectionId, needed));
  try {
    return await write(ctx);
  } catch (error) {
    needed = neededBy(error);
  }
  return db.transaction(async (tx) => {
    const alone = { ...ctx, db: tx };
    await takeShare(alone, collectionId, needed);
    return write(alone);
  });
}

function neededBy(error: unknown): number {
  if (error instanceof ShareUsedUp) return error.needed;
  throw error;
}

/** In a transaction that has locked nothing of the account yet. */
async function takeShare({ db, caller: { accountId } }: Context, id: string, needed: number): Promise<void> {
  const params = [accountId, id, needed];
  await db.query(LOCK_ACCOUNT, [accountId]);
  if ((await db.query(TAKE_SHARE, params)).length > 0) return;
  await db.query(LOCK_COLLECTIONS, [accountId]);
  await db.query(GIVE_SHARES_BACK, [accountId]);
  if ((await db.query(TAKE_SHARE, params)).length > 0) return;
  if ((await db.query(COLLECTION_STATE, [accountId, id])).length === 0) throw notFound('collection');
  const [count] = await db.query<{ limit: number; current: number }>(TRANSACTION_COUNT, [accountId]);
  const { limit, current } = count!;
  throw new DomainError(
    'LimitExceeded',
    `An account may have ${limit} transactions, and it has ${current}; delete some first.`,
    { limit, current },
  );
}
