import { ALERTS_BY_ID, type JudgedAlertRow } from '../../db/queries/price-alerts.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { judged, type PriceAlert, priceAlertOf } from './model.ts';

/** The caller's price alerts in the order of the ids, with null where there is none. */
export async function getPriceAlerts(ctx: Context, ids: readonly string[]): Promise<(PriceAlert | null)[]> {
  const known = ids.filter((id) => isIdOf('PriceAlert', id));
  const rows =
    known.length === 0
      ? []
      : await ctx.db.query<JudgedAlertRow>(ALERTS_BY_ID, [ctx.caller.accountId, JSON.stringify(known)]);
  const byId = new Map(judged(ctx, rows).map((row) => [row.id, priceAlertOf(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}
