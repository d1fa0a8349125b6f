import { difference, multiple, ratioOf } from './money.ts';

/**
 * What follows from the price of a holding (docs/decisions.md#the-ledger). Amounts are exact decimals in one currency; a price is that of
 * one card, null where none is known.
 */
export interface PricedHolding {
  quantity: number;
  invested: string;
  price: string | null;
  /** Cards whose cost is not known, or in part. */
  unknownCost: number;
}

/** Price × quantity, not below 0; null when no price is known. */
export function marketValueOf({ price, quantity }: PricedHolding): string | null {
  if (price === null) return null;
  if (quantity <= 0) return '0';
  return quantity === 1 ? price : multiple(price, quantity);
}

/** Market value − invested; null when no price is known, or not what all of them cost. */
export function gainOf(holding: PricedHolding): string | null {
  const marketValue = holding.unknownCost > 0 ? null : marketValueOf(holding);
  return marketValue === null ? null : difference(marketValue, holding.invested);
}

/** Gain ÷ invested; null when there is no gain to tell, or nothing is invested. */
export function percentageGainOf(holding: PricedHolding): string | null {
  const gain = gainOf(holding);
  return gain === null ? null : ratioOf(gain, holding.invested);
}
