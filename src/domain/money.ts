import { Decimal } from 'decimal.js';
import { type Currency, minorUnitDigits } from './currencies.ts';

const Exact = Decimal.clone({ precision: 200, rounding: Decimal.ROUND_HALF_UP });

/** Digits of a quotient before it is rounded: one that does not end takes as long as it has digits. */
const Quotient = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP });

/** An amount of money; `amount` is an exact decimal as text, never a binary float. */
export interface Money {
  currency: Currency;
  amount: string;
}

/**
 * Sums are kept to 30 decimals. Rounding first to 15 brings a sum of thirds back to the exact half it stands for,
 * so that the second rounding goes the right way.
 */
const SUM_NOISE_DECIMALS = 15;

/** A derived amount, rounded half away from zero to the currency's minor unit (docs/decisions.md#rounding), e.g. `30.00`. */
export function derivedMoney(currency: Currency, exact: string): Money {
  const decimals = minorUnitDigits(currency);
  return {
    currency,
    amount:
      padded(exact, decimals) ??
      withoutNegativeZero(roundedByDigit(exact, decimals) ?? rounded(exact, decimals)),
  };
}

function rounded(exact: string, decimals: number): string {
  return new Exact(exact).toDecimalPlaces(SUM_NOISE_DECIMALS).toFixed(decimals);
}

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/** The amount where nothing is to be rounded, which is most often so; null where something is. */
function padded(exact: string, decimals: number): string | null {
  const start = exact.charCodeAt(0) === MINUS ? 1 : 0;
  // What begins with -0 may be no more than that.
  if (start === 1 && exact.charCodeAt(1) === ZERO) return null;
  let point = exact.length;
  for (let i = start; i < exact.length; i++) {
    const code = exact.charCodeAt(i);
    if (code === POINT && point === exact.length) point = i;
    else if (code < ZERO || code > NINE) return null;
  }
  if (point === exact.length) return decimals === 0 ? exact : `${exact}.${'0'.repeat(decimals)}`;
  const missing = point + 1 + decimals - exact.length;
  return missing < 0 ? null : missing === 0 ? exact : exact + '0'.repeat(missing);
}

/** Texts whose digits make a whole number that a double holds. */
const SHORT_DECIMAL = /^(-?)(\d{1,12})(?:\.(\d+))?$/;

/**
 * The same where the digit behind the last one that stays settles it, which takes a tenth of the time; null where it
 * does not: noise could lift a 4 to the half.
 */
function roundedByDigit(exact: string, decimals: number): string | null {
  const match = SHORT_DECIMAL.exec(exact);
  if (!match) return null;
  const [, sign, whole] = match;
  const fraction = match[3] ?? '';
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0');
  const next = fraction.charAt(decimals);
  if (next < '4') return decimals === 0 ? sign + whole! : `${sign}${whole}.${kept}`;
  if (next === '4') return null;
  const up = String(Number(whole + kept) + 1).padStart(decimals + 1, '0');
  return sign + (decimals === 0 ? up : `${up.slice(0, -decimals)}.${up.slice(-decimals)}`);
}

/** An amount as somebody gave it: unrounded, without trailing zeros beyond the minor unit. */
export function givenMoney(currency: Currency, exact: string): Money {
  const decimals = minorUnitDigits(currency);
  return { currency, amount: padded(exact, decimals) ?? unrounded(exact, decimals) };
}

function unrounded(exact: string, decimals: number): string {
  const amount = new Exact(exact);
  return amount.toFixed(Math.max(amount.decimalPlaces(), decimals));
}

/** The exact product of two decimals: by whole numbers, in a third of the time that the library takes. */
export function product(a: string, b: string): string {
  return textOfWhole(wholeOf(a) * wholeOf(b), decimalsOf(a) + decimalsOf(b));
}

function decimalsOf(decimal: string): number {
  const point = decimal.indexOf('.');
  return point === -1 ? 0 : decimal.length - point - 1;
}

/** The decimal in units of its last digit. */
function wholeOf(decimal: string): bigint {
  return BigInt(decimal.replace('.', ''));
}

