import { EV_HISTORY, type EvHistoryRow } from '../../db/queries/evs.ts';
import { dateOf } from '../../domain/dates.ts';
import { checkHistoryOfDays } from '../../domain/history.ts';
import { parseProductEvId, productEvId } from '../../domain/ids.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { type Context, observed } from '../context.ts';

/** The expected value by the prices of a day. */
export interface EvPoint {
  /** `YYYY-MM-DD` */
  date: string;
  estimatedValue: Money;
  /** 0 where no price was known. */
  marketPrice: Money;
}

/** For each product EV, a point for each day of an import in the range. Throws `ValidationFailed`. */
export async function getEvHistories(
  ctx: Context,
  ids: readonly string[],
  range: { from: string; to: string },
): Promise<EvPoint[][]> {
  checkHistoryOfDays(range.from, range.to, dateOf(ctx.now()));
  const { preferredCurrency } = await getPreferences(ctx);
  const params = [preferredCurrency, JSON.stringify(ids.map(parseProductEvId)), range.from, range.to];
  const histories = new Map<string, EvPoint[]>(ids.map((id) => [id, []]));
  for (const row of observed(ctx, await ctx.db.query<EvHistoryRow>(EV_HISTORY, params))) {
    if (row.date === null) continue;
    histories.get(productEvId(row.setType, row.productType))!.push({
      date: row.date,
      estimatedValue: derivedMoney(preferredCurrency, row.estimatedValue),
      marketPrice: derivedMoney(preferredCurrency, row.marketPrice),
    });
  }
  return ids.map((id) => histories.get(id)!);
}
