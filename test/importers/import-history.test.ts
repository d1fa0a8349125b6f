import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/dates.ts';
import { joinedRows } from '../../src/importers/import-file.ts';
import { readPriceHistory } from '../../src/importers/price-history.ts';
import { readTcgcsv } from '../../src/importers/tcgcsv.ts';
import { importHistories, mergedVolumes } from '../../src/services/market/import-history.ts';
import { type PriceStep, replacedSteps } from '../../src/services/market/import-steps.ts';
import { importVendorPrices } from '../../src/services/market/import-vendor-prices.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { describeOnOwnDatabases, newTestApp } from '../harness.ts';
import { digestsOf, fixture, sourceWith } from './support.ts';

const SOURCE = { version: 'test', isSample: false };
const START = '2026-01-01';
const TABLES = ['sale_volumes', 'price_history', 'market_data', 'price', 'product_ev'];

describe('steps of a price', () => {
  const day = (number: number) => addDays(START, number);
  const step = (number: number, amount: number | null): PriceStep => ({
    day: day(number),
    currency: 'USD',
    amount: amount === null ? null : String(amount),
  });
  const at = (steps: readonly PriceStep[], number: number) =>
    steps.findLast((known) => known.day <= day(number))?.amount;

  it('of the new days replace the old ones, and other days keep theirs', () => {
    const stepsOf = (first: number, length: number) =>
      fc
        .uniqueArray(fc.integer({ min: first, max: first + length - 1 }), { minLength: 1, maxLength: 6 })
        .chain((days) =>
          fc.tuple(
            ...days
              .sort((a, b) => a - b)
              .map((number) => fc.integer({ min: 1, max: 3 }).map((amount) => step(number, amount))),
          ),
        );
    fc.assert(
      fc.property(stepsOf(0, 30), stepsOf(5, 15), fc.integer({ min: 0, max: 3 }), (old, fresh, more) => {
        const known = 40;
        const first = fresh[0]!.day;
        const last = addDays(fresh.at(-1)!.day, more);
        const around = old.filter(
          (s) => s.day <= addDays(last, 1) && (s.day >= first || s === old.findLast((o) => o.day < first)),
        );
        const kept = old.filter((s) => s.day < first || s.day > last);
        const replaced = replacedSteps(around, fresh, last, day(known));
        const after = [...kept, ...replaced].sort((a, b) => (a.day < b.day ? -1 : 1));
        expect(new Set(after.map((s) => s.day)).size).toBe(after.length);
        for (let number = 0; number < known; number++) {
          const isFresh = day(number) >= first && day(number) <= last;
          const wanted = at(isFresh ? fresh : old, number);
          // Before its first known day the old price says nothing, and the new one goes on.
          const isUnknown = !isFresh && wanted === undefined && day(number) > last;
          expect(at(after, number)).toBe(isUnknown ? at(fresh, number) : wanted);
        }
      }),
    );
  });

  it('go on with the new price after the last day that was known', () => {
    expect(replacedSteps([step(0, 1)], [step(5, 2)], day(5), day(5))).toEqual([step(5, 2)]);
    expect(replacedSteps([step(0, 1)], [step(5, 2)], day(5), null)).toEqual([step(5, 2)]);
    expect(replacedSteps([step(0, 1)], [step(5, 2)], day(5), day(6))).toEqual([step(5, 2), step(6, 1)]);
    expect(replacedSteps([step(0, 1)], [step(5, 1)], day(5), day(9))).toEqual([]);
  });
});

describe('sale volumes', () => {
  const bucket = (day: string, sold: number) => ({ day, sold, price: null });

  it('are those of 30 days, a bucket replacing what was known of its day', () => {
    const { through, daily } = mergedVolumes({ through: '2026-04-10', daily: [1, 2, 3] }, [
      bucket('2026-04-09', 7),
      bucket('2026-04-12', 9),
    ]);
    expect(through).toBe('2026-04-12');
    expect(daily).toHaveLength(30);
    expect(daily.slice(-6)).toEqual([0, 1, 7, 3, 0, 9]);
  });

  it('are not moved back by an older file', () => {
    const stored = { through: '2026-04-10', daily: [5] };
    expect(mergedVolumes(stored, [bucket('2026-04-08', 2)])).toMatchObject({ through: '2026-04-10' });
    expect(mergedVolumes(stored, [bucket('2026-04-08', 2)]).daily.slice(-3)).toEqual([2, 0, 5]);
    expect(mergedVolumes(stored, [bucket('2025-01-01', 2)]).daily.slice(-3)).toEqual([0, 0, 5]);
  });
});

