import { DELETE_ALERT } from '../../db/queries/price-alerts.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';

/** Throws `NotFound`. */
export async function deletePriceAlert(ctx: Context, id: string): Promise<void> {
  if (!isIdOf('PriceAlert', id)) throw notFound('price alert');
  const deleted = await ctx.db.query(DELETE_ALERT, [ctx.caller.accountId, id]);
  if (deleted.length === 0) throw notFound('price alert');
}
