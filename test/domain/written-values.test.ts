import { describe, expect, it } from 'vitest';
import { readAmount, readDate } from '../../src/domain/written-values.ts';

describe('a day as it is written', () => {
  it.each([
    ['2025-03-02', undefined, '2025-03-02'],
    ['2025/3/2', undefined, '2025-03-02'],
    ['2025-03-02 10:15:00', undefined, '2025-03-02'],
    ['2025-03-02T10:15:00.123Z', undefined, '2025-03-02'],
    ['3/2/2025', 'MonthDayYear', '2025-03-02'],
    ['3/2/2025', 'DayMonthYear', '2025-02-03'],
    ['03.02.2025', 'DayMonthYear', '2025-02-03'],
    ['3-2-25', 'MonthDayYear', '2025-03-02'],
    ['3/2/2025 14:05', 'MonthDayYear', '2025-03-02'],
    ['2025-03-02', 'DayMonthYear', '2025-03-02'],
    ['12/2/2025', 'MonthDayYear', '2025-12-02'],
    // For the rule of days to refuse.
    ['2/31/2025', 'MonthDayYear', '2025-02-31'],
    ['2 March 2025', 'DayMonthYear', '2 March 2025'],
    ['3/2-2025', 'DayMonthYear', '3/2-2025'],
    ['3/2/025', 'DayMonthYear', '3/2/025'],
  ] as const)('%s by %s is %s', (text, order, value) => {
    expect(readDate(text, order)).toEqual({ value });
  });

  it('says of a month that there is none', () => {
    expect(readDate('13/2/2025', 'MonthDayYear')).toEqual({
      detail: 'has 13 in the place of the month: see whether dateOrder is right for "13/2/2025"',
    });
  });

  it.each(['3/2/2025', '13/2/2025', '31.12.25'])('%s needs an order', (text) => {
    expect(readDate(text, undefined)).toEqual({
      detail: expect.stringContaining(`by dateOrder whether "${text}"`),
    });
  });
});

describe('an amount as it is written', () => {
  it.each([
    ['22.50', undefined, '22.50'],
    ['$22.50', undefined, '22.50'],
    ['22.50 USD', undefined, '22.50'],
    ['USD 22', undefined, '22'],
    ['1,234.50', 'Point', '1234.50'],
    ['1,234', 'Point', '1234'],
    ["1'234'567.5", 'Point', '1234567.5'],
    ['$1,234,567.50', 'Point', '1234567.50'],
    ['1.234,50', 'Comma', '1234.50'],
    ['1.234', 'Comma', '1234'],
    ['22,50', 'Comma', '22.50'],
    ['1 234,5', 'Comma', '1234.5'],
    ['1\u00a0234,50 USD', 'Comma', '1234.50'],
    // For the rule of amounts to refuse.
    ['-5', 'Point', '-5'],
    ['free', undefined, 'free'],
    ['12x', undefined, '12x'],
    ['', 'Comma', ''],
  ] as const)('%j by %s is %j', (text, sign, value) => {
    expect(readAmount(text, sign, 'USD')).toEqual({ value });
  });

  it('is none of a million spaces', () => {
    const text = `1${' '.repeat(1_000_000)}x`;
    expect(readAmount(text, 'Point', 'USD')).toEqual({ value: text });
  });

  it.each(['22,50', '1,234', '1,234.50', '1.234,50', '1 234'])('%s needs a sign', (text) => {
    expect(readAmount(text, undefined, 'USD')).toEqual({
      detail: expect.stringContaining(`by decimalSign whether "${text}"`),
    });
  });

  it.each([
    ['22.50', 'Comma'],
    ['1,23,456.5', 'Point'],
    ["1,234'567", 'Point'],
    ['1.5.2', 'Point'],
    ['12 cents', 'Comma'],
  ] as const)('%s is none by %s', (text, sign) => {
    const detail = `is no amount with a ${sign.toLowerCase()} before its decimals: "${text}"`;
    expect(readAmount(text, sign, 'USD')).toEqual({ detail });
  });

  it.each([
    ['€5', 'USD', '€'],
    ['5 EUR', 'USD', 'EUR'],
    ['$5', 'EUR', '$'],
  ])('%s is none in %s', (text, currency, sign) => {
    expect(readAmount(text, undefined, currency)).toEqual({
      detail: `has ${sign}, and the currency is ${currency}`,
    });
  });

  it.each(['USD', 'CAD', 'NZD', undefined])('$5 may be %s', (currency) => {
    expect(readAmount('$5', undefined, currency)).toEqual({ value: '5' });
  });
});
