/**
 * The figures of the ledger (docs/decisions.md#the-ledger), computed afresh from a list of transactions with whole numbers and fractions: slow, and
 * written apart from the product.
 */

import { naiveCost } from './naive-cost.ts';
import { decimal, minus, plus, type Ratio, ratio, rounded, times } from './ratio.ts';

export interface NaiveEntry {
  variantId: string;
  occurred: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  value: number;
  currency: string;
  /** In the same currency. */
  fees?: number;
  shipping?: number;
  /** Its value is 0. */
  costUnknown?: boolean;
}

/** Of a purchase what was paid with all that came on top, of a sale what was left. */
export function naiveAmount(entry: NaiveEntry, currency: string, market: NaiveMarket): Ratio {
  const cards = times(ratio(entry.quantity), decimal(entry.value.toFixed(4)));
  return times(
    (entry.action === 'Purchase' ? plus : minus)(cards, naiveCharges(entry)),
    rateOf(market, entry.currency, currency, entry.occurred),
  );
}

const naiveCharges = ({ fees = 0, shipping = 0 }: NaiveEntry) =>
  plus(decimal(fees.toFixed(4)), decimal(shipping.toFixed(4)));

export type NaiveBasis = 'Average' | 'MovingAverage' | 'Fifo';

export interface NaiveMarket {
  /** Units for one euro, decimal text, by currency and day; a euro is 1. */
  rates: { currency: string; day: string; perEuro: string }[];
  /** Price in US dollars, decimal text, by variant. */
  prices: Map<string, string>;
  /** The currency of prices that are in another one, by variant. */
  priceCurrencies?: Map<string, string>;
}

const perEuro = (market: NaiveMarket, currency: string, day: string): Ratio => {
  if (currency === 'EUR') return ratio(1);
  const rates = market.rates
    .filter((rate) => rate.currency === currency)
    .sort((a, b) => (a.day < b.day ? -1 : 1));
  return decimal((rates.filter((rate) => rate.day <= day).at(-1) ?? rates[0]!).perEuro);
};

export function rateOf(market: NaiveMarket, from: string, to: string, day: string): Ratio {
  if (from === to) return ratio(1);
  const [numerator, denominator] = [perEuro(market, to, day), perEuro(market, from, day)];
  return rounded({ n: numerator.n * denominator.d, d: numerator.d * denominator.n }, 20);
}

export interface NaiveSummary {
  quantity: number;
  cashPosition: Ratio;
  invested: Ratio;
  profit: Ratio;
  marketValue: Ratio;
  isPriced: boolean;
  /** Cards held whose cost is not known, or in part. */
  unknownCost: number;
  /** Null when no price is known, or not what all of them cost. */
  gain: Ratio | null;
}

export function naiveSummaries(
  entries: NaiveEntry[],
  currency: string,
  market: NaiveMarket,
  basis: NaiveBasis = 'Average',
): Map<string, NaiveSummary> {
  const variants = [...new Set(entries.map(({ variantId }) => variantId))];
  return new Map(
    variants.map((id) => {
      const summary = summaryOf(id, entries, currency, market);
      return [id, basis === 'Average' ? summary : costedBy(basis, id, summary, entries, currency, market)];
    }),
  );
}

/** The summary by another cost basis; entries of a day are in the order of entry. */
function costedBy(
  basis: 'MovingAverage' | 'Fifo',
  variantId: string,
  summary: NaiveSummary,
  entries: NaiveEntry[],
  currency: string,
  market: NaiveMarket,
): NaiveSummary {
  const deals = entries
    .filter((entry) => entry.variantId === variantId)
    .sort((a, b) => (a.occurred < b.occurred ? -1 : a.occurred > b.occurred ? 1 : 0))
    .map((entry) => ({
      action: entry.action,
      quantity: entry.quantity,
      unitAmount: decimal(entry.value.toFixed(4)),
      charges: naiveCharges(entry),
      rate: rateOf(market, entry.currency, currency, entry.occurred),
      isCostUnknown: entry.costUnknown,
    }));
  const { heldCost: invested, unknown: unknownCost } = naiveCost(basis, deals).at(-1)!;
  return {
    ...summary,
    invested,
    profit: plus(summary.cashPosition, invested),
    unknownCost,
    gain: summary.isPriced && unknownCost === 0 ? minus(summary.marketValue, invested) : null,
  };
}

