import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  compare,
  divide,
  type Fraction,
  fraction,
  multiply,
  negate,
  parseFraction,
  subtract,
  sum,
  toDecimal,
  toNumber,
  toText,
  ZERO,
} from '../../src/domain/fraction.ts';

const anyFraction = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.bigInt({ min: 1n, max: 10n ** 30n }))
  .map(([numerator, denominator]) => fraction(numerator, denominator));
const nonZero = anyFraction.filter((value) => value.numerator !== 0n);

describe('parseFraction', () => {
  it.each([
    ['1/96', '1/96'],
    ['5.5/24', '11/48'],
    ['1.75', '7/4'],
    ['1/3.15', '20/63'],
    ['12', '12'],
    ['0.00', '0'],
    ['-6/4', '-3/2'],
    ['007/014', '1/2'],
  ])('reads %s as %s', (text, expected) => {
    expect(toText(parseFraction(text))).toBe(expected);
  });

  it.each(['', '1/', '/2', '1e3', '1/-2', '.5', '1.', ' 1', '1/2/3', 'NaN', '٣'])('refuses "%s"', (text) => {
    expect(() => parseFraction(text)).toThrow(`"${text}" is not a fraction`);
  });

  it('refuses a denominator of 0', () => {
    expect(() => parseFraction('1/0')).toThrow('"1/0" divides by 0.');
    expect(() => parseFraction('1/0.0')).toThrow('divides by 0');
    expect(() => fraction(1n, 0n)).toThrow(new RangeError('A fraction has no denominator 0.'));
  });

  it('reads back what toText writes', () => {
    fc.assert(
      fc.property(anyFraction, (a) => {
        expect(parseFraction(toText(a))).toEqual(a);
      }),
    );
  });
});

describe('arithmetic', () => {
  it('keeps lowest terms and a denominator above 0', () => {
    expect(fraction(2n, -4n)).toEqual({ numerator: -1n, denominator: 2n });
    expect(fraction(0n, -7n)).toEqual(ZERO);
  });

  it('obeys the laws of a field', () => {
    fc.assert(
      fc.property(anyFraction, anyFraction, anyFraction, (a, b, c) => {
        expect(add(a, b)).toEqual(add(b, a));
        expect(add(add(a, b), c)).toEqual(add(a, add(b, c)));
        expect(multiply(multiply(a, b), c)).toEqual(multiply(a, multiply(b, c)));
        expect(multiply(a, add(b, c))).toEqual(add(multiply(a, b), multiply(a, c)));
        expect(add(a, negate(a))).toEqual(ZERO);
        expect(subtract(add(a, b), b)).toEqual(a);
        expect(sum([a, b, c])).toEqual(add(a, add(b, c)));
      }),
    );
    fc.assert(
      fc.property(anyFraction, nonZero, (a, b) => {
        expect(multiply(divide(a, b), b)).toEqual(a);
      }),
    );
  });

  it('orders as the numbers do', () => {
    expect(compare(fraction(1n, 3n), fraction(1n, 2n))).toBe(-1);
    expect(compare(fraction(2n, 4n), fraction(1n, 2n))).toBe(0);
    fc.assert(
      fc.property(anyFraction, anyFraction, (a, b) => {
        expect(compare(a, b)).toBe(Math.sign(Number(subtract(a, b).numerator)));
      }),
    );
  });
});

describe('toNumber', () => {
  it('gives back every double it is made from', () => {
    const doubles = fc.double({ min: -1e200, max: 1e200, noNaN: true });
    fc.assert(
      fc.property(
        doubles.filter((value) => value === 0 || Math.abs(value) > 1e-200),
        (value) => {
          expect(toNumber(fractionOfDouble(value))).toBe(value === 0 ? 0 : value);
        },
      ),
    );
  });

  it('is what division gives where both terms are exact doubles', () => {
    const term = fc.integer({ min: 1, max: 2 ** 31 });
    fc.assert(
      fc.property(term, term, (a, b) => {
        expect(toNumber(fraction(BigInt(a), BigInt(b)))).toBe(a / b);
      }),
    );
    expect(toNumber(ZERO)).toBe(0);
    expect(toNumber(parseFraction('1/96'))).toBe(1 / 96);
    expect(toNumber(parseFraction('-20/63'))).toBe(-20 / 63);
  });

  it('rounds to the nearest, and a tie to even', () => {
    const one = 2n ** 53n;
    expect(toNumber(fraction(2n * one + 1n, 2n * one))).toBe(1);
    expect(toNumber(fraction(2n * one + 3n, 2n * one))).toBe(1 + Number.EPSILON);
    expect(toNumber(fraction(one + 1n, one))).toBe(1);
    expect(toNumber(fraction((one + 1n) * 2n ** 90n + 1n, one * 2n ** 90n))).toBe(1 + Number.EPSILON);
    expect(toNumber(fraction(one + 3n, one))).toBe(1 + 2 * Number.EPSILON);
  });
});

describe('toDecimal', () => {
  it.each([
    ['1/8', 2, '0.13'],
    ['-1/8', 2, '-0.13'],
    ['0.125', 3, '0.125'],
    ['0.00499', 2, '0.00'],
    ['-0.00499', 2, '0.00'],
    ['0.005', 2, '0.01'],
    ['-0.005', 2, '-0.01'],
    ['2/3', 0, '1'],
    ['1/2', 0, '1'],
    ['1234567/100', 1, '12345.7'],
    ['2/3', 30, '0.666666666666666666666666666667'],
  ])('%s with %d decimals is %s', (text, decimals, expected) => {
    expect(toDecimal(parseFraction(text), decimals)).toBe(expected);
  });

  it('is within half a unit of the last place, and away from zero on a tie', () => {
    fc.assert(
      fc.property(anyFraction, fc.integer({ min: 0, max: 20 }), (a, decimals) => {
        const rounded = parseFraction(toDecimal(a, decimals));
        const half = fraction(1n, 2n * 10n ** BigInt(decimals));
        const error = subtract(absolute(rounded), absolute(a));
        expect(compare(absolute(error), half)).toBeLessThanOrEqual(0);
        if (compare(absolute(error), half) === 0) expect(compare(error, ZERO)).toBe(1);
      }),
    );
  });
});

function absolute(value: Fraction): Fraction {
  return value.numerator < 0n ? negate(value) : value;
}

/** A double is a whole number divided by a power of two. */
function fractionOfDouble(value: number): Fraction {
  let denominator = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return fraction(BigInt(scaled), denominator);
}
