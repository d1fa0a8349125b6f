import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CURRENCIES, isCurrency, minorUnitDigits } from '../../src/domain/currencies.ts';
import {
  DecimalSum,
  decimalOf,
  derivedMoney,
  difference,
  givenMoney,
  hasAtMostDecimals,
  isEqual,
  multiple,
  product,
  quotient,
  ratioOf,
  toNumber,
} from '../../src/domain/money.ts';
import { fuzzRuns } from '../support/fuzz.ts';

describe('a derived amount', () => {
  it.each([
    ['USD', '1', '1.00'],
    ['USD', '0.005', '0.01'],
    ['USD', '0.004999999999999', '0.00'],
    ['USD', '-0.005', '-0.01'],
    ['USD', '-0.0049', '0.00'],
    ['JPY', '0.5', '1'],
    ['JPY', '-0.49', '0'],
    ['JPY', '-0.5', '-1'],
    ['USD', '123456789012345678901234567890.125', '123456789012345678901234567890.13'],
  ] as const)('in %s of %s is %s', (currency, exact, amount) => {
    expect(derivedMoney(currency, exact)).toEqual({ currency, amount });
  });

  it('is the exact half that a sum of thirds stands for', () => {
    expect(derivedMoney('USD', '0.004999999999999999999999999999').amount).toBe('0.01');
    expect(derivedMoney('USD', '0.0049999999999994').amount).toBe('0.00');
    expect(derivedMoney('USD', '2.675000000000000000000000000001').amount).toBe('2.68');
  });

  it('has the decimals of its currency, whatever it is', () => {
    const cents = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    fc.assert(
      fc.property(fc.constantFrom(...CURRENCIES), cents, (currency, value) => {
        const digits = minorUnitDigits(currency);
        const text = derivedMoney(currency, `${value}e-${digits}`).amount;
        expect(text.split('.')[1]?.length ?? 0).toBe(digits);
        expect(BigInt(text.replace('.', ''))).toBe(value);
      }),
    );
  });
});

describe('an amount as it was given', () => {
  it.each([
    ['USD', '1', '1.00'],
    ['USD', '1.5', '1.50'],
    ['USD', '1.2345', '1.2345'],
    ['USD', '1.2300', '1.23'],
    ['JPY', '100', '100'],
    ['JPY', '100.5', '100.5'],
  ] as const)('in %s of %s is %s', (currency, exact, amount) => {
    expect(givenMoney(currency, exact)).toEqual({ currency, amount });
  });
});

describe('arithmetic', () => {
  it('is exact where binary floating point is not', () => {
    expect(product('0.1', '0.2')).toBe('0.02');
    expect(difference('0.3', '0.1')).toBe('0.2');
    expect(product('99999999999999999999.99', '1000000')).toBe('99999999999999999999990000');
    expect(difference('1', '1.000000000000000000000000000001')).toBe('-0.000000000000000000000000000001');
  });

  it('has the product that the library has, of decimals of any length', () => {
    const Exact = Decimal.clone({ precision: 400 });
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat({ max: 30 }))
      .map(([units, decimals]) => new Exact(`${units}e-${decimals}`).toFixed(decimals));
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(product(a, b)).toBe(new Exact(a).times(b).toFixed());
      }),
      { numRuns: fuzzRuns(1000) },
    );
    expect([
      product('-0.00', '5'),
      product('0', '-1.5'),
      product('-0.5', '-4'),
      product('007.50', '2'),
    ]).toEqual(['0', '0', '2', '15']);
  });

  it('compares numbers, not texts', () => {
    expect(isEqual('1.50', '1.5')).toBe(true);
    expect(isEqual('0', '-0.00')).toBe(true);
    expect(isEqual('1.5', '1.5000000000000000000000000001')).toBe(false);
  });

  it('is the same of short decimals and of long ones', () => {
    const long = (decimal: string) => (decimal.includes('.') ? `${decimal}000000` : `${decimal}.000000`);
    const decimal = fc
      .tuple(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.integer({ min: 0, max: 4 }))
      .map(([units, decimals]) => new Decimal(`${units}e-${decimals}`).toFixed(decimals));
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(difference(a, b)).toBe(difference(long(a), long(b)).replace(/^-0$/, '0'));
        const isNothing = Number(b) === 0;
        expect(ratioOf(a, b)).toBe(isNothing ? null : quotient(a, b, 20).replace(/^-0$/, '0'));
        expect(ratioOf(long(a), long(b))).toBe(isNothing ? null : quotient(a, b, 20));
      }),
      { numRuns: fuzzRuns(1000) },
    );
  });

  it('rounds a part of a whole half away from zero', () => {
    expect(ratioOf('1', '3')).toBe('0.33333333333333333333');
    expect(ratioOf('-2', '3')).toBe('-0.66666666666666666667');
    expect(ratioOf('1', '-4')).toBe('-0.25');
    expect(ratioOf('0', '-4')).toBe('0');
    expect(ratioOf('0.0001', '100000000000')).toBe('0.000000000000001');
    for (const zero of ['0', '0.00', '-0.00', '0.00000', `0.${'0'.repeat(22)}`]) {
      expect([zero, ratioOf('5', zero), ratioOf('0', zero)]).toEqual([zero, null, null]);
    }
  });

  it('goes from and to JSON numbers', () => {
    expect(decimalOf(1e-7)).toBe('0.0000001');
    expect(decimalOf(0.1)).toBe('0.1');
    expect(decimalOf(1e9)).toBe('1000000000');
    expect(toNumber({ currency: 'USD', amount: '30.10' })).toBe(30.1);
  });

  it('takes the text of a number where it is its decimal, as decimal.js would have it', () => {
    const given = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
      fc.integer(),
      fc.integer({ min: 0, max: 10 ** 9 }).map((units) => units / 10_000),
    );
    fc.assert(
      fc.property(given, fc.nat(12), fc.constantFrom(...CURRENCIES), (value, decimals, currency) => {
        const exact = new Decimal(value);
        expect(decimalOf(value)).toBe(exact.toFixed());
        expect(hasAtMostDecimals(value, decimals)).toBe(exact.decimalPlaces() <= decimals);
        const shown = exact.toFixed(Math.max(exact.decimalPlaces(), minorUnitDigits(currency)));
        expect(givenMoney(currency, exact.toFixed()).amount).toBe(shown);
        const padded = exact.toFixed(Math.min(exact.decimalPlaces() + decimals, 400));
        expect(givenMoney(currency, padded).amount).toBe(shown);
      }),
      { numRuns: fuzzRuns(1000) },
    );
    for (const value of [0, -0, 1e21, 1e-7, 123456789.1234, Number.MIN_VALUE, Number.MAX_VALUE]) {
      expect(decimalOf(value)).toBe(new Decimal(value).toFixed());
    }
  });
});

