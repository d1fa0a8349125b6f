import { Decimal } from 'decimal.js';
import { type Currency, minorUnitDigits } from './currencies.ts';

const Exact = Decimal.clone({ precision: 200, rounding: Decimal.ROUND_HALF_UP });

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

/** A derived amount, rounded half away from zero to the currency's minor unit (decisions §3), e.g. `30.00`. */
export function derivedMoney(currency: Currency, exact: string): Money {
  const decimals = minorUnitDigits(currency);
  return {
    currency,
    amount: withoutNegativeZero(roundedByDigit(exact, decimals) ?? rounded(exact, decimals)),
  };
}

function rounded(exact: string, decimals: number): string {
  return new Exact(exact).toDecimalPlaces(SUM_NOISE_DECIMALS).toFixed(decimals);
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
  const amount = new Exact(exact);
  return { currency, amount: amount.toFixed(Math.max(amount.decimalPlaces(), minorUnitDigits(currency))) };
}

/** The exact product of two decimals. */
export function product(a: string, b: string): string {
  return new Exact(a).times(b).toFixed();
}

/** The exact difference of two decimals. */
export function difference(a: string, b: string): string {
  return new Exact(a).minus(b).toFixed();
}

/** Whether two decimals are the same number, e.g. `1.50` and `1.5`. */
export function isEqual(a: string, b: string): boolean {
  return new Exact(a).equals(b);
}

/** The JSON number of an amount. */
export function toNumber(money: Money): number {
  return Number(money.amount);
}

/** The exact decimal text of a JSON number, e.g. `1e-7` gives `0.0000001`. */
export function decimalOf(value: number): string {
  return new Exact(value).toFixed();
}

/** Whether a JSON number has no more than so many decimals. */
export function hasAtMostDecimals(value: number, decimals: number): boolean {
  return new Exact(value).decimalPlaces() <= decimals;
}

function withoutNegativeZero(text: string): string {
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}
