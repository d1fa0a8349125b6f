import { ascending, readPage } from '../../db/queries/page.ts';
import { ALERT_COLUMNS, COUNT_ALERTS, type PriceAlertRow } from '../../db/queries/price-alerts.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';
import { type PriceAlert, priceAlertOf } from './model.ts';

/** Oldest first: ids sort by the time they were made. */
export const PRICE_ALERT_ORDER = ascending('price-alerts-created', ['p.id', 'text']);

/** The caller's price alerts, a page at a time. */
export async function listPriceAlerts(ctx: Context, request: PageRequest): Promise<Page<PriceAlert>> {
  const list = {
    columns: ALERT_COLUMNS,
    from: 'price_alert p',
    where: 'p.account_id = $1',
    order: PRICE_ALERT_ORDER,
  };
  const page = await readPage<PriceAlertRow>(ctx.db, list, [ctx.caller.accountId], request);
  return { ...page, items: page.items.map(priceAlertOf) };
}

export async function countPriceAlerts(ctx: Context): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(COUNT_ALERTS, [ctx.caller.accountId]);
  return row!.count;
}