function summaryOf(
  variantId: string,
  entries: NaiveEntry[],
  currency: string,
  market: NaiveMarket,
): NaiveSummary {
  const isMixed = entries.some((entry) => entry.variantId === variantId && entry.costUnknown);
  const totals = { Purchase: { cards: 0, amount: ratio(0) }, Sale: { cards: 0, amount: ratio(0) } };
  for (const entry of entries.filter((candidate) => candidate.variantId === variantId)) {
    const total = totals[entry.action];
    total.cards += entry.quantity;
    total.amount = plus(total.amount, naiveAmount(entry, currency, market));
  }
  const { Purchase: bought, Sale: sold } = totals;
  const average = bought.cards === 0 ? ratio(0) : times(bought.amount, ratio(1, bought.cards));
  const quantity = bought.cards - sold.cards;
  const held = ratio(Math.max(quantity, 0));
  const invested = times(average, held);
  const price = market.prices.get(variantId);
  const rate = rateOf(market, market.priceCurrencies?.get(variantId) ?? 'USD', currency, '9999-12-31');
  const marketValue = price === undefined ? ratio(0) : times(times(decimal(price), rate), held);
  return {
    quantity,
    cashPosition: minus(sold.amount, bought.amount),
    invested,
    profit: minus(sold.amount, times(average, ratio(sold.cards))),
    marketValue,
    isPriced: price !== undefined,
    unknownCost: isMixed ? Math.max(quantity, 0) : 0,
    gain: price === undefined || (isMixed && quantity > 0) ? null : minus(marketValue, invested),
  };
}

export interface NaiveSale {
  id: string;
  proceeds: Ratio;
  cost: Ratio;
  /** Cards by the purchase that they were of. */
  lots: [id: string, cards: number][];
  uncovered: number;
  /** Of its cards, those whose cost is not known, or in part. */
  unknownCost: number;
}

/** @param sold the purchases of its cards, @param until what counts for its cost */
function soldUnknown(
  basis: NaiveBasis,
  sale: NaiveEntry,
  sold: readonly string[],
  until: readonly NaiveEntry[],
  ledger: ReadonlyMap<string, NaiveEntry>,
): number {
  if (basis === 'Fifo') return sold.filter((id) => ledger.get(id)!.costUnknown).length;
  const own = until.filter(({ variantId }) => variantId === sale.variantId);
  if (basis === 'Average') return own.some(({ costUnknown }) => costUnknown) ? sale.quantity : 0;
  let [held, isUnknown, cards] = [0, false, 0];
  for (const { action, quantity, costUnknown } of own) {
    const after = action === 'Purchase' ? held + quantity : Math.max(held - quantity, 0);
    cards = isUnknown ? held - after : 0;
    isUnknown = after > 0 && (isUnknown || costUnknown === true);
    held = after;
  }
  return cards;
}

/** The sales of a year, oldest first. Entries by their ids are in the order of entry. */
export function naiveSales(
  ledger: ReadonlyMap<string, NaiveEntry>,
  currency: string,
  market: NaiveMarket,
  basis: NaiveBasis,
  year: number,
): NaiveSale[] {
  const inOrder = [...ledger]
    .filter(([, { occurred }]) => occurred <= `${year}-12-31`)
    .sort(([a, { occurred: dayA }], [b, { occurred: dayB }]) => (dayA + a < dayB + b ? -1 : 1));
  const cards = new Map<string, string[]>();
  return inOrder.flatMap(([id, entry], place) => {
    const held = cards.get(entry.variantId) ?? [];
    if (entry.action === 'Purchase') {
      cards.set(entry.variantId, [...held, ...Array(entry.quantity).fill(id)]);
      return [];
    }
    cards.set(entry.variantId, held.slice(entry.quantity));
    if (entry.occurred.slice(0, 4) !== String(year)) return [];
    const sold = held.slice(0, entry.quantity);
    const lots = [...new Set(sold)].map((lot): [string, number] => [
      lot,
      sold.filter((one) => one === lot).length,
    ]);
    const all = inOrder.map(([, other]) => other);
    // What it had cost is what it takes from the profit; by the average, as of the end of the year.
    const until = basis === 'Average' ? all : all.slice(0, place + 1);
    const without = basis === 'Average' ? all.filter((other) => other !== entry) : all.slice(0, place);
    const profitOf = (entries: NaiveEntry[]) =>
      naiveSummaries(entries, currency, market, basis).get(entry.variantId)?.profit ?? ratio(0);
    const proceeds = naiveAmount(entry, currency, market);
    const cost = minus(proceeds, minus(profitOf(until), profitOf(without)));
    const uncovered = entry.quantity - sold.length;
    const unknownCost = soldUnknown(basis, entry, sold, until, ledger);
    return [{ id, proceeds, cost, lots, uncovered, unknownCost }];
  });
}
