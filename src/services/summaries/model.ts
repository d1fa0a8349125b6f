import type { SummaryRow } from '../../db/queries/summaries.ts';
import type { Currency } from '../../domain/currencies.ts';
import { summaryId } from '../../domain/ids.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';

/** What a collection holds of one variant, derived from its transactions (decisions §4). */
export interface TransactionSummary {
  id: string;
  collectionId: string;
  variantId: string;
  quantity: number;
  cashPosition: Money;
  invested: Money;
  profit: Money;
  /** Null when no price is known. */
  gain: Money | null;
  marketValue: Money;
  percentageGain: number | null;
  /** What makes the figures less than they seem, in plain words. */
  warning: string | null;
}

export function summaryOf(row: SummaryRow): TransactionSummary {
  const money = (exact: string) => derivedMoney(row.currency as Currency, exact);
  return {
    id: summaryId(row.collectionId, row.variantId),
    collectionId: row.collectionId,
    variantId: row.variantId,
    quantity: row.quantity,
    cashPosition: money(row.cashPosition),
    invested: money(row.invested),
    profit: money(row.profit),
    gain: row.gain === null ? null : money(row.gain),
    marketValue: money(row.marketValue ?? '0'),
    percentageGain: row.percentageGain === null ? null : Number(row.percentageGain),
    warning: warningOf(row),
  };
}

function warningOf({ quantity, marketPrice }: SummaryRow): string | null {
  const warnings = [
    quantity < 0
      ? `${-quantity} more ${quantity === -1 ? 'card was' : 'cards were'} sold than bought.`
      : null,
    marketPrice === null ? 'No market price is known, so the market value counts as 0.' : null,
  ];
  return warnings.filter((warning) => warning !== null).join(' ') || null;
}
