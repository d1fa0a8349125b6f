import { mappedInParts, PART, type Parts } from '../lib/parts.ts';
import { Differences } from './differences.ts';
import { type Fixed, times } from './fixed-point.ts';
import { type PriceChanges, UNKNOWN } from './price-changes.ts';

/** What was recorded of a variant in a collection on a day, or up to the first day of a series, and what is held at its end. */
export interface HoldingDay {
  /** Since 1970-01-01. */
  day: number;
  paidIn: Fixed;
  /** Cards bought whose cost is not known: they are not in what was paid. */
  boughtUnknown: number;
  takenOut: Fixed;
  /** Cards, not below 0. */
  quantity: number;
  invested: Fixed;
  /** Realised up to the end of the day. */
  profit: Fixed;
}

/** A series of values at the end of certain days; all amounts are exact, in the currency of the ledger. */
export interface DayValue {
  day: number;
  invested: Fixed;
  /** Realised up to the day. */
  profit: Fixed;
  /** What has no known price counts as 0. */
  marketValue: Fixed;
  /** Held without a known price: variants, once for each collection that holds them. */
  unpricedVariants: number;
  /** What purchases cost since the day before in the series; 0 on the first. */
  paidIn: Fixed;
  /** Cards bought in the same time whose cost is not known, and counts as 0. */
  boughtUnknown: number;
  /** All such cards up to the day. */
  everUnknown: number;
  /** What sales brought in the same time. */
  takenOut: Fixed;
}

/** What is held of a variant from each step of a series on. */
export interface HeldSteps {
  steps: number[];
  quantities: number[];
}

/** The rate of a day from a currency to that of the ledger; undefined where there is none. */
export type RateOn = (currency: string, day: number) => Fixed | undefined;

/**
 * What ledgers were worth at the end of each of some days (its steps). Only what changes is looked at: each entry of a ledger
 * and each change of a price gives the difference that it makes to the first step which has it, and the differences are
 * summed up over the steps.
 */
export class ValueSeries {
  readonly days: readonly number[];
  /** Variants that were held on any day without a known price. */
  unpricedVariants = 0;
  /** The last day on which one was; null where none ever was. */
  unpricedUntil: number | null = null;
  /** The first step that has a day, by the days since the first. */
  readonly #stepOf: Int32Array;
  readonly #invested: Fixed[];
  readonly #profit: Fixed[];
  readonly #paidIn: Fixed[];
  readonly #takenOut: Fixed[];
  readonly #unknown: Float64Array;
  readonly #unpriced: Int32Array;
  readonly #markets = new Map<string, Differences>();

  /** @param days since 1970-01-01, ascending, at least one */
  constructor(days: readonly number[]) {
    this.days = days;
    const nothing = () => new Array<Fixed>(days.length).fill(0n);
    this.#invested = nothing();
    this.#profit = nothing();
    this.#paidIn = nothing();
    this.#takenOut = nothing();
    this.#unknown = new Float64Array(days.length);
    this.#unpriced = new Int32Array(days.length);
    this.#stepOf = stepsOf(days);
  }

  /** Adds a variant of a collection, in the order of the days, none after the last day of the series. */
  *addHolding(days: readonly HoldingDay[]): Parts<HeldSteps> {
    const held: HeldSteps = { steps: [], quantities: [] };
    let before = { invested: 0n, profit: 0n };
    for (const [i, after] of days.entries()) {
      if ((i + 1) % PART === 0) yield;
      const step = this.#step(after.day);
      if (after.day > this.days[0]!) {
        this.#paidIn[step]! += after.paidIn;
        this.#takenOut[step]! += after.takenOut;
      }
      this.#unknown[step]! += after.boughtUnknown;
      this.#invested[step]! += after.invested - before.invested;
      this.#profit[step]! += after.profit - before.profit;
      before = after;
      if (held.steps.at(-1) === step) held.quantities[held.quantities.length - 1] = after.quantity;
      else {
        held.steps.push(step);
        held.quantities.push(after.quantity);
      }
    }
    return held;
  }

  /** Values what is held of a variant at its prices. */
  addPrices(held: HeldSteps, prices: PriceChanges): void {
    const walk = new HoldingWalk(this, held, prices);
    const { days, count } = prices;
    const last = this.days.at(-1)!;
    for (let i = 0; i < count && days[i]! <= last; i++) {
      const step = this.#step(days[i]!);
      const isLastOfStep = i + 1 === count || days[i + 1]! > this.days[step]!;
      // Only the last price of a step counts, but the days without a known one are to be told.
      if (!isLastOfStep && walk.isPriceKnown && prices.units[i] !== UNKNOWN) continue;
      walk.changePrice(step, i);
    }
    walk.end();
  }

  /** The differences of an amount at a step: what is held, times a price. */
  addMarketValue(step: number, quantity: number, prices: PriceChanges, price: number): void {
    const currency = prices.currency(price);
    let differences = this.#markets.get(currency);
    if (!differences) {
      differences = new Differences(this.days.length);
      this.#markets.set(currency, differences);
    }
    differences.add(step, quantity, prices, price);
  }

