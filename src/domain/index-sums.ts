import { Differences } from './differences.ts';
import { fixed } from './fixed-point.ts';
import type { IndexDay } from './market-index.ts';
import type { PriceChanges } from './price-changes.ts';

const NONE = -1;

/** Sums prices up for an index, by the days after a first one: what a variant's price was at the end of that is where it begins. */
export class IndexSums {
  readonly #opening: number;
  readonly #days: number;
  readonly #ofCurrency = new Map<string, CurrencySums>();

  /** @param opening the day before the first one that is summed up, since 1970-01-01, as `last` */
  constructor(opening: number, last: number) {
    this.#opening = opening;
    this.#days = last - opening + 1;
  }

  /** Adds a variant. What costs 0 has no price here: nothing could grow from it. */
  add(prices: PriceChanges): void {
    let before = NONE;
    for (let i = 0; i < prices.count; i++) {
      const step = prices.days[i]! - this.#opening;
      const price = isPriced(prices, i) ? i : NONE;
      // Of those up to the first day, the last one counts.
      if (step <= 0 && i + 1 < prices.count && prices.days[i + 1]! <= this.#opening) continue;
      this.#change(Math.max(step, 0), prices, before, price);
      before = price;
    }
  }

  #change(step: number, prices: PriceChanges, before: number, after: number): void {
    const old = before === NONE ? undefined : this.#of(prices.currency(before));
    const fresh = after === NONE ? undefined : this.#of(prices.currency(after));
    if (old) old.remove(step, prices, before);
    if (fresh) fresh.put(step, prices, after);
    if (step === 0) return;
    if (old && fresh) fresh.grow(step, amountOf(prices, after) / amountOf(prices, before));
    else if (fresh) fresh.enter(step, prices, after);
    else old?.depart(step, prices, before);
  }

  /** Those on which something has changed, in their order. */
  *changes(): Generator<IndexDay> {
    for (const [currency, sums] of this.#ofCurrency) {
      for (const change of sums.changes()) yield { ...change, day: this.#opening + change.step, currency };
    }
  }

  #of(currency: string): CurrencySums {
    let sums = this.#ofCurrency.get(currency);
    if (!sums) {
      sums = new CurrencySums(this.#days);
      this.#ofCurrency.set(currency, sums);
    }
    return sums;
  }
}

/** By steps; the first is the opening. */
class CurrencySums {
  readonly #total: Differences;
  readonly #entered: Differences;
  readonly #departed: Differences;
  readonly #priced: Int32Array;
  readonly #enteredCount: Int32Array;
  readonly #departedCount: Int32Array;
  readonly #logGrowth: Float64Array;
  readonly #isChanged: Uint8Array;

  constructor(steps: number) {
    [this.#total, this.#entered, this.#departed] = [
      new Differences(steps),
      new Differences(steps),
      new Differences(steps),
    ];
    [this.#priced, this.#enteredCount, this.#departedCount] = [
      new Int32Array(steps),
      new Int32Array(steps),
      new Int32Array(steps),
    ];
    this.#logGrowth = new Float64Array(steps);
    this.#isChanged = new Uint8Array(steps);
  }

  put(step: number, prices: PriceChanges, price: number): void {
    this.#total.add(step, 1, prices, price);
    this.#priced[step]!++;
    this.#isChanged[step] = 1;
  }

  remove(step: number, prices: PriceChanges, price: number): void {
    this.#total.add(step, -1, prices, price);
    this.#priced[step]!--;
    this.#isChanged[step] = 1;
  }

  enter(step: number, prices: PriceChanges, price: number): void {
    this.#entered.add(step, 1, prices, price);
    this.#enteredCount[step]!++;
  }

  depart(step: number, prices: PriceChanges, price: number): void {
    this.#departed.add(step, 1, prices, price);
    this.#departedCount[step]!++;
  }

  grow(step: number, ratio: number): void {
    this.#logGrowth[step]! += Math.log(ratio);
  }

  *changes(): Generator<Omit<IndexDay, 'day' | 'currency'> & { step: number }> {
    let [total, priced] = [0n, 0];
    for (let step = 0; step < this.#isChanged.length; step++) {
      if (!this.#isChanged[step]) continue;
      total += this.#total.at(step);
      priced += this.#priced[step]!;
      if (step === 0) continue;
      yield {
        step,
        total,
        priced,
        entered: this.#entered.at(step),
        enteredCount: this.#enteredCount[step]!,
        departed: this.#departed.at(step),
        departedCount: this.#departedCount[step]!,
        logGrowth: this.#logGrowth[step]!,
      };
    }
  }
}

function isPriced(prices: PriceChanges, i: number): boolean {
  const units = prices.units[i]!;
  return units > 0 || (Number.isNaN(units) && fixed(prices.exact(i)) > 0n);
}

/** In ten-thousandths, as a double. */
function amountOf(prices: PriceChanges, i: number): number {
  const units = prices.units[i]!;
  return Number.isNaN(units) ? Number(prices.exact(i)) * 10_000 : units;
}
