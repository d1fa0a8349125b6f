import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants } from '../harness.ts';
import { expectPagination, expectProblem, NO_COLLECTION, newCollection, record, usd } from './support.ts';

const SORTS = [
  'Alphabetical',
  'MarketValue',
  'UnitValue',
  'Gain',
  'Quantity',
  'CardNumber',
  'PercentageGain',
  'Chronological',
];

describeOnDatabases('REST transaction summaries', (database) => {
  const newApp = async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    const path = `/collection/${id}/transaction-summary`;
    const list = async (query = '') => {
      const { status, body } = await app.send('GET', `${path}${query}`);
      expect(status).toBe(200);
      return body.results;
    };
    return { app, id, path, list };
  };
  const unpricedVariant = async () => {
    const [row] = await database().query<{ id: string }>(
      'select v.id from variant v where not exists (select from price p where p.variant_id = v.id and p.amount is not null) order by v.id limit 1',
    );
    return row!.id;
  };

  it('have the worked example: buy 4 at 10.00, sell 1 at 15.00', async () => {
    const { app, id, list } = await newApp();
    const [variantId] = await pricedVariants(database(), 1);
    const bought = await record(app, id, variantId!);
    await record(app, id, variantId!, { action: 'Sale', quantity: 1, unitAmount: usd(15) });
    const [price] = await database().query<{ amount: string }>(
      `select amount from price where variant_id = $1 and currency = 'USD'`,
      [variantId!],
    );
    const marketValue = Math.round(Number(price!.amount) * 300) / 100;
    const { variantName, productId, productName, imageUrl, number, fcId } = bought;
    expect(await list()).toMatchObject([
      {
        variantId,
        variantName,
        productId,
        productName,
        quantity: 3,
        imageUrl,
        number,
        cashPosition: usd(-25),
        invested: usd(30),
        profit: usd(5),
        gain: usd(Math.round((marketValue - 30) * 100) / 100),
        marketValue: usd(marketValue),
        fcId,
      },
    ]);
  });

  it('have profit 0 where a variant was only bought', async () => {
    const { app, id, list } = await newApp();
    const [variantId] = await pricedVariants(database(), 1);
    await record(app, id, variantId!, { unitAmount: usd(0.3333), quantity: 3 });
    expect(await list()).toMatchObject([
      { quantity: 3, profit: usd(0), invested: usd(1), cashPosition: usd(-1) },
    ]);
  });

  it('stay when a variant is sold out, and may go below zero', async () => {
    const { app, id, list } = await newApp();
    const [variantId] = await pricedVariants(database(), 1);
    await record(app, id, variantId!, { quantity: 2 });
    await record(app, id, variantId!, { action: 'Sale', quantity: 2, unitAmount: usd(12.5) });
    const soldOut = { quantity: 0, invested: usd(0), profit: usd(5), cashPosition: usd(5), gain: usd(0) };
    expect(await list()).toMatchObject([{ ...soldOut, marketValue: usd(0) }]);
    const { transactionId } = await record(app, id, variantId!, {
      action: 'Sale',
      quantity: 3,
      unitAmount: usd(1),
    });
    expect(await list()).toMatchObject([
      { quantity: -3, invested: usd(0), profit: usd(-22), marketValue: usd(0), gain: usd(0) },
    ]);
    await app.send('DELETE', `/transaction/${transactionId}`);
    expect(await list()).toMatchObject([soldOut]);
  });

  it('have no gain and market value 0 where no price is known', async () => {
    const { app, id, list } = await newApp();
    await record(app, id, await unpricedVariant());
    expect(await list()).toMatchObject([
      { gain: null, marketValue: usd(0), invested: usd(40), profit: usd(0) },
    ]);
  });

  it('are in the preferred currency, at the rate of the day', async () => {
    const app = await newTestApp(database(), { currency: 'JPY' });
    const id = await newCollection(app);
    const [variantId] = await pricedVariants(database(), 1);
    await record(app, id, variantId!, { quantity: 3, unitAmount: { currency: 'JPY', value: 10.5 } });
    const [summary] = (await app.send('GET', `/collection/${id}/transaction-summary`)).body.results;
    // 31.5 rounds away from zero, to whole yen.
    expect(summary).toMatchObject({
      invested: { currency: 'JPY', value: 32 },
      cashPosition: { currency: 'JPY', value: -32 },
      marketValue: { currency: 'JPY' },
    });
    expect(Number.isInteger(summary.marketValue.value)).toBe(true);
  });

  it('go with their last transaction', async () => {
    const { app, id, list } = await newApp();
    const [variantId] = await pricedVariants(database(), 1);
    const { transactionId } = await record(app, id, variantId!);
    expect(await list()).toHaveLength(1);
    await app.send('DELETE', `/transaction/${transactionId}`);
    expect(await list()).toEqual([]);
  });

  describe('the list', () => {
    /** Seven variants, with and without number and price, held in different ways. */
    const filled = async () => {
      const made = await newApp();
      const rows = await database().query<{ id: string }>(
        `(select v.id from variant v join product p on p.id = v.product_id join price on price.variant_id = v.id and price.amount > 1
          where p.number in ('WTR002', 'WTR010', 'ARC001', 'CRU100') order by v.id limit 4)
         union all
         (select v.id from variant v join product p on p.id = v.product_id join price on price.variant_id = v.id and price.amount > 1
          where p.number is null order by v.id limit 2)`,
      );
      const variants = [...rows.map(({ id }) => id), await unpricedVariant()];
      for (const [i, variantId] of variants.entries()) {
        const occurredDate = `2026-01-${String(20 - ((i * 3) % 7)).padStart(2, '0')}`;
        await record(made.app, made.id, variantId, {
          quantity: ((i * 5) % 7) + 1,
          unitAmount: usd(i === 2 ? 0 : i * 7.25),
          occurredDate,
        });
      }
      return { ...made, variants };
    };

    it('orders by amounts, highest first, nulls last', async () => {
      const { list } = await filled();
      const pick: Record<string, (s: Record<string, { value: number } | null>) => number | null> = {
        MarketValue: (s) => s.marketValue!.value,
        Gain: (s) => s.gain?.value ?? null,
        Quantity: (s) => s.quantity as unknown as number,
        PercentageGain: (s) => (s.gain && s.invested!.value ? s.gain.value / s.invested!.value : null),
        UnitValue: (s) => (s.gain ? s.marketValue!.value / (s.quantity as unknown as number) : null),
      };
      for (const [sort, amountOf] of Object.entries(pick)) {
        const values: (number | null)[] = (await list(`?sort=${sort}`)).map(amountOf);
        expect(values).toHaveLength(7);
        const known = values.filter((value) => value !== null);
        expect(values.slice(0, known.length)).toEqual([...known].sort((a, b) => b - a));
        expect(values.includes(null)).toBe(['Gain', 'PercentageGain', 'UnitValue'].includes(sort));
      }
    });

    it('orders by name, by number and by first transaction', async () => {
      const { list, variants } = await filled();
      const { compare } = new Intl.Collator('und');
      const names = (await list('?sort=Alphabetical')).map((s: { productName: string }) => s.productName);
      expect(names).toEqual([...names].sort(compare));
      expect((await list()).map((s: { productName: string }) => s.productName)).toEqual(names);

      const numbers = (await list('?sort=CardNumber')).map((s: { number: string | null }) => s.number);
      const known = numbers.filter((number: string | null) => number !== null);
      const natural = new Intl.Collator('en', { numeric: true }).compare;
      expect(numbers).toEqual([...[...known].sort(natural), null, null]);

      const first = (await list('?sortOrder=Chronological')).map((s: { variantId: string }) => s.variantId);
      // The days go 20, 17, 14, 18, 15, 19, 16.
      expect(first).toEqual([2, 4, 6, 1, 3, 5, 0].map((i) => variants[i]));
      expect((await list('?sort=Chronological')).map((s: { variantId: string }) => s.variantId)).toEqual(
        first,
      );
    });

    it('takes sortOrder as another name of sort', async () => {
      const { app, path, list } = await filled();
      for (const sort of SORTS) {
        const expected = await list(`?sort=${sort}`);
        expect(await list(`?sortOrder=${sort}`)).toEqual(expected);
        expect(await list(`?sort=${sort}&sortOrder=${sort}`)).toEqual(expected);
      }
      expectProblem(await app.send('GET', `${path}?sort=Gain&sortOrder=Quantity`), 'ValidationFailed', {
        pointers: ['?sortOrder'],
      });
      for (const name of ['sort', 'sortOrder']) {
        expectProblem(await app.send('GET', `${path}?${name}=Name`), 'ValidationFailed', {
          pointers: [`?${name}`],
        });
      }
    });

    it('is in pages, in every order', async () => {
      const { app, path } = await filled();
      for (const sort of SORTS) await expectPagination(app, `${path}?sort=${sort}`);
    });

    it('is empty for a new collection, and not found for a missing one', async () => {
      const { list, app } = await newApp();
      expect(await list()).toEqual([]);
      expectProblem(await app.send('GET', `/collection/${NO_COLLECTION}/transaction-summary`), 'NotFound');
    });
  });
});
