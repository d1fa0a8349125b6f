import { TRANSACTION_REVISION, type TransactionRow, UPDATE_TRANSACTION } from '../../db/queries/ledger.ts';
import { LOCKS } from '../../db/turns.ts';
import { dateOf } from '../../domain/dates.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { parseInput, transactionRules, type UpdateTransactionInput } from '../../domain/inputs.ts';
import { decimalOf } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { checkRevision, type RequiredRevisions, revisionsParam } from '../revision.ts';
import { addCosts } from './costs.ts';
import { type Transaction, transactionOf } from './model.ts';
import { byCostBasis } from './ways.ts';

/** Changes the fields that are given and not null. Throws `ValidationFailed`, `NotFound`, `PreconditionFailed`. */
export async function updateTransaction(
  ctx: Context,
  id: string,
  changes: unknown,
  revisions: RequiredRevisions = null,
): Promise<Transaction> {
  const parsed = parseInput(transactionRules(dateOf(ctx.now())).update, changes);
  return idempotently(
    ctx,
    'updateTransaction',
    { id, ...parsed },
    (once) => update(once, id, parsed, revisions),
    { writes: LOCKS.someCollection },
  );
}

async function update(
  ctx: Context,
  id: string,
  { occurredDate, action, quantity, unitAmount }: UpdateTransactionInput,
  revisions: RequiredRevisions,
): Promise<Transaction> {
  if (!isIdOf('Transaction', id)) throw notFound('transaction');
  const params = [
    ctx.caller.accountId,
    id,
    occurredDate ?? null,
    action ?? null,
    quantity ?? null,
    unitAmount ? decimalOf(unitAmount.value) : null,
    unitAmount?.currency ?? null,
    revisionsParam(revisions),
  ];
  const { accountId } = ctx.caller;
  const row = await byCostBasis(ctx, LOCKS.someCollection, async (once, way) => {
    const [updated] = await once.db.query<Updated>(UPDATE_TRANSACTION[way], params, {
      writes: LOCKS.someCollection,
    });
    if (!updated) return null;
    const { occurredBefore, ...transaction } = updated;
    const before = { ...updated, occurred: occurredBefore };
    if (way === 'ordered') await addCosts(once, updated.collectionId, [updated], [before]);
    return transaction;
  });
  if (!row) {
    await checkTransaction(ctx, id, revisions);
    // It was there a moment ago.
    throw notFound('transaction');
  }
  announceCollections(ctx.db, accountId, [{ id: row.collectionId }]);
  return transactionOf(row);
}

type Updated = TransactionRow & { occurredBefore: string };

/** Throws what a write that found no transaction fails by: `NotFound`, or `PreconditionFailed` at another revision. */
export async function checkTransaction(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions,
): Promise<void> {
  const [state] = await ctx.db.query<{ revision: number }>(TRANSACTION_REVISION, [ctx.caller.accountId, id]);
  if (!state) throw notFound('transaction');
  checkRevision(state.revision, revisions);
}
