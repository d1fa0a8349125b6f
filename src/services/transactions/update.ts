import { TRANSACTION_REVISION, type TransactionRow, UPDATE_TRANSACTION } from '../../db/queries/ledger.ts';
import { dateOf } from '../../domain/dates.ts';
import { type DomainError, notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { parseInput, transactionRules } from '../../domain/inputs.ts';
import { decimalOf } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { checkRevision } from '../revision.ts';
import { type Transaction, transactionOf } from './model.ts';

/** Changes the fields that are given and not null. Throws `ValidationFailed`, `NotFound`, `PreconditionFailed`. */
export async function updateTransaction(
  ctx: Context,
  id: string,
  changes: unknown,
  revision: number | null = null,
): Promise<Transaction> {
  const { occurredDate, action, quantity, unitAmount } = parseInput(
    transactionRules(dateOf(ctx.now())).update,
    changes,
  );
  if (!isIdOf('Transaction', id)) throw notFound('transaction');
  const [row] = await ctx.db.query<TransactionRow>(UPDATE_TRANSACTION, [
    ctx.caller.accountId,
    id,
    occurredDate ?? null,
    action ?? null,
    quantity ?? null,
    unitAmount ? decimalOf(unitAmount.value) : null,
    unitAmount?.currency ?? null,
    revision,
  ]);
  if (row) return transactionOf(row);
  throw await reasonForNoTransaction(ctx, id, revision);
}

/** Why a write found no transaction: it is missing, or at another revision. */
export async function reasonForNoTransaction(
  ctx: Context,
  id: string,
  revision: number | null,
): Promise<DomainError> {
  const [state] = await ctx.db.query<{ revision: number }>(TRANSACTION_REVISION, [ctx.caller.accountId, id]);
  if (state) checkRevision(state.revision, revision);
  return notFound('transaction');
}
