import { readPage } from '../../db/queries/page.ts';
import { ALERTS, COUNT_ALERTS, type JudgedAlertRow } from '../../db/queries/price-alerts.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';
import { judged, type PriceAlert, priceAlertOf } from './model.ts';

export const PRICE_ALERT_ORDER = ALERTS.order;

/** The caller's price alerts, a page at a time. */
export async function listPriceAlerts(ctx: Context, request: PageRequest): Promise<Page<PriceAlert>> {
  const page = await readPage<JudgedAlertRow>(ctx.db, ALERTS, [ctx.caller.accountId], request);
  return { ...page, items: judged(ctx, page.items).map(priceAlertOf) };
}

export async function countPriceAlerts(ctx: Context): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(COUNT_ALERTS, [ctx.caller.accountId]);
  return row!.count;
}
