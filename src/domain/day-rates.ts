import { firstPlace } from '../lib/lists.ts';
import { dayNumber } from './dates.ts';
import { type Fixed, fixed, fixedOfUnits, ONE, roundedQuotient } from './fixed-point.ts';

export interface RateOfDay {
  currency: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** Units for one euro, decimal text. */
  perEuro: string;
}

interface RatesOf {
  days: number[];
  perEuro: Fixed[];
}

const RATE_DECIMALS = 20;

/** Exchange rates of days: the latest published on or before it, the earliest known where it is older than all. */
export class DayRates {
  readonly #currencies = new Map<string, RatesOf>();

  /** @param rates of each currency in the order of their days */
  constructor(rates: Iterable<RateOfDay>) {
    for (const { currency, day, perEuro } of rates) {
      const known = this.#currencies.get(currency) ?? { days: [], perEuro: [] };
      this.#currencies.set(currency, known);
      known.days.push(dayNumber(day));
      known.perEuro.push(fixed(perEuro));
    }
  }

  /** The factor, rounded to 20 decimals as the database's `exchange_rate`; undefined where one of both has no rate. */
  rate(from: string, to: string, day: number): Fixed | undefined {
    if (from === to) return ONE;
    const [dividend, divisor] = [this.#perEuro(to, day), this.#perEuro(from, day)];
    if (dividend === undefined || divisor === undefined) return undefined;
    return fixedOfUnits(roundedQuotient(dividend * 10n ** BigInt(RATE_DECIMALS), divisor), RATE_DECIMALS);
  }

  #perEuro(currency: string, day: number): Fixed | undefined {
    if (currency === 'EUR') return ONE;
    const rates = this.#currencies.get(currency);
    return rates?.perEuro[Math.max(lastUpTo(rates.days, day), 0)];
  }
}

/** The place of the last day that is not after the given one; −1 where all are. */
function lastUpTo(days: readonly number[], day: number): number {
  return firstPlace(days.length, (place) => days[place]! > day) - 1;
}
