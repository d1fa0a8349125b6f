import type { JudgedAlertRow, PriceAlertRow } from '../../db/queries/price-alerts.ts';
import type { Currency } from '../../domain/currencies.ts';
import { derivedMoney, givenMoney, type Money } from '../../domain/money.ts';
import type { ChangeDirection, PriceAlertCondition } from '../../domain/price-alerts.ts';
import { type Context, observed } from '../context.ts';

/** The latest time that an alert fired. */
export interface PriceAlertTrigger {
  /** ISO 8601 */
  triggeredAt: string;
  /** `YYYY-MM-DD`, the day of the prices that made it fire. */
  day: string;
  /** By those prices. */
  value: Money;
  /** In percent; null unless the alert is on a change. */
  change: number | null;
}

export interface PriceAlert {
  id: string;
  /** The variant or the collection that it is on. */
  targetId: string;
  condition: PriceAlertCondition;
  /** As it was given; null for a change. */
  amount: Money | null;
  /** These three are null unless the alert is on a change. */
  percent: number | null;
  days: number | null;
  direction: ChangeDirection | null;
  createdAt: string;
  /** Whether the condition was true when it was judged last. */
  isMet: boolean;
  triggerCount: number;
  lastTrigger: PriceAlertTrigger | null;
}

/** Notes the states of the market that alerts were judged by, and gives their rows. Their currency is not the account's. */
export function judged(ctx: Context, rows: JudgedAlertRow[]): JudgedAlertRow[] {
  observed(
    ctx,
    rows.map(({ marketRevision }) => ({ marketRevision })),
  );
  return rows;
}

export function priceAlertOf(row: PriceAlertRow): PriceAlert {
  return {
    id: row.id,
    targetId: (row.variantId ?? row.collectionId)!,
    condition: row.condition as PriceAlertCondition,
    amount: row.amount === null ? null : givenMoney(row.currency as Currency, row.amount),
    percent: row.percent === null ? null : Number(row.percent),
    days: row.days,
    direction: row.direction as ChangeDirection | null,
    createdAt: new Date(row.createdAt).toISOString(),
    isMet: row.isMet,
    triggerCount: row.triggerCount,
    lastTrigger: row.lastTriggeredAt === null ? null : triggerOf(row, row.lastTriggeredAt),
  };
}

function triggerOf(row: PriceAlertRow, triggeredAt: string): PriceAlertTrigger {
  return {
    triggeredAt: new Date(triggeredAt).toISOString(),
    day: row.lastTriggeredDay!,
    value: derivedMoney(row.lastCurrency as Currency, row.lastValue!),
    change: row.lastChange === null ? null : Number(row.lastChange),
  };
}
