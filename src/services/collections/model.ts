import type { CollectionRow } from '../../db/queries/collections.ts';
import type { Currency } from '../../domain/currencies.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';

/** Sums over the summaries of a collection, or over the valued collections of an account. */
export interface Totals {
  /** Cards held: bought less sold. */
  quantity: number;
  /** Null while there is no transaction, as are the next three. */
  cashPosition: Money | null;
  invested: Money | null;
  profit: Money | null;
  gain: Money | null;
  marketValue: Money;
  /** gain ÷ invested, e.g. 0.25 for a quarter more; null when nothing is invested. */
  percentageGain: number | null;
}

export interface Collection extends Totals {
  id: string;
  name: string;
  description: string;
  valued: boolean;
  pinned: boolean;
  isGoalCollection: boolean;
  image: number;
  createdAt: string;
  /** Grows with every change; the ETag. */
  revision: number;
  transactionCount: number;
}

export type TotalsRow = Pick<
  CollectionRow,
  | 'currency'
  | 'transactionCount'
  | 'quantity'
  | 'invested'
  | 'profit'
  | 'cashPosition'
  | 'marketValue'
  | 'gain'
  | 'percentageGain'
>;

/** Rounds each sum once, at the end (decisions §4). */
export function totalsOf(row: TotalsRow): Totals {
  const money = (exact: string) => derivedMoney(row.currency as Currency, exact);
  const unlessEmpty = (exact: string) => (row.transactionCount === 0 ? null : money(exact));
  return {
    quantity: row.quantity,
    cashPosition: unlessEmpty(row.cashPosition),
    invested: unlessEmpty(row.invested),
    profit: unlessEmpty(row.profit),
    gain: unlessEmpty(row.gain),
    marketValue: money(row.marketValue),
    percentageGain: row.percentageGain === null ? null : Number(row.percentageGain),
  };
}

export function collectionOf(row: CollectionRow): Collection {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    valued: row.valued,
    pinned: row.pinned,
    isGoalCollection: row.isGoalCollection,
    image: row.image,
    createdAt: new Date(row.createdAt).toISOString(),
    revision: row.revision,
    transactionCount: row.transactionCount,
    ...totalsOf(row),
  };
}
