import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fixed,
  fixedOfUnits,
  fixedText,
  roundedQuotient,
  roundedTo,
  times,
} from '../../src/domain/fixed-point.ts';

describe('fixed point', () => {
  it('keeps decimals of up to 30 places', () => {
    for (const text of [
      '0',
      '1',
      '-1',
      '0.5',
      '-0.5',
      '12.345',
      '0.000000000000000000000000000001',
      '-99999999999.01',
    ])
      expect(fixedText(fixed(text))).toBe(text);
    expect(fixedText(fixed('1.50'))).toBe('1.5');
    expect(fixedText(fixed('0.0000000000000000000000000000005'))).toBe('0.000000000000000000000000000001');
    expect(fixedText(fixed('-0.0000000000000000000000000000004'))).toBe('0');
    expect(fixedText(fixedOfUnits(12345n, 4))).toBe('1.2345');
  });

  it('multiplies exactly, and rounds half away from zero', () => {
    expect(fixedText(times(fixed('1.25'), fixed('-0.4')))).toBe('-0.5');
    expect(fixedText(roundedTo(fixed('0.125'), 2))).toBe('0.13');
    expect(fixedText(roundedTo(fixed('-0.125'), 2))).toBe('-0.13');
    expect(fixedText(roundedTo(fixed('0.1249'), 2))).toBe('0.12');
    expect([
      roundedQuotient(5n, 2n),
      roundedQuotient(-5n, 2n),
      roundedQuotient(5n, -2n),
      roundedQuotient(-5n, -2n),
    ]).toEqual([3n, -3n, -3n, 3n]);
    expect([roundedQuotient(4n, 3n), roundedQuotient(-4n, 3n), roundedQuotient(0n, 3n)]).toEqual([
      1n,
      -1n,
      0n,
    ]);
  });

  it('rounds quotients to the nearest whole number', () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        fc.pre(b !== 0n);
        const rest = a - roundedQuotient(a, b) * b;
        const size = (n: bigint) => (n < 0n ? -n : n);
        expect(2n * size(rest) <= size(b)).toBe(true);
      }),
    );
  });
});
