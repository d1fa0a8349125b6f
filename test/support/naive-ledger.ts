/**
 * The figures of the ledger (docs/decisions.md#the-ledger), computed afresh from a list of transactions with whole numbers and fractions: slow, and
 * written apart from the product.
 */

export interface NaiveEntry {
  variantId: string;
  occurred: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  value: number;
  currency: string;
}

export interface NaiveMarket {
  /** Units for one euro, decimal text, by currency and day; a euro is 1. */
  rates: { currency: string; day: string; perEuro: string }[];
  /** Price in US dollars, decimal text, by variant. */
  prices: Map<string, string>;
  /** The currency of prices that are in another one, by variant. */
  priceCurrencies?: Map<string, string>;
}

export interface Ratio {
  n: bigint;
  d: bigint;
}

export const ratio = (n: bigint | number, d: bigint | number = 1): Ratio => ({ n: BigInt(n), d: BigInt(d) });
export const plus = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
export const times = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.n, d: a.d * b.d });
export const minus = (a: Ratio, b: Ratio): Ratio => plus(a, { n: -b.n, d: b.d });

export function decimal(text: string): Ratio {
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const n = BigInt(whole + part) * (text.startsWith('-') ? -1n : 1n);
  return { n, d: 10n ** BigInt(part.length) };
}

/** Half away from zero. */
export function rounded({ n, d }: Ratio, decimals: number): Ratio {
  const scale = 10n ** BigInt(decimals);
  const [top, bottom] = d < 0n ? [-n, -d] : [n, d];
  const size = top < 0n ? -top : top;
  const units = (2n * size * scale + bottom) / (2n * bottom);
  return { n: top < 0n ? -units : units, d: scale };
}

export function textOf(value: Ratio, decimals: number): string {
  const { n } = rounded(value, decimals);
  const digits = (n < 0n ? -n : n).toString().padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return n < 0n ? `-${text}` : text;
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
  /** Null when no price is known. */
  gain: Ratio | null;
}

export function naiveSummaries(
  entries: NaiveEntry[],
  currency: string,
  market: NaiveMarket,
): Map<string, NaiveSummary> {
  const variants = [...new Set(entries.map(({ variantId }) => variantId))];
  return new Map(variants.map((id) => [id, summaryOf(id, entries, currency, market)]));
}

function summaryOf(
  variantId: string,
  entries: NaiveEntry[],
  currency: string,
  market: NaiveMarket,
): NaiveSummary {
  const totals = { Purchase: { cards: 0, amount: ratio(0) }, Sale: { cards: 0, amount: ratio(0) } };
  for (const entry of entries.filter((candidate) => candidate.variantId === variantId)) {
    const rate = rateOf(market, entry.currency, currency, entry.occurred);
    const amount = times(times(ratio(entry.quantity), decimal(entry.value.toFixed(4))), rate);
    const total = totals[entry.action];
    total.cards += entry.quantity;
    total.amount = plus(total.amount, amount);
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
    gain: price === undefined ? null : minus(marketValue, invested),
  };
}