describe('currencies', () => {
  it('are thirty or more, US and New Zealand dollars among them', () => {
    expect(CURRENCIES.length).toBeGreaterThanOrEqual(30);
    expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
    for (const code of ['USD', 'NZD']) expect(isCurrency(code)).toBe(true);
    for (const code of ['usd', 'XXX', '', 'constructor', 'toString']) expect(isCurrency(code)).toBe(false);
  });

  it('have the minor units of ISO 4217', () => {
    const whole = CURRENCIES.filter((code) => minorUnitDigits(code) === 0);
    expect(whole).toEqual(['ISK', 'JPY', 'KRW']);
    expect(CURRENCIES.every((code) => [0, 2].includes(minorUnitDigits(code)))).toBe(true);
  });
});

describe('a sum of decimals', () => {
  const digits = (most: number) => fc.bigInt({ min: -(10n ** BigInt(most)), max: 10n ** BigInt(most) });
  const scaled = (units: bigint, decimals: number) => {
    const text = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
    const whole = text.slice(0, text.length - decimals);
    return `${units < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${text.slice(-decimals)}`}`;
  };

  it('is exact, whatever is short enough to be summed in whole numbers', () => {
    const addend = fc.tuple(
      fc.oneof(digits(3), digits(15), digits(40)),
      fc.constantFrom(0, 1, 2, 4, 5, 30),
      fc.integer({ min: 0, max: 1_000_000 }),
    );
    fc.assert(
      fc.property(fc.array(addend), (addends) => {
        const sum = new DecimalSum();
        let expected = 0n;
        for (const [units, decimals, times] of addends) {
          sum.add(scaled(units, decimals), times);
          expected += units * BigInt(times) * 10n ** BigInt(30 - decimals);
        }
        expect(isEqual(sum.text, scaled(expected, 30))).toBe(true);
      }),
    );
  });

  it('has the multiple of a decimal, short or long, as the product has it', () => {
    const count = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const decimal = fc
      .tuple(fc.oneof(digits(3), digits(15), digits(40)), fc.constantFrom(0, 1, 2, 4, 5, 30))
      .map(([units, decimals]) => scaled(units, decimals));
    fc.assert(
      fc.property(decimal, count, (text, times) => {
        expect(multiple(text, times)).toBe(product(text, String(times)));
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });

  it.each([
    ['112589990684.2623', '112589990684.2623'],
    ['112589990684.2624', '112589990684.2624'],
    ['-112589990684.2625', '-112589990684.2625'],
    ['9007199254740993', '9007199254740993'],
    ['0.00005', '0.00005'],
  ])('keeps %s', (decimal, text) => {
    const sum = new DecimalSum();
    sum.add(decimal);
    expect(sum.text).toBe(text);
  });
});
