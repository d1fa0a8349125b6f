import { describe, expect, it } from 'vitest';
import { exchangeRate } from '../../src/db/queries/exchange.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { getValueHistory } from '../../src/services/collections/history.ts';
import { getRealizedYears, realizedIn } from '../../src/services/collections/realized.ts';
import { valuing } from '../../src/services/collections/value-series.ts';
import { inOneMarket } from '../../src/services/one-market.ts';
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

  it('waits in a database transaction for no other one of the account, which may wait for its place', async () => {
    const { ctx, id } = await collectionWithHistory();
    const range = { from: '2024-12-29', to: '2025-01-03', interval: 'Day' } as const;
    let end = () => {};
    const other = valuing(
      ctx,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const inside = await inOneMarket(ctx, (snapshot) => getValueHistory(snapshot, [id], range));
    end();
    await other;
    expect(inside).toEqual(await getValueHistory(ctx, [id], range));
  });

  it('gives what was paid in and taken out since the point before', async () => {
    const { ctx, id } = await collectionWithHistory();
    const flows = async (from: string, interval: 'Day' | 'Month') => {
      const [points] = await getValueHistory(ctx, [id], { from, to: '2025-01-03', interval });
      return points!.map(({ date, paidIn, takenOut }) => [date, paidIn.amount, takenOut.amount]);
    };
    expect(await flows('2024-12-30', 'Month')).toEqual([
      ['2024-12-31', '40.00', '0.00'],
      ['2025-01-03', '0.00', '15.00'],
    ]);
    expect(await flows('2025-01-02', 'Day')).toEqual([
      ['2025-01-02', '0.00', '15.00'],
      ['2025-01-03', '0.00', '0.00'],
    ]);
    expect(await flows('2025-01-03', 'Day')).toEqual([['2025-01-03', '0.00', '0.00']]);
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
    expect(days!.at(-1)).toMatchObject({ date: '2026-04-13', invested, profit, marketValue });
  });

  it('values at the price of the day', async () => {
    const { ctx, id, a } = await collectionWithHistory();
    const before = await database().query<{ amount: string }>(
      'select amount from price where variant_id = $1',
      [a],
    );
    await database().query(
      `insert into price_year (variant_id, source, year, days, currencies, amounts) values
       ($1, 'VendorMarket', 2024, '{2024-12-31}', '{USD}', '{7}'), ($1, 'VendorMarket', 2025, '{2025-01-03}', '{EUR}', '{9}')`,
      [a],
    );
    const [days] = await getValueHistory(ctx, [id], {
      from: '2024-12-30',
      to: '2025-01-03',
      interval: 'Day',
    });
    const [rate] = await database().query<{ rate: string }>(
      `select ${exchangeRate("'EUR'", "'USD'", "'2025-01-03'")} as rate`,
    );
    expect(days!.map(({ marketValue }) => Number(marketValue.amount))).toEqual([
      0,
      28,
      28,
      21,
      Math.round(Number(rate!.rate) * 2700) / 100,
    ]);
    await database().query(`delete from price_year where variant_id = $1 and year < 2026`, [a]);
    expect(before).toHaveLength(1);
  });

  /** Each day by itself: what was held at the end of it, times the price then. */
  const VALUES_BY_DAY = `
    select d.day::text as date, round(sum(greatest(held.quantity, 0) * p.amount * ${exchangeRate('p.currency', "'USD'", 'd.day')}), 2) as value
    from jsonb_array_elements_text($2::jsonb) given(text), lateral (select given.text::date as day) d,
      lateral (
        select variant_id, sum(case action when 'Purchase' then quantity else -quantity end) as quantity from transaction
        where account_id = $1 and occurred <= d.day group by variant_id
      ) held,
      lateral (select currency, amount from price_history
        where variant_id = held.variant_id and day <= d.day order by day desc limit 1) p
    group by d.day order by d.day`;

  it('is the sum of what was held times its price, whatever changes on the way', async () => {
    const ctx = await newAccount(database());
    const variants = await pricedVariants(database(), 3);
    const { id } = await createCollection(ctx, { name: 'Changes' });
    // Bought on a day without a change, sold out, sold twice, bought again on the day of a change.
    const changes = [
      ['2024-11-05', 3],
      ['2024-12-01', -3],
      ['2024-12-31', -2],
      ['2025-01-06', 9],
      ['2025-01-06', -1],
      ['2025-02-20', 4],
    ] as const;
    await createTransactions(
      ctx,
      id,
      variants.flatMap((variant, i) =>
        changes.slice(i).map(([day, quantity]) => {
          return entry(variant, day, quantity > 0 ? 'Purchase' : 'Sale', Math.abs(quantity), 1);
        }),
      ),
    );
    await database().query(
      `insert into price_year (variant_id, source, year, days, currencies, amounts)
       select variant, 'VendorMarket', extract(year from day), array_agg(day order by day),
         array_agg(case n % 5 when 2 then 'EUR' else 'USD' end order by day),
         array_agg(case when n % 7 <> 3 then n + length(variant) * 0.01 end order by day)
       from jsonb_array_elements_text($1::jsonb) with ordinality v(variant, position),
         generate_series(0, 40) n, lateral (select date '2024-11-01' + (n * 3 + position)::int as day) d
       where position < 3 or n > 20 group by variant, extract(year from day)`,
      [JSON.stringify(variants)],
    );
    for (const interval of ['Day', 'Week', 'Month'] as const) {
      const [points] = await getValueHistory(ctx, [id], { from: '2024-10-30', to: '2025-03-15', interval });
      const expected = await database().query<{ date: string; value: string | null }>(VALUES_BY_DAY, [
        ctx.caller.accountId,
        JSON.stringify(points!.map(({ date }) => date)),
      ]);
      const values = new Map(expected.map(({ date, value }) => [date, Number(value)]));
      expect(points!.map(({ date, marketValue }) => [date, Number(marketValue.amount)])).toEqual(
        points!.map(({ date }) => [date, values.get(date) ?? 0]),
      );
      expect(new Set(values.values()).size).toBeGreaterThan(3);
    }
    await database().query(
      'delete from price_year where year < 2026 and variant_id in (select jsonb_array_elements_text($1::jsonb))',
      [JSON.stringify(variants)],
    );
  });

  it('gives the realised gains of a year, which add up to the profit', async () => {
    const { ctx, id } = await collectionWithHistory();
    const [all] = await getRealizedYears(ctx, [id], 'Average');
    const years = [2024, 2025, 2026].map((year) => realizedIn(all!, year, 'Average'));
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

    it('years that are none', () => {
      const none = { state: '', currency: 'USD', years: [] };
      for (const year of [1969, 10000, 2025.5])
        expect(() => realizedIn(none, year, 'Average')).toThrowError(
          expect.objectContaining({ problem: 'ValidationFailed' }),
        );
      expect(realizedIn(none, 1970, 'Average')).toMatchObject({ quantity: 0, gain: { amount: '0.00' } });
    });
  });

  it('has no statistics of the arrays of prices, which take seconds in which an embedded database serves nobody else', async () => {
    await database().query('analyze price_year');
    const rows = await database().query<{ name: string }>(
      `select attname as name from pg_stats where tablename = 'price_year' and attname in ('days', 'currencies', 'amounts')`,
    );
    expect(rows).toEqual([]);
  });
});
