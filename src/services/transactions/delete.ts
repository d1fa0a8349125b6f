import { DELETE_EMPTY_HOLDING, DELETE_TRANSACTION } from '../../db/queries/ledger.ts';
import { LOCKS } from '../../db/turns.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { type RequiredRevisions, revisionsParam } from '../revision.ts';
import { addCosts } from './costs.ts';
import { checkTransaction } from './update.ts';
import { byCostBasis } from './ways.ts';

/** Where a transaction was. */
export interface TransactionPlace {
  collectionId: string;
  variantId: string;
}

/** Null for an answer that a node of the version before has kept. Throws `NotFound`, `PreconditionFailed`. */
export async function deleteTransaction(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions = null,
): Promise<TransactionPlace | null> {
  return idempotently(ctx, 'deleteTransaction', { id }, (once) => remove(once, id, revisions), {
    writes: LOCKS.someCollection,
  });
}

async function remove(ctx: Context, id: string, revisions: RequiredRevisions): Promise<TransactionPlace> {
  if (!isIdOf('Transaction', id)) throw notFound('transaction');
  const { accountId } = ctx.caller;
  type Left = { collectionId: string; variantId: string; transactionsLeft: number; occurred: string };
  const left = await byCostBasis(ctx, LOCKS.someCollection, async (once, way) => {
    const params = [accountId, id, revisionsParam(revisions)];
    const [gone] = await once.db.query<Left>(DELETE_TRANSACTION[way], params, {
      writes: LOCKS.someCollection,
    });
    if (gone && way === 'ordered') await addCosts(once, gone.collectionId, [], [{ ...gone, id }]);
    return gone ?? null;
  });
  if (!left) {
    await checkTransaction(ctx, id, revisions);
    throw notFound('transaction');
  }
  announceCollections(ctx.db, accountId, [{ id: left.collectionId }]);
  if (left.transactionsLeft === 0) {
    // The transaction is gone whatever becomes of this: no reader sees an empty holding.
    await ctx.db.query(DELETE_EMPTY_HOLDING, [accountId, left.collectionId, left.variantId]).catch(() => {});
  }
  return { collectionId: left.collectionId, variantId: left.variantId };
}
