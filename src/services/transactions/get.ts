import { TRANSACTIONS_BY_ID, type TransactionRow } from '../../db/queries/ledger.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { type Transaction, transactionOf } from './model.ts';

/** The caller's transactions in the order of the ids, with null where there is none. */
export async function getTransactions(ctx: Context, ids: readonly string[]): Promise<(Transaction | null)[]> {
  const known = ids.filter((id) => isIdOf('Transaction', id));
  const rows =
    known.length === 0
      ? []
      : await ctx.db.hot<TransactionRow>(TRANSACTIONS_BY_ID, [ctx.caller.accountId, JSON.stringify(known)]);
  const byId = new Map(rows.map((row) => [row.id, transactionOf(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}
