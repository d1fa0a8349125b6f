/** An exact rational number in lowest terms; the denominator is above 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

/** Throws a RangeError where the denominator is 0. */
export function fraction(numerator: bigint, denominator = 1n): Fraction {
  if (denominator === 0n) throw new RangeError('A fraction has no denominator 0.');
  const divisor = greatestCommonDivisor(abs(numerator), abs(denominator)) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

const DECIMAL = String.raw`(\d+)(?:\.(\d+))?`;
const FRACTION_PATTERN = new RegExp(`^(-?)${DECIMAL}(?:/${DECIMAL})?$`);

/** Reads `7/4`, `1.75`, `5.5/24`, `-3`. Throws a RangeError that quotes the text where it is none of these. */
export function parseFraction(text: string): Fraction {
  const match = FRACTION_PATTERN.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a fraction such as "1/96" or "1.75".`);
  const [, sign, whole, decimals, divisorWhole = '1', divisorDecimals] = match;
  const divisor = decimalFraction(divisorWhole, divisorDecimals);
  if (divisor.numerator === 0n) throw new RangeError(`"${text}" divides by 0.`);
  const value = divide(decimalFraction(whole!, decimals), divisor);
  return sign ? negate(value) : value;
}

function decimalFraction(whole: string, decimals = ''): Fraction {
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

export function add(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function negate(a: Fraction): Fraction {
  return { numerator: -a.numerator, denominator: a.denominator };
}

export function subtract(a: Fraction, b: Fraction): Fraction {
  return add(a, negate(b));
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Throws a RangeError where b is 0. */
export function divide(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator, a.denominator * b.numerator);
}

export function sum(terms: Iterable<Fraction>): Fraction {
  let total = ZERO;
  for (const term of terms) total = add(total, term);
  return total;
}

/** Below 0 where a is less than b, 0 where they are equal, above 0 where a is greater. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Two more than a double holds: enough to round on, with the last bit standing for all that follow. */
const QUOTIENT_BITS = 55;

/** The nearest double (ties to even), for values of ordinary size: from 1e-300 to 1e300. */
export function toNumber({ numerator, denominator }: Fraction): number {
  const size = abs(numerator);
  const shift = Math.max(0, QUOTIENT_BITS + bitLength(denominator) - bitLength(size));
  const scaled = size << BigInt(shift);
  const sticky = scaled % denominator === 0n ? 0n : 1n;
  const magnitude = Number((scaled / denominator) | sticky) * 2 ** -shift;
  return numerator < 0n ? -magnitude : magnitude;
}

/** Decimal text with exactly that many decimals, rounded half away from zero; never `-0`. */
export function toDecimal({ numerator, denominator }: Fraction, decimals: number): string {
  const scaled = abs(numerator) * 10n ** BigInt(decimals);
  const rounded = (2n * scaled + denominator) / (2n * denominator);
  const digits = rounded.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const sign = numerator < 0n && rounded > 0n ? '-' : '';
  return sign + whole + (decimals > 0 ? `.${digits.slice(-decimals)}` : '');
}

/** Lowest terms: `7/4`, or `12` where the denominator is 1. */
export function toText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [greater, less] = [a, b];
  while (less > 0n) [greater, less] = [less, greater % less];
  return greater;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}
