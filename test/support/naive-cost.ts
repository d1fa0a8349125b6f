import { minus, plus, type Ratio, ratio, times } from './ratio.ts';

/** The cost of one variant by fractions, card by card or from the beginning: slow, and written apart from the product. */

export interface NaiveDeal {
  action: 'Purchase' | 'Sale';
  quantity: number;
  unitAmount: Ratio;
  /** Fees and shipping of all its cards. */
  charges: Ratio;
  rate: Ratio;
  isCostUnknown?: boolean | undefined;
}

export interface NaiveCost {
  held: number;
  heldCost: Ratio;
  /** Cards held whose cost is not known, or in part. */
  unknown: number;
  /** The same of those sold. */
  soldUnknown: number;
  /** Of the sale; 0 for a purchase. */
  cost: Ratio;
}

const lowest = ({ n, d }: Ratio): Ratio => {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b !== 0n) [a, b] = [b, a % b];
  return { n: n / a, d: d / a };
};

/** After each deal, in their order. */
export function naiveCost(basis: 'Fifo' | 'MovingAverage', deals: readonly NaiveDeal[]): NaiveCost[] {
  return basis === 'Fifo' ? cardByCard(deals) : byMovingAverage(deals);
}

/** Of a purchase, with what one card bears of the charges. */
const unitCost = ({ unitAmount, charges, quantity, rate }: NaiveDeal) =>
  lowest(times(plus(unitAmount, times(charges, ratio(1, quantity))), rate));
const sumOf = (costs: readonly Ratio[]) => lowest(costs.reduce(plus, ratio(0)));

/** Every card in a row, each with its cost. */
function cardByCard(deals: readonly NaiveDeal[]): NaiveCost[] {
  interface Card {
    cost: Ratio;
    isUnknown: boolean;
  }
  let cards: Card[] = [];
  const costOf = (some: Card[]) => sumOf(some.map(({ cost }) => cost));
  const unknownOf = (some: Card[]) => some.filter(({ isUnknown }) => isUnknown).length;
  return deals.map((deal) => {
    const isPurchase = deal.action === 'Purchase';
    const sold = isPurchase ? [] : cards.slice(0, deal.quantity);
    const card = { cost: unitCost(deal), isUnknown: deal.isCostUnknown === true };
    cards = isPurchase ? cards.concat(Array(deal.quantity).fill(card)) : cards.slice(deal.quantity);
    return {
      held: cards.length,
      heldCost: costOf(cards),
      unknown: unknownOf(cards),
      cost: costOf(sold),
      soldUnknown: unknownOf(sold),
    };
  });
}

/** One average, which purchases move. */
function byMovingAverage(deals: readonly NaiveDeal[]): NaiveCost[] {
  let held = 0;
  let average = ratio(0);
  let isUnknown = false;
  return deals.map((deal) => {
    const before = times(average, ratio(held));
    const heldBefore = held;
    const wasUnknown = isUnknown;
    const isSale = deal.action === 'Sale';
    held = isSale ? Math.max(held - deal.quantity, 0) : held + deal.quantity;
    if (!isSale) {
      const all = plus(before, times(unitCost(deal), ratio(deal.quantity)));
      average = lowest(times(all, ratio(1, held)));
    }
    const heldCost = lowest(times(average, ratio(held)));
    isUnknown = held > 0 && (wasUnknown || deal.isCostUnknown === true);
    return {
      held,
      heldCost,
      unknown: isUnknown ? held : 0,
      cost: isSale ? lowest(minus(before, heldCost)) : ratio(0),
      soldUnknown: isSale && wasUnknown ? heldBefore - held : 0,
    };
  });
}