  addUnpriced(step: number, count: 1 | -1): void {
    this.#unpriced[step]! += count;
  }

  /** Of a variant that was held without a known price. */
  noteUnpriced(untilDay: number): void {
    if (this.unpricedUntil === null || untilDay > this.unpricedUntil) this.unpricedUntil = untilDay;
  }

  /** The currencies of the prices that were added. */
  get currencies(): string[] {
    return [...this.#markets.keys()];
  }

  /** The values at its days. */
  *values(rateOn: RateOn): Parts<DayValue[]> {
    const inCurrency = new Map<string, Fixed>();
    let [invested, profit, unpricedVariants, everUnknown] = [0n, 0n, 0, 0];
    return yield* mappedInParts(this.days, (day, step) => {
      invested += this.#invested[step]!;
      profit += this.#profit[step]!;
      unpricedVariants += this.#unpriced[step]!;
      everUnknown += this.#unknown[step]!;
      let marketValue = 0n;
      for (const [currency, differences] of this.#markets) {
        const amount = (inCurrency.get(currency) ?? 0n) + differences.at(step);
        inCurrency.set(currency, amount);
        // As in SQL, an amount of a currency without a rate is not known.
        if (amount !== 0n) marketValue += times(amount, rateOn(currency, day) ?? 0n);
      }
      const [paidIn, takenOut] = [this.#paidIn[step]!, this.#takenOut[step]!];
      // What was there before is no cash flow, as above.
      const boughtUnknown = step === 0 ? 0 : this.#unknown[step]!;
      return {
        day,
        invested,
        profit,
        marketValue,
        unpricedVariants,
        paidIn,
        boughtUnknown,
        everUnknown,
        takenOut,
      };
    });
  }

  #step(day: number): number {
    return this.#stepOf[Math.max(day - this.days[0]!, 0)]!;
  }
}

/** In place of the place of a price. */
const NONE = -1;

/** Goes through the changes of what is held of a variant and of its price together. */
class HoldingWalk {
  readonly #series: ValueSeries;
  readonly #held: HeldSteps;
  readonly #prices: PriceChanges;
  #next = 0;
  #quantity = 0;
  #price = NONE;
  /** Of the last change. */
  #step = 0;
  #day = 0;
  #wasUnpriced = false;
  #isUnpriced = false;

  constructor(series: ValueSeries, held: HeldSteps, prices: PriceChanges) {
    this.#series = series;
    this.#held = held;
    this.#prices = prices;
  }

  get isPriceKnown(): boolean {
    return this.#price !== NONE;
  }

  /** Steps are to be given in their order; one may have several changes. */
  changePrice(step: number, price: number): void {
    const { steps } = this.#held;
    while (this.#next < steps.length && steps[this.#next]! < step) this.#changeQuantity();
    this.#goTo(step, this.#prices.days[price]!);
    if (this.isPriceKnown) this.#add(step, -this.#quantity);
    this.#price = this.#prices.units[price] === UNKNOWN ? NONE : price;
    if (this.isPriceKnown) this.#add(step, this.#quantity);
  }

  end(): void {
    while (this.#next < this.#held.steps.length) this.#changeQuantity();
    this.#noteChange();
    if (this.#isUnpriced) this.#series.noteUnpriced(this.#series.days.at(-1)!);
  }

  #changeQuantity(): void {
    const step = this.#held.steps[this.#next]!;
    const quantity = this.#held.quantities[this.#next]!;
    this.#next++;
    this.#goTo(step, this.#series.days[step]!);
    if (this.isPriceKnown) this.#add(step, quantity - this.#quantity);
    this.#quantity = quantity;
  }

  #add(step: number, quantity: number): void {
    if (quantity !== 0) this.#series.addMarketValue(step, quantity, this.#prices, this.#price);
  }

  /** A price and a quantity that change on one day change together: what counts is the end of the day. */
  #goTo(step: number, day: number): void {
    if (day !== this.#day) this.#noteChange();
    this.#step = step;
    this.#day = day;
  }

  #noteChange(): void {
    const isUnpriced = this.#quantity > 0 && !this.isPriceKnown;
    if (isUnpriced === this.#isUnpriced) return;
    this.#isUnpriced = isUnpriced;
    this.#series.addUnpriced(this.#step, isUnpriced ? 1 : -1);
    if (!isUnpriced) this.#series.noteUnpriced(this.#day - 1);
    else if (!this.#wasUnpriced) this.#series.unpricedVariants++;
    this.#wasUnpriced = true;
  }
}

function stepsOf(days: readonly number[]): Int32Array {
  const first = days[0]!;
  const steps = new Int32Array(days.at(-1)! - first + 1);
  for (let step = 1; step < days.length; step++)
    steps.fill(step, days[step - 1]! - first + 1, days[step]! - first + 1);
  return steps;
}
