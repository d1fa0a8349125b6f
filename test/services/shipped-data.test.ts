import { beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { MARKET_DATA, type MarketDataRow } from '../../src/db/queries/market-data.ts';
import { PRICES_WITHOUT_PAST } from '../../src/db/queries/sample-past.ts';
import { lackingData, loadShippedData } from '../../src/first-run.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { importSaleVolumes } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { importSamplePrices, loadSamplePast } from '../../src/services/market/sample-past.ts';
import { sampleData } from '../../src/services/market/state.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { interrupted } from '../support/interrupted.ts';

const TODAY = '2026-04-13';

describeOnOwnDatabases('shipped exchange rates', (database) => {
  let db: OpenDatabase;
  let ctx: Context;
  let collectionId: string;

  const load = () => loadShippedData(db, { samplesSince: TODAY, today: TODAY, progress: noProgress });
  const recorded = async () =>
    (await db.query<MarketDataRow>(MARKET_DATA)).find(({ kind }) => kind === 'rates')!;
  const earliest = async () =>
    (await db.query<{ day: string }>('select min(day)::text as day from fx_rate'))[0]!.day;
  const invested = async () => (await getCollection(ctx, collectionId)).invested;

  /** As a release left it that shipped the rates of the last day alone. */
  async function takeHistory(version: string): Promise<void> {
    await db.query('delete from fx_rate where day < $1::date', [TODAY]);
    await db.query(`update market_data set version = $1, is_sample = true where kind = 'rates'`, [version]);
  }

  beforeAll(async () => {
    db = database();
    ctx = await newAccount(db);
    collectionId = (await createCollection(ctx, { name: 'Binder' })).id;
    const [variantId] = await pricedVariants(db, 1);
    const bought = { occurredDate: '2021-03-01', unitAmount: { currency: 'EUR', value: 100 } };
    await createTransaction(ctx, collectionId, entry(variantId!, bought));
  });

  it('come to a database that has those of one day, and a purchase of 2021 is converted at the rate of its own', async () => {
    await takeHistory('shipped');
    expect(await invested()).toMatchObject({ amount: '116.84' });
    expect(await lackingData(db, true)).toEqual(['rates']);
    await load();
    expect(await earliest()).toBe('2018-12-31');
    expect(await recorded()).toMatchObject({ isSample: false, newestDay: TODAY });
    expect(await lackingData(db, true)).toEqual([]);
    expect(await invested()).toMatchObject({ amount: '120.53' });
  });

  it('leave alone what an operator has imported', async () => {
    await takeHistory('eurofxref-hist-90d.csv');
    expect(await lackingData(db, true)).toEqual([]);
    await load();
    expect(await earliest()).toBe(TODAY);
  });
});

describeOnOwnDatabases('sample prices', (database) => {
  const without = (kind: string) => database().query('delete from market_data where kind = $1', [kind]);
  const lacking = () => lackingData(database(), true);

  it('come with the next start where the first one was ended behind the sales', async () => {
    await without('prices');
    expect(await lacking()).toEqual(['prices']);
    await loadShippedData(database(), { samplesSince: TODAY, today: TODAY, progress: noProgress });
    expect(await lacking()).toEqual([]);
  });

  it('get no past where real ones come meanwhile', async () => {
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const rows = [{ variantId, currency: 'USD', amount: '7' }];
    const real = { version: 'prices.csv', isSample: false };
    const db = interrupted(database(), PRICES_WITHOUT_PAST, () =>
      importPrices(database(), rows, TODAY, real, noProgress),
    );
    await loadSamplePast(db, [variantId], '2026-04-01');
    const known = await database().query<{ day: string; amount: string }>(
      'select day::text as day, amount from price_history where variant_id = $1',
      [variantId],
    );
    expect(known).toEqual([{ day: TODAY, amount: '7' }]);
    expect(await sampleData(database())).toBe('sale volumes');
  });

  it('do not come in place of real ones that were imported since they were found to lack', async () => {
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const real = { version: 'prices.csv', isSample: false };
    const rows = [{ variantId, currency: 'USD', amount: '7' }];
    const past = { day: TODAY, since: TODAY, releases: new Map() };
    const sales = [{ variantId, daily: [1] }];
    await importPrices(database(), rows, TODAY, real, noProgress);
    await importSaleVolumes(database(), sales, TODAY, real, noProgress);
    const made = { version: 'sample', isSample: true };
    await expect(importSamplePrices(database(), rows, past, made, noProgress)).rejects.toThrow(
      `prices of ${TODAY} are made up, and real ones are loaded`,
    );
    await expect(importSaleVolumes(database(), sales, TODAY, made, noProgress)).rejects.toThrow(
      `sales of ${TODAY} are made up, and real ones are loaded`,
    );
  });

  it('do not come to sales that an operator has imported', async () => {
    await without('prices');
    await database().query(
      `update market_data set version = 'sales.csv', is_sample = false where kind = 'sales'`,
    );
    expect(await lacking()).toEqual([]);
  });
});

describeOnOwnDatabases('made-up market data', (database) => {
  it('is told of as what it is', async () => {
    const db = database();
    const real = (kind: string) =>
      db.query('update market_data set is_sample = false where kind = $1', [kind]);
    expect(await sampleData(db)).toBe('prices, sale volumes and expected values');
    await real('sales');
    expect(await sampleData(db)).toBe('prices and expected values');
    await real('prices');
    expect(await sampleData(db)).toBeNull();
    await db.query(`update market_data set is_sample = true where kind = 'sales'`);
    expect(await sampleData(db)).toBe('sale volumes');
  });
});
