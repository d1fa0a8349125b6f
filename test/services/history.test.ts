import { describe, expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { getRealizedGains, getValueHistory } from '../../src/services/collections/history.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';

describeOnDatabases('history', (database) => {
  const entry = (
    variantId: string,
    occurredDate: string,
    action: 'Purchase' | 'Sale',
    quantity: number,
    value: number,
  ) => ({
    variantId,
    occurredDate,
    action,
    quantity,
    unitAmount: { currency: 'USD' as const, value },
  });

  async function collectionWithHistory() {
    const ctx = await newAccount(database());
    const [a, b] = (await pricedVariants(database(), 2)) as [string, string];
    const { id } = await createCollection(ctx, { name: 'History' });
    await createTransactions(ctx, id, [
      entry(a, '2024-12-30', 'Purchase', 4, 10),
      entry(a, '2025-01-02', 'Sale', 1, 15),
      entry(b, '2025-06-15', 'Purchase', 3, 1),
      entry(a, '2026-01-01', 'Purchase', 4, 20),
      entry(a, '2026-04-13', 'Sale', 2, 30),
    ]);
    return { ctx, id, a, b };
  }

  it('gives invested and profit of each day by the transactions up to it', async () => {
    const { ctx, id } = await collectionWithHistory();
    const [days] = await getValueHistory(ctx, [id], {
      from: '2024-12-29',
      to: '2025-01-03',
      interval: 'Day',
    });
    expect(days!.map(({ date, invested, profit }) => [date, invested.amount, profit.amount])).toEqual([
      ['2024-12-29', '0.00', '0.00'],
      ['2024-12-30', '40.00', '0.00'],
      ['2024-12-31', '40.00', '0.00'],
      ['2025-01-01', '40.00', '0.00'],
      ['2025-01-02', '30.00', '5.00'],
      ['2025-01-03', '30.00', '5.00'],
    ]);
  });

  it('ends at the figures of the collection', async () => {
    const { ctx, id } = await collectionWithHistory();
    const [days] = await getValueHistory(ctx, [id], {
      from: '2024-01-01',
      to: '2026-04-13',
      interval: 'Month',
    });
    expect(days).toHaveLength(28);
    const { invested, profit, marketValue } = await getCollection(ctx, id);
    expect(days!.at(-1)).toEqual({ date: '2026-04-13', invested, profit, marketValue });
  });

  it('values at the price of the day', async () => {
    const { ctx, id, a } = await collectionWithHistory();
    const before = await database().query<{ amount: string }>(
      'select amount from price where variant_id = $1',
      [a],
    );
    await database().query(
      `insert into price_history (variant_id, source, day, currency, amount) values
       ($1, 'VendorMarket', '2024-12-31', 'USD', 7), ($1, 'VendorMarket', '2025-01-03', 'EUR', 9)`,
      [a],
    );
    const [days] = await getValueHistory(ctx, [id], {
      from: '2024-12-30',
      to: '2025-01-03',
      interval: 'Day',
    });
    const [rate] = await database().query<{ rate: string }>(
      `select exchange_rate('EUR', 'USD', '2025-01-03') as rate`,
    );
    expect(days!.map(({ marketValue }) => Number(marketValue.amount))).toEqual([
      0,
      28,
      28,
      21,
      Math.round(Number(rate!.rate) * 2700) / 100,
    ]);
    await database().query(`delete from price_history where variant_id = $1 and day < '2026-01-01'`, [a]);
    expect(before).toHaveLength(1);
  });

  it('gives the realised gains of a year, which add up to the profit', async () => {
    const { ctx, id } = await collectionWithHistory();
    const years = await Promise.all(
      [2024, 2025, 2026].map(async (year) => (await getRealizedGains(ctx, [id], year))[0]!),
    );
    expect(
      years.map(({ gain, proceeds, cost, quantity }) => [
        gain.amount,
        proceeds.amount,
        cost.amount,
        quantity,
      ]),
    ).toEqual([
      ['0.00', '0.00', '0.00', 0],
      ['5.00', '15.00', '10.00', 1],
      // Bought 8 for 120, sold 3 for 75: profit 75 − 15 × 3 = 30, of which 5 belongs to the year before.
      ['25.00', '60.00', '35.00', 2],
    ]);
    const { profit } = await getCollection(ctx, id);
    expect(profit!.amount).toBe('30.00');
  });

  describe('refuses', () => {
    const cases = [
      ['2025-02-30', '2025-03-01', 'Day', 'from'],
      ['2025-01-01', '2024-12-31', 'Day', 'to'],
      ['1969-12-31', '2024-12-31', 'Month', 'from'],
      ['2025-01-01', '2026-04-15', 'Day', 'to'],
      ['2025-01-01', '2026-04-14', 'Day', 'to'],
    ] as const;
    it.each(cases)('%s to %s by %s at %s', async (from, to, interval, field) => {
      const ctx = await newAccount(database());
      await expect(getValueHistory(ctx, [], { from, to, interval })).rejects.toMatchObject({
        problem: 'ValidationFailed',
        details: { breaches: [{ path: [field] }] },
      });
    });

    it('years that are none', async () => {
      const ctx = await newAccount(database());
      for (const year of [1969, 10000, 2025.5]) {
        await expect(getRealizedGains(ctx, [], year)).rejects.toMatchObject({ problem: 'ValidationFailed' });
      }
      expect(await getRealizedGains(ctx, [], 1970)).toEqual([]);
    });
  });
});
