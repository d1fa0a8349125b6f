import { DELETE_ALERT } from '../../db/queries/price-alerts.ts';
import { LOCKS } from '../../db/turns.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';

/** Throws `NotFound`. */
export function deletePriceAlert(ctx: Context, id: string): Promise<void> {
  return idempotently(ctx, 'deletePriceAlert', { id }, (once) => remove(once, id));
}

async function remove(ctx: Context, id: string): Promise<void> {
  if (!isIdOf('PriceAlert', id)) throw notFound('price alert');
  const deleted = await ctx.db.query(DELETE_ALERT, [ctx.caller.accountId, id], {
    writes: LOCKS.account,
  });
  if (deleted.length === 0) throw notFound('price alert');
}
