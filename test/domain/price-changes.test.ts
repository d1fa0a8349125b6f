import { describe, expect, it } from 'vitest';
import { dateOfDay } from '../../src/domain/dates.ts';
import { PriceChanges, type PriceYear, UNKNOWN } from '../../src/domain/price-changes.ts';

const year = (days: string[], amounts: string[], currencies = 'USD'): PriceYear => ({
  variantId: 'var_1',
  days: `{${days.join(',')}}`,
  amounts: `{${amounts.join(',')}}`,
  currencies,
});

describe('changes of a price', () => {
  it('are read from the arrays of the database', () => {
    const prices = new PriceChanges();
    prices.add(year(['2024-02-28', '2024-02-29', '2024-12-31'], ['1.5', 'NULL', '0.0001'], '{USD,USD,EUR}'));
    prices.add(year(['2025-03-01'], ['99']));
    const days = [...prices.days.slice(0, prices.count)].map(dateOfDay);
    expect(days).toEqual(['2024-02-28', '2024-02-29', '2024-12-31', '2025-03-01']);
    expect([...prices.units.slice(0, prices.count)]).toEqual([15_000, UNKNOWN, 1, 990_000]);
    expect([0, 1, 2, 3].map((i) => prices.currency(i))).toEqual(['USD', 'USD', 'EUR', 'USD']);
    expect([0, 2, 3].map((i) => prices.exact(i))).toEqual(['1.5', '0.0001', '99']);
  });

  it('have each day of a range of days', () => {
    const prices = new PriceChanges();
    prices.add({ ...year([], ['1', '2', '3']), days: '2024-02-28 2024-03-01' });
    prices.add({ ...year([], ['4']), days: '2025-01-01 2025-01-01' });
    prices.add(year(['2026-01-01', '2026-01-03'], ['5', '6']));
    expect([...prices.days.slice(0, prices.count)].map(dateOfDay)).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
      '2025-01-01',
      '2026-01-01',
      '2026-01-03',
    ]);
    expect([...prices.units.slice(0, prices.count)]).toEqual(
      [1, 2, 3, 4, 5, 6].map((price) => price * 10_000),
    );
  });

  it('are exact however long they are', () => {
    const texts = ['0.12345', '123456789012345678', '12345678901.2345', '1234567890.12', '0.00000', '7'];
    const prices = new PriceChanges();
    prices.add(
      year(
        texts.map((_, i) => `2024-01-0${i + 1}`),
        texts,
      ),
    );
    expect(texts.map((_, i) => Number(prices.exact(i)))).toEqual(texts.map(Number));
    expect([0, 1].map((i) => prices.exact(i))).toEqual(texts.slice(0, 2));
    expect(prices.units[0]).toBeNaN();
    expect(prices.units[2]).toBe(123_456_789_012_345);
  });

  it('have the day of every date', () => {
    for (const start of ['1970-01-01', '1999-12-01', '2000-02-01', '2024-02-01', '2100-02-01']) {
      const first = Date.parse(start) / 86_400_000;
      const days = Array.from({ length: 400 }, (_, i) => first + i);
      const prices = new PriceChanges();
      prices.add(
        year(
          days.map(dateOfDay),
          days.map(() => '1'),
        ),
      );
      expect([...prices.days.slice(0, prices.count)]).toEqual(days);
    }
  });

  it('have room for many, and forget those of another variant', () => {
    const prices = new PriceChanges();
    const days = Array.from({ length: 365 }, (_, i) => dateOfDay(19_000 + i));
    for (let i = 0; i < 10; i++)
      prices.add(
        year(
          days,
          days.map((_, n) => `${n}.5`),
        ),
      );
    expect(prices.count).toBe(3650);
    expect(prices.units[3649]).toBe(3_645_000);
    expect(prices.exact(0)).toBe('0.5');
    prices.clear();
    prices.add(year(['2024-01-01'], ['2']));
    expect([prices.count, prices.units[0]]).toEqual([1, 20_000]);
  });
});
