import { type Fixed, fixedText, ONE, roundedQuotient, roundedTo } from './fixed-point.ts';
import { cleanText } from './inputs.ts';
import { LIMITS } from './limits.ts';
import { decimalOf, quotient } from './money.ts';
import type { RateOn } from './value-series.ts';

/** What an index is of: the cards of a set, of a rarity, or all. */
const INDEX_SCOPES = ['All', 'Set', 'Rarity'] as const;
export type IndexScope = (typeof INDEX_SCOPES)[number];

export const RarityKey = cleanText().max(
  LIMITS.idCharacters,
  `must have at most ${LIMITS.idCharacters} characters`,
);

export const INDEX_WEIGHTINGS = ['Price', 'Equal'] as const;
export type IndexWeighting = (typeof INDEX_WEIGHTINGS)[number];

/** What became of the prices of one currency on a day on which one of them became another; amounts are exact, in that currency. */
export interface IndexDay {
  /** Since 1970-01-01. */
  day: number;
  currency: string;
  /** At the end of the day, of all cards that have a price. */
  total: Fixed;
  priced: number;
  /** Of those that had none the day before. */
  entered: Fixed;
  enteredCount: number;
  /** Of those that have none any more, at their last prices. */
  departed: Fixed;
  departedCount: number;
  /** The sum of ln(price ÷ price of the day before) over those that have both. */
  logGrowth: number;
}

export interface IndexValue {
  day: number;
  /** Decimal text, 100 on the first day with a price; null before it. */
  value: string | null;
  /** On the first day with a price those that have one, later those that had one the day before too. */
  variants: number;
}

const BASE = 100;
const INDEX_DECIMALS = 10;
/** Growth is kept to twice as many decimals as amounts: only the value is rounded. */
const GROWTH_ONE = ONE * ONE;

/**
 * The values of an index at the end of days. From day to day it grows by what the cards have grown that have a price on both days,
 * each at the rate of its day, so that cards that come and go move nothing: weighted by price by sum of prices ÷ sum of prices the
 * day before, weighted equally by the geometric mean of price ÷ price the day before. The geometric one, as the arithmetic mean
 * drifts: of a price that doubles and halves again it makes 25 % more.
 *
 * @param changes in the order of the days; those of the first of `days` and before it may be of the last day only of each currency
 * @param days ascending, at least one
 */
export function indexValues(
  changes: readonly IndexDay[],
  days: readonly number[],
  rateOn: RateOn,
  weighting: IndexWeighting,
): IndexValue[] {
  const first = days[0]!;
  // As in SQL, an amount of a currency without a rate is not known.
  const known = changes.filter(({ currency }) => rateOn(currency, first) !== undefined);
  const chain = new Chain(rateOn, weighting);
  let next = 0;
  const takeUpTo = (day: number) => {
    const start = next;
    while (next < known.length && known[next]!.day <= day) next++;
    return known.slice(start, next);
  };
  chain.open(first, takeUpTo(first));
  return days.map((day) => {
    while (next < known.length && known[next]!.day <= day) {
      const changed = known[next]!.day;
      chain.goOn(changed - 1, []);
      chain.goOn(changed, takeUpTo(changed));
    }
    chain.goOn(day, []);
    return { day, value: chain.value, variants: chain.variants };
  });
}

/** What has a price in a currency. */
interface Held {
  total: Fixed;
  priced: number;
}

class Chain {
  /** Behind the value of the last day. */
  variants = 0;
  readonly #rateOn: RateOn;
  readonly #weighting: IndexWeighting;
  readonly #held = new Map<string, Held>();
  #day = 0;
  #isBased = false;
  #growth = GROWTH_ONE;
  #logGrowth = 0;

  constructor(rateOn: RateOn, weighting: IndexWeighting) {
    this.#rateOn = rateOn;
    this.#weighting = weighting;
  }

  /** Begins with what has a price at the end of a day. */
  open(day: number, changes: readonly IndexDay[]): void {
    this.#day = day;
    this.#hold(changes);
    this.#base();
  }

  /** To the end of a later day, after which changes came on that day alone. */
  goOn(day: number, changes: readonly IndexDay[]): void {
    if (day <= this.#day) return;
    const matched = this.#matchedBefore(changes);
    const valueBefore = this.#value(matched, this.#day);
    const ratesBefore = this.#logRates(matched, this.#day);
    this.#hold(changes);
    const after = this.#matchedAfter(changes);
    const variants = countOf(after);
    if (!this.#isBased) this.#base();
    else {
      if (variants > 0) {
        this.#growth = roundedQuotient(this.#growth * this.#value(after, day), valueBefore);
        const ofPrices = changes.reduce((sum, { logGrowth }) => sum + logGrowth, 0);
        this.#logGrowth += (ofPrices + this.#logRates(after, day) - ratesBefore) / variants;
      }
      this.variants = variants;
    }
    this.#day = day;
  }

  get value(): string | null {
    if (!this.#isBased) return null;
    if (this.#weighting === 'Equal')
      return quotient(decimalOf(BASE * Math.exp(this.#logGrowth)), '1', INDEX_DECIMALS);
    return fixedText(roundedTo(roundedQuotient(this.#growth * BigInt(BASE), ONE), INDEX_DECIMALS));
  }

  #base(): void {
    this.variants = countOf(this.#held);
    this.#isBased = this.variants > 0;
  }

  #hold(changes: readonly IndexDay[]): void {
    for (const { currency, total, priced } of changes) this.#held.set(currency, { total, priced });
  }

  #matchedBefore(changes: readonly IndexDay[]): Map<string, Held> {
    const matched = new Map(this.#held);
    for (const { currency, departed, departedCount } of changes) {
      const { total, priced } = this.#held.get(currency) ?? NOTHING;
      matched.set(currency, { total: total - departed, priced: priced - departedCount });
    }
    return matched;
  }

  #matchedAfter(changes: readonly IndexDay[]): Map<string, Held> {
    const matched = new Map(this.#held);
    for (const { currency, total, priced, entered, enteredCount } of changes)
      matched.set(currency, { total: total - entered, priced: priced - enteredCount });
    return matched;
  }

  /** In units of 10⁻⁶⁰, unrounded. */
  #value(held: ReadonlyMap<string, Held>, day: number): bigint {
    let value = 0n;
    for (const [currency, { total }] of held) value += total * this.#rateOn(currency, day)!;
    return value;
  }

  #logRates(held: ReadonlyMap<string, Held>, day: number): number {
    let sum = 0;
    for (const [currency, { priced }] of held) {
      const rate = this.#rateOn(currency, day)!;
      if (rate !== ONE && priced > 0) sum += priced * Math.log(Number(fixedText(rate)));
    }
    return sum;
  }
}

const NOTHING: Held = { total: 0n, priced: 0 };

function countOf(held: ReadonlyMap<string, Held>): number {
  let count = 0;
  for (const { priced } of held.values()) count += priced;
  return count;
}