/** The decimal of so many units of the last of its decimals, as short as it is. */
function textOfWhole(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${fraction && `.${fraction}`}`;
}

/** The exact product of a decimal and a whole number: of a short one without big numbers. */
export function multiple(decimal: string, count: number): string {
  const units = unitsOf(decimal) * count;
  return Number.isSafeInteger(units) ? textOfUnits(units) : product(decimal, String(count));
}

/** What a sum of short decimals is counted in. */
export const UNITS = 10_000;
const UNIT_DECIMALS = 4;
/** Below it, a double times `UNITS` is off by less than half a unit. */
const MOST_UNITS = 2 ** 50;

/** The exact sum of decimals. Short ones are summed as doubles that are whole numbers, others as big ones. */
export class DecimalSum {
  #units = 0;
  /** Of the others by how many decimals they have, in units of the last one. */
  readonly #others: bigint[] = [];

  /**
   * @param times a whole number
   * @param units of the decimal, where they are known
   */
  add(decimal: string, times = 1, units = unitsOf(decimal)): void {
    if (!this.addUnits(units, times)) this.#addLong(decimal, times);
  }

  /** False where only the decimal itself will do. */
  addUnits(units: number, times = 1): boolean {
    const more = units * times;
    const sum = this.#units + more;
    const isExact = Number.isSafeInteger(more) && Number.isSafeInteger(sum);
    if (isExact) this.#units = sum;
    return isExact;
  }

  get text(): string {
    if (this.#others.length === 0) return textOfUnits(this.#units);
    let sum = new Exact(this.#units).dividedBy(UNITS);
    this.#others.forEach((units, decimals) => {
      sum = sum.plus(new Exact(`${units}e-${decimals}`));
    });
    return sum.toFixed();
  }

  #addLong(decimal: string, times: number): void {
    const decimals = decimalsOf(decimal);
    this.#others[decimals] = (this.#others[decimals] ?? 0n) + wholeOf(decimal) * BigInt(times);
  }
}

/** The decimal in units of a `DecimalSum`; NaN where it is not short. */
export function unitsOf(decimal: string): number {
  if (decimalsOf(decimal) > UNIT_DECIMALS) return Number.NaN;
  const units = Math.round(Number(decimal) * UNITS);
  return Math.abs(units) < MOST_UNITS ? units : Number.NaN;
}

/** The decimal of so many units, as short as it is. Without a regular expression, which takes 4 µs until it is compiled. */
function textOfUnits(units: number): string {
  const size = Math.abs(units);
  let rest = size % UNITS;
  const whole = `${units < 0 ? '-' : ''}${(size - rest) / UNITS}`;
  if (rest === 0) return whole;
  let decimals = UNIT_DECIMALS;
  for (; rest % 10 === 0; decimals--) rest /= 10;
  return `${whole}.${String(rest).padStart(decimals, '0')}`;
}

/** The exact difference of two decimals: of short ones in a tenth of the time. */
export function difference(a: string, b: string): string {
  const units = unitsOf(a) - unitsOf(b);
  return Number.isNaN(units) ? new Exact(a).minus(b).toFixed() : textOfUnits(units);
}

/** The quotient of two decimals, rounded half away from zero to so many decimals. */
export function quotient(a: string, b: string, decimals: number): string {
  return new Quotient(a).dividedBy(b).toDecimalPlaces(decimals).toFixed();
}

export const RATIO_DECIMALS = 20;
const ONE = 10n ** BigInt(RATIO_DECIMALS);

/** What part `a` is of `b`, such as a gain of what was invested; null where that is 0. As `percentage_gain` of SQL has it. */
export function ratioOf(a: string, b: string): string | null {
  const [part, whole] = [unitsOf(a), unitsOf(b)];
  if (whole === 0) return null;
  if (!Number.isNaN(part) && !Number.isNaN(whole)) return ratioOfUnits(part, whole);
  return compare(b, '0') === 0 ? null : quotient(a, b, RATIO_DECIMALS);
}

/** The same of short ones, in a fifth of the time. */
function ratioOfUnits(part: number, whole: number): string {
  const divisor = BigInt(Math.abs(whole));
  const rounded = (2n * BigInt(Math.abs(part)) * ONE + divisor) / (2n * divisor);
  return textOfWhole(part < 0 === whole < 0 ? rounded : -rounded, RATIO_DECIMALS);
}

/** Below 0 where `a` is less than `b`, 0 where they are the same number. */
export function compare(a: string, b: string): number {
  return new Exact(a).comparedTo(b);
}

/** Whether two decimals are the same number, e.g. `1.50` and `1.5`. */
export function isEqual(a: string, b: string): boolean {
  return new Exact(a).equals(b);
}

/** No two decimals of so many digits are the same double, so that the shortest text of the number is the amount's own. */
const CERTAIN_CHARACTERS = 15;

/** The JSON number of an amount. */
export function toNumber(money: Money): number {
  return Number(money.amount);
}

/** The same as JSON writes it. */
export function toJson({ amount }: Money): string {
  const point = amount.indexOf('.');
  if (amount.length > CERTAIN_CHARACTERS) return String(Number(amount));
  if (point === -1) return amount;
  let end = amount.length;
  while (amount.charCodeAt(end - 1) === ZERO) end--;
  return amount.slice(0, end - 1 === point ? point : end);
}

/** The exact decimal text of a JSON number, e.g. `1e-7` gives `0.0000001`. */
export function decimalOf(value: number): string {
  const text = String(value);
  return text.includes('e') ? new Exact(value).toFixed() : text;
}

/** Whether a JSON number has no more than so many decimals. */
export function hasAtMostDecimals(value: number, decimals: number): boolean {
  return decimalsOf(decimalOf(value)) <= decimals;
}

function withoutNegativeZero(text: string): string {
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}
