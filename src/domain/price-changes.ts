import { unitsOf } from './money.ts';

/** A year of prices of a variant as the database gives it (queries/prices.ts): array literals of so many days. */
export interface PriceYear {
  variantId: string;
  /** Where each day follows on the one before, only the first and the last of them, `2024-01-01 2024-12-31`: most of a year's text is days. */
  days: string;
  /** `NULL` from the day on which no price is known any more. */
  amounts: string;
  /** One code where all are of it. */
  currencies: string;
}

/** What a price is that is not known. */
export const UNKNOWN = -1;

/**
 * The days on which a variant's price became another, ascending, with the price that holds until the next of them. One is used for
 * many variants, one after the other: what is in it is overwritten.
 */
export class PriceChanges {
  count = 0;
  /** Since 1970-01-01. */
  days = new Int32Array(SOME);
  /** Ten-thousandths of the currency; `UNKNOWN` where no price is known, NaN where only `exact` tells. */
  units = new Float64Array(SOME);
  readonly #currencies: string[] = [];
  readonly #exact = new Map<number, string>();

  clear(): void {
    this.count = 0;
    this.#exact.clear();
  }

  /** Years are to be added in their order. */
  add({ days, amounts, currencies }: PriceYear): void {
    const isMixed = currencies.charCodeAt(0) === BRACE;
    const codes = isMixed ? currencies.slice(1, -1).split(',') : [];
    const start = this.count;
    this.#addDays(days);
    for (let i = start; i < this.count; i++) this.#currencies[i] = isMixed ? codes[i - start]! : currencies;
    this.#addAmounts(amounts, start);
  }

  #addDays(text: string): void {
    const start = this.count;
    const isRange = text.charCodeAt(0) !== BRACE;
    const first = dayAt(text, isRange ? 0 : 1);
    this.count += isRange ? dayAt(text, DATE_LENGTH) - first + 1 : (text.length - 1) / DATE_LENGTH;
    this.#makeRoom();
    for (let i = start, at = 1; i < this.count; i++, at += DATE_LENGTH)
      this.days[i] = isRange ? first + i - start : dayAt(text, at);
  }

  currency(i: number): string {
    return this.#currencies[i]!;
  }

  /** Decimal text of a price that is known. */
  exact(i: number): string {
    return this.#exact.get(i) ?? String(this.units[i]! / UNITS);
  }

  /** Reads short decimals where they stand, without a text for each: there are a million in three years of a large collection. */
  #addAmounts(text: string, start: number): void {
    let [from, units, decimals] = [1, 0, NO_POINT];
    for (let i = start, at = 1; i < this.count; at++) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= NINE) {
        units = units * 10 + code - ZERO;
        if (decimals !== NO_POINT) decimals++;
      } else if (code === POINT) decimals = 0;
      else if (code === COMMA || code === END_BRACE) {
        if (at - from <= MOST_DIGITS && decimals <= UNIT_DECIMALS)
          this.units[i] = units * UNITS_BY_DECIMALS[Math.max(decimals, 0)]!;
        else this.#addLong(i, text.slice(from, at));
        i++;
        [from, units, decimals] = [at + 1, 0, NO_POINT];
      } else decimals = NO_DECIMAL;
    }
  }

  #addLong(i: number, text: string): void {
    if (text === 'NULL') this.units[i] = UNKNOWN;
    else {
      this.#exact.set(i, text);
      this.units[i] = unitsOf(text);
    }
  }

  #makeRoom(): void {
    if (this.count <= this.days.length) return;
    const [days, units] = [this.days, this.units];
    this.days = new Int32Array(2 * this.count);
    this.units = new Float64Array(2 * this.count);
    this.days.set(days);
    this.units.set(units);
  }
}

/** Changes that there is room for at first: of three years. */
const SOME = 1200;
const UNITS = 10_000;
const UNIT_DECIMALS = 4;
/** What a number of 0, 1 … decimals is multiplied with. */
const UNITS_BY_DECIMALS = [10_000, 1000, 100, 10, 1];
const NO_POINT = -1;
/** Of what is no number, as of one with more decimals. */
const NO_DECIMAL = UNIT_DECIMALS + 1;
const COMMA = 44;
const BRACE = 123;
const END_BRACE = 125;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** With the comma, the space or the brace behind it. */
const DATE_LENGTH = 11;
/** Characters whose units a double holds, with 4 zeros more. */
const MOST_DIGITS = 11;

/** The day of a date `YYYY-MM-DD` in a text, by the civil calendar. */
function dayAt(text: string, at: number): number {
  const year = number(text, at, 4);
  const month = number(text, at + 5, 2);
  const day = number(text, at + 8, 2);
  // Years begin in March, so that the odd day is their last.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - DAYS_TO_1970;
}

/** From 1 March of the year 0. */
const DAYS_TO_1970 = 719_468;

function number(text: string, at: number, length: number): number {
  let value = 0;
  for (let i = at; i < at + length; i++) value = value * 10 + text.charCodeAt(i) - ZERO;
  return value;
}
