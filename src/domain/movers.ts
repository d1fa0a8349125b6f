import { difference, product, ratioOf } from './money.ts';

/**
 * What a price has moved by, against the end of the day that lies so many days before the day of the newest prices. Amounts
 * are exact decimals in one currency, both at the latest exchange rates, so that only prices count.
 */
export const PERIODS = ['Day', 'Week', 'Month', 'Year'] as const;
export type Period = (typeof PERIODS)[number];

export const PERIOD_DAYS: Record<Period, number> = { Day: 1, Week: 7, Month: 30, Year: 365 };

export const MOVER_MEASURES = ['Percentage', 'Amount'] as const;
export type MoverMeasure = (typeof MOVER_MEASURES)[number];

export const DIRECTIONS = ['Gain', 'Loss'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface Move {
  quantity: number;
  price: string;
  past: string;
}

/** What all that is held of it has gained, below 0 for a loss. */
export function changeOf({ quantity, price, past }: Move): string {
  return product(difference(price, past), String(quantity));
}

/** Of the price then, e.g. `0.25` for a quarter more; null where it was 0. */
export function percentageOf({ price, past }: Move): string | null {
  return ratioOf(difference(price, past), past);
}
