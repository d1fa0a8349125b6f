import { Decimal } from 'decimal.js';
import { assert, bigInt, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Currency, minorUnitDigits } from '../../src/domain/currencies.ts';
import { derivedMoney, toJson, toNumber } from '../../src/domain/money.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const Exact = Decimal.clone({
  precision: 200,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -100,
  toExpPos: 100,
});

/** The rule, without the short cut for most amounts. */
function byDecimal(currency: Currency, exact: string): string {
  const text = new Exact(exact).toDecimalPlaces(15).toFixed(minorUnitDigits(currency));
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text;
}

describe('derived amounts', () => {
  it.each([
    ['USD', '0', '0.00'],
    ['USD', '1', '1.00'],
    ['USD', '-0.001', '0.00'],
    ['USD', '-0.005', '-0.01'],
    ['USD', '0.00499999999999999999', '0.01'],
    ['USD', '0.0049999999', '0.00'],
    ['USD', '9.995', '10.00'],
    ['USD', '-9.9999999999999999', '-10.00'],
    ['USD', '999999999999.999', '1000000000000.00'],
    ['JPY', '0.5', '1'],
    ['JPY', '-0.4', '0'],
    ['JPY', '12', '12'],
    ['JPY', '100', '100'],
    ['USD', '-0', '0.00'],
    ['USD', '-0.5', '-0.50'],
    ['USD', '12345678901234567890.1', '12345678901234567890.10'],
  ] as const)('%s of %s are %s', (currency, exact, amount) => {
    expect(derivedMoney(currency, exact).amount).toBe(amount);
    expect(byDecimal(currency, exact)).toBe(amount);
  });

  it('are those of the decimal library', () => {
    const currency = constantFrom<Currency>('USD', 'JPY', 'NZD');
    const digits = bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    assert(
      property(currency, digits, integer({ min: 0, max: 32 }), (code, whole, scale) => {
        const exact = new Exact(String(whole)).div(new Exact(10).pow(scale)).toFixed(scale);
        const money = derivedMoney(code, exact);
        expect(money.amount).toBe(byDecimal(code, exact));
        expect(toJson(money)).toBe(JSON.stringify(toNumber(money)));
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });

  it.each([
    ['0', '0'],
    ['0.00', '0'],
    ['-53.80', '-53.8'],
    ['100', '100'],
    ['100.00', '100'],
    ['0.0001', '0.0001'],
    ['999999999999.99', '999999999999.99'],
    ['9999999999999.99', '9999999999999.99'],
    ['90071992547409.93', '90071992547409.94'],
    ['12345678901234567890123.00', '1.2345678901234568e+22'],
  ])('%s is written as the number %s', (amount, text) => {
    const money = { currency: 'USD', amount } as const;
    expect(toJson(money)).toBe(text);
    expect(JSON.stringify(toNumber(money))).toBe(text);
  });

  it('are those of the decimal library around each half', () => {
    const tails = [
      '',
      '4',
      '5',
      '49',
      '50',
      '4999999999999',
      '49999999999999',
      '5000000000001',
      '444444444444449',
    ];
    for (const whole of ['0', '-0', '1', '-7', '99', '123456789012'])
      for (const cents of ['', '0', '00', '9', '99', '04', '95'])
        for (const tail of tails) {
          const fraction = cents + tail;
          const exact = fraction === '' ? whole : `${whole}.${fraction}`;
          for (const currency of ['USD', 'JPY'] as const)
            expect(derivedMoney(currency, exact).amount, exact).toBe(byDecimal(currency, exact));
        }
  });
});
