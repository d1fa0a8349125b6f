import type { Parts } from '../lib/parts.ts';

/** Money of a day as an investor counts it: below 0 what was paid in, above it what was taken out. */
export interface CashFlow {
  /** Since 1970-01-01. */
  day: number;
  amount: number;
}

const DAYS_OF_YEAR = 365;
/** Intervals of the logarithm of 1 + rate that are narrower are told by the signs of their ends alone. */
const NARROW = 1e-6;
/** Flows that are discounted in all, some 5 ms; then, too, the signs of the ends tell: only flows that were made up need more. */
const MOST_TERMS = 500_000;
/** Beyond it a rate is no double any more. */
const MOST_LOGARITHM = 709;

/**
 * The internal rate of return a year: the rate at which the flows, each discounted by (1 + rate)^(days ÷ 365), add up to 0 (as
 * XIRR of spreadsheets). Where several rates do, the one nearest to 0 in its logarithm. Null where no rate does, as with flows of
 * one sign, or none that a double holds.
 *
 * What was paid in and what was taken out are two sums, which both fall as the rate rises. So on an interval of rates the ends of
 * both tell for certain that there is no root in it, and the interval is halved where they do not: no root is missed, whatever
 * the flows are, which Newton's method cannot promise.
 *
 * @param flows at most one a day, in the order of their days
 */
export function* internalRate(flows: readonly CashFlow[]): Parts<number | null> {
  const some = flows.filter(({ amount }) => amount !== 0);
  if (!some.some(({ amount }) => amount > 0) || !some.some(({ amount }) => amount < 0)) return null;
  const roots = [yield* firstRoot(some, 1), yield* firstRoot(some, -1)].filter((root) => root !== null);
  const [nearest] = roots.sort((a, b) => Math.abs(a) - Math.abs(b));
  return nearest === undefined || nearest > MOST_LOGARITHM ? null : Math.expm1(nearest);
}

/** The root nearest to 0 among the logarithms above 0 (`direction` 1) or below it; null where there is none. */
function* firstRoot(flows: readonly CashFlow[], direction: 1 | -1): Parts<number | null> {
  const towards = direction === 1 ? flows : flows.toReversed();
  const origin = towards[0]!.day;
  // Seen from its end the exponents have one sign, so that nothing overflows.
  const terms = towards.map(({ day, amount }) => ({ years: Math.abs(day - origin) / DAYS_OF_YEAR, amount }));
  const search = new RootSearch(terms);
  const end = boundOf(terms);
  let [from, width] = [0, 1 / 64];
  while (from < end) {
    const to = Math.min(from + width, end);
    const root = yield* search.firstIn(from, to);
    if (root !== null) return direction * root;
    from = to;
    width *= 2;
  }
  return null;
}

/** With years from the flow that weighs the more the larger x is. */
interface Term {
  years: number;
  amount: number;
}

/** Where the first term outweighs all others for good: there is no root beyond. */
function boundOf(terms: readonly Term[]): number {
  const [first, next] = terms;
  const others = terms.slice(1).reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  const bound = Math.log(others / Math.abs(first!.amount)) / next!.years;
  return Math.max(bound, 0) + NARROW;
}

/** All above 0, and all fall as x rises. */
interface Sums {
  x: number;
  in: number;
  out: number;
  /** The same, each term times its years: both slopes, without their sign. */
  inSlope: number;
  outSlope: number;
}

const signOf = (sums: Sums) => Math.sign(sums.in - sums.out);

class RootSearch {
  readonly #terms: readonly Term[];
  #leftTerms = MOST_TERMS;

  constructor(terms: readonly Term[]) {
    this.#terms = terms;
  }

  *firstIn(from: number, to: number): Parts<number | null> {
    return yield* this.#first(yield* this.#at(from), yield* this.#at(to));
  }

  *#first(a: Sums, b: Sums): Parts<number | null> {
    if (b.in > a.out || b.out > a.in) return null;
    const isMonotonic = b.inSlope > a.outSlope || b.outSlope > a.inSlope;
    if (isMonotonic || b.x - a.x < NARROW || this.#leftTerms < 0)
      return signOf(a) === 0 ? a.x : signOf(a) === signOf(b) ? null : yield* this.#bisected(a, b);
    const middle = yield* this.#at((a.x + b.x) / 2);
    return (yield* this.#first(a, middle)) ?? (yield* this.#first(middle, b));
  }

  /** A root between two signs, as near as doubles are. */
  *#bisected(a: Sums, b: Sums): Parts<number> {
    const sign = signOf(a);
    let [low, high] = [a.x, b.x];
    for (;;) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) return middle;
      if (signOf(yield* this.#at(middle)) === sign) low = middle;
      else high = middle;
    }
  }

  /** A part: a millisecond for as many flows as there are days in a century. */
  *#at(x: number): Parts<Sums> {
    const sums = { x, in: 0, out: 0, inSlope: 0, outSlope: 0 };
    for (const { years, amount } of this.#terms) {
      const value = amount * Math.exp(-x * years);
      if (value > 0) {
        sums.out += value;
        sums.outSlope += value * years;
      } else {
        sums.in -= value;
        sums.inSlope -= value * years;
      }
    }
    this.#leftTerms -= this.#terms.length;
    yield;
    return sums;
  }
}