describeOnOwnDatabases('importing price histories', (database) => {
  const FILE = fixture('price-history/488423.json');
  const QUARTER = fixture('price-history/488423-quarter.json');
  const load = async (files: string[], dryRun = false) => {
    const histories = joinedRows(await Promise.all(files.map((file) => readPriceHistory(file, 488423))));
    return importHistories(database(), histories, SOURCE, noProgress, { dryRun });
  };
  const everything = () => digestsOf(database(), TABLES);
  const history = () =>
    database().query<{ day: string; amount: string }>(
      `select h.day::text as day, h.amount from price_history h join variant v on v.id = h.variant_id
         join product p on p.id = v.product_id where p.vendor_product_id = 488423 and v.name = 'Normal' order by day`,
    );

  it('undoes a dry run', async () => {
    const before = await everything();
    expect((await load([FILE], true)).saleVolumes.added).toBe(2);
    expect(await everything()).toEqual(before);
  });

  it('replaces sample sales and the history of sample prices, and reports unknown variants', async () => {
    const { saleVolumes, priceHistory } = await load([FILE]);
    expect(saleVolumes).toMatchObject({ added: 2, changed: 0, rejectedBy: { 'unknown variant': 1 } });
    expect(priceHistory).toEqual({ added: 3, changed: 0, unchanged: 0 });
    expect(await history()).toEqual([
      { day: '2026-04-08', amount: '4.5' },
      { day: '2026-04-10', amount: '4.75' },
      { day: '2026-04-11', amount: '4.5' },
    ]);
    const [{ n }] = (await database().query('select count(*) as n from sale_volumes')) as [{ n: number }];
    expect(n).toBe(2);
    const app = await newTestApp(database());
    const [product] = await database().query<{ id: string }>(
      'select id from product where vendor_product_id = 488423',
    );
    const { variants } = (await app.send('GET', `/product/${product!.id}`)).body;
    const volumes = Object.fromEntries(
      variants.map((v: { variantName: string; saleVolumes: number[] }) => [v.variantName, v.saleVolumes]),
    );
    expect(volumes.Normal).toHaveLength(30);
    expect(volumes.Normal.slice(-6)).toEqual([0, 1, 1, 3, 0, 2]);
    expect(volumes['Rainbow Foil'].slice(-3)).toEqual([0, 3, 3]);
    expect(volumes['Cold Foil']).toEqual(Array(30).fill(0));
  });

  it('changes nothing the second time', async () => {
    const before = await everything();
    const { saleVolumes, priceHistory } = await load([FILE]);
    expect([saleVolumes, priceHistory]).toMatchObject([
      { added: 0, changed: 0, unchanged: 2 },
      { added: 0, changed: 0, unchanged: 3 },
    ]);
    const { market_data, ...after } = await everything();
    expect({ ...after, market_data: before.market_data }).toEqual(before);
  });

  it('takes prices only from longer buckets, and leaves sales and the newer history alone', async () => {
    const sales = (await everything()).sale_volumes;
    const newer = await history();
    const { saleVolumes, priceHistory } = await load([QUARTER]);
    expect(saleVolumes).toMatchObject({ added: 0, changed: 0, rejectedBy: { 'no daily sales': 1 } });
    expect(priceHistory).toMatchObject({ added: 3 });
    expect((await everything()).sale_volumes).toBe(sales);
    expect(await history()).toEqual([
      { day: '2026-03-01', amount: '5' },
      { day: '2026-03-04', amount: '5.5' },
      { day: '2026-03-07', amount: '5' },
      ...newer,
    ]);
  });

  it('goes before the prices that are imported by day, which do not remove it', async () => {
    const file = sourceWith('productId,subTypeName,marketPrice\n488423,Normal,6\n');
    const { prices, sealed } = await readTcgcsv(file);
    const before = await history();
    const summary = await importVendorPrices(
      database(),
      { prices, sealed, day: '2026-04-13' },
      SOURCE,
      noProgress,
    );
    expect(summary).toMatchObject({ added: 1, samplesRemoved: true });
    expect(await history()).toEqual([...before, { day: '2026-04-13', amount: '6' }]);
    const replaced = { bucketStartDate: '2026-04-12', marketPrice: '9', quantitySold: '1' };
    const sku = { variant: 'Normal', condition: 'Near Mint', language: 'English', buckets: [replaced] };
    const rows = await readPriceHistory(sourceWith(JSON.stringify({ result: [sku] })), 488423);
    await importHistories(database(), rows, SOURCE, noProgress);
    expect((await history()).slice(-2)).toEqual([
      { day: '2026-04-12', amount: '9' },
      { day: '2026-04-13', amount: '6' },
    ]);
  });

  it('leaves the days behind one that is imported by day as they were known, into the next year too', async () => {
    const importDay = async (day: string, amount: string) => {
      const file = sourceWith(`productId,subTypeName,marketPrice\n488423,Normal,${amount}\n`);
      await importVendorPrices(database(), { ...(await readTcgcsv(file)), day }, SOURCE, noProgress);
    };
    const importBucket = async (day: string, marketPrice: string, days: number) => {
      const buckets = Array.from({ length: days }, (_, i) => ({
        bucketStartDate: addDays(day, i),
        marketPrice,
        quantitySold: '1',
      }));
      const sku = { variant: 'Normal', condition: 'Near Mint', language: 'English', buckets };
      const rows = await readPriceHistory(sourceWith(JSON.stringify({ result: [sku] })), 488423);
      await importHistories(database(), rows, SOURCE, noProgress);
    };
    const since = async (first: string) => (await history()).filter(({ day }) => day >= first);
    await importDay('2026-06-01', '10');
    await importBucket('2026-06-02', '12', 9);
    await importDay('2026-06-06', '10');
    expect(await since('2026-06-01')).toEqual([
      { day: '2026-06-01', amount: '10' },
      { day: '2026-06-02', amount: '12' },
      { day: '2026-06-06', amount: '10' },
      { day: '2026-06-07', amount: '12' },
    ]);
    await importDay('2026-06-10', '11');
    await importBucket('2026-12-30', '13', 4);
    await importDay('2026-12-31', '14');
    expect(await since('2026-06-08')).toEqual([
      { day: '2026-06-10', amount: '11' },
      { day: '2026-12-30', amount: '13' },
      { day: '2026-12-31', amount: '14' },
      { day: '2027-01-01', amount: '13' },
    ]);
  });
});
