import { VALUE_HISTORY, type ValueHistoryRow } from '../../db/queries/history.ts';
import type { Currency } from '../../domain/currencies.ts';
import { dateOf } from '../../domain/dates.ts';
import { historyDays, type Interval } from '../../domain/history.ts';
import { parseInput, YearInput } from '../../domain/inputs.ts';
import { derivedMoney, difference, type Money } from '../../domain/money.ts';
import type { Context } from '../context.ts';

/** What a collection was worth at the end of a day, by the transactions up to it. */
export interface ValuePoint {
  /** `YYYY-MM-DD` */
  date: string;
  invested: Money;
  /** At the prices and the exchange rate of that day; variants without a price count as 0. */
  marketValue: Money;
  profit: Money;
}

/** What the sales of a year brought. */
export interface RealizedGains {
  year: number;
  /** Cards sold. */
  quantity: number;
  proceeds: Money;
  /** Average purchase cost of what was sold. */
  cost: Money;
  gain: Money;
}

/** The history of each collection. Throws `ValidationFailed`. */
export async function getValueHistory(
  ctx: Context,
  collectionIds: readonly string[],
  range: { from: string; to: string; interval: Interval },
): Promise<ValuePoint[][]> {
  const days = historyDays(range.from, range.to, range.interval, dateOf(ctx.now()));
  const histories = await readHistories(ctx, collectionIds, days);
  return histories.map((rows) =>
    rows.map(({ currency, date, invested, marketValue, profit }) => {
      const money = (exact: string) => derivedMoney(currency as Currency, exact);
      return { date, invested: money(invested), marketValue: money(marketValue), profit: money(profit) };
    }),
  );
}

/**
 * The realised gain of each collection in a year: its profit at the end of the year less that at the end of the year
 * before, each by the average cost of the transactions up to then (docs/decisions.md#the-ledger), so that what comes later does not
 * change a year that is past, and all years add up to the profit. Throws `ValidationFailed`.
 */
export async function getRealizedGains(
  ctx: Context,
  collectionIds: readonly string[],
  year: number,
): Promise<RealizedGains[]> {
  parseInput(YearInput, year, ['year']);
  const histories = await readHistories(ctx, collectionIds, [`${year - 1}-12-31`, `${year}-12-31`]);
  return histories.map(([before, after]) => {
    const proceeds = difference(after!.proceeds, before!.proceeds);
    const gain = difference(after!.profit, before!.profit);
    const money = (exact: string) => derivedMoney(after!.currency as Currency, exact);
    return {
      year,
      quantity: after!.sold - before!.sold,
      proceeds: money(proceeds),
      cost: money(difference(proceeds, gain)),
      gain: money(gain),
    };
  });
}

async function readHistories(
  ctx: Context,
  collectionIds: readonly string[],
  days: string[],
): Promise<ValueHistoryRow[][]> {
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds), `{${days.join(',')}}`];
  const histories = new Map<string, ValueHistoryRow[]>(collectionIds.map((id) => [id, []]));
  for (const row of await ctx.db.query<ValueHistoryRow>(VALUE_HISTORY, params))
    histories.get(row.collectionId)!.push(row);
  return collectionIds.map((id) => histories.get(id)!);
}
