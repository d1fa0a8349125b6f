import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { addDays } from '../../src/domain/dates.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { joinedRows } from '../../src/importers/import-file.ts';
import { readTcgcsv } from '../../src/importers/tcgcsv.ts';
import { heldCatalogue } from '../../src/memory/memory.ts';
import { projectPath } from '../../src/paths.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { importCatalogue } from '../../src/services/market/import-catalogue.ts';
import { importVendorPrices } from '../../src/services/market/import-vendor-prices.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { type Kind, NOW, newTestApp, ownDatabase, type TestApp } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { isLeftToPostgres } from '../support/left-to-postgres.ts';
import { digestsOf, fixture, sourceWith } from './support.ts';

const DAY = '2026-04-13';
const SOURCE = { version: 'test', isSample: false };
const TUNIC = 225211;
/** All that an import of prices can change. */
const PRICE_TABLES = ['price', 'price_history', 'market_data', 'product_ev', 'product_ev_history', 'product'];

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(
    `importing the vendor's prices (${kind})`,
    () => {
      const isLeft = isLeftToPostgres(kind);
      let db: OpenDatabase;
      let app: TestApp;
      beforeAll(async () => {
        db = await ownDatabase(kind);
        app = await newTestApp(db);
        expect(await held()).not.toBeNull();
      });
      afterAll(() => db.close());

      const held = () => heldCatalogue({ db, now: () => NOW });
      const load = async (
        files: Parameters<typeof readTcgcsv>[0][],
        { day = DAY, dryRun = false, progress = noProgress } = {},
      ) => {
        const read = [];
        for (const file of files) read.push(await readTcgcsv(file));
        const prices = joinedRows(read.map((file) => file.prices));
        const sealed = new Map(read.flatMap((file) => [...file.sealed]));
        return importVendorPrices(db, { prices, sealed, day }, SOURCE, progress, { dryRun });
      };
      const FILES = ['tcgcsv/prices.json', 'tcgcsv/products.json', 'tcgcsv/ProductsAndPrices.csv'].map(
        fixture,
      );
      const priceOf = async (vendorProductId: number, name: string) => {
        const [row] = await db.query<{ amount: string | null; currency: string; day: string }>(
          `select p.amount, p.currency, p.as_of::text as day from price p join variant v on v.id = p.variant_id
         join product r on r.id = v.product_id where r.vendor_product_id = $1 and v.name = $2`,
          [vendorProductId, name],
        );
        return row;
      };
      const historyOf = (vendorProductId: number, name: string) =>
        db.query<{ day: string; amount: string | null }>(
          `select h.day::text as day, h.amount from price_history h join variant v on v.id = h.variant_id
         join product r on r.id = v.product_id where r.vendor_product_id = $1 and v.name = $2 order by h.day`,
          [vendorProductId, name],
        );
      const count = async (table: string) =>
        (await db.query<{ n: number }>(`select count(*) as n from ${table}`))[0]!.n;
      const everything = () => digestsOf(db, PRICE_TABLES);
      const collection = async () => {
        const { body } = await app.send('POST', '/collection', { name: 'Mine' });
        const [variant] = await db.query<{ id: string }>(
          `select v.id from variant v join product p on p.id = v.product_id where p.vendor_product_id = ${TUNIC} order by position`,
        );
        await app.send('POST', `/collection/${body.collectionId}/transaction`, {
          variantId: variant!.id,
          occurredDate: DAY,
          action: 'Purchase',
          quantity: 2,
          unitAmount: { currency: 'USD', value: 1 },
        });
        return () =>
          // On a slow machine the database may be busy for longer than a request waits.
          eventually(async () => {
            const answer = await app.send('GET', `/collection/${body.collectionId}`);
            expect(answer.status, JSON.stringify(answer.body)).toBe(200);
            return answer.body.marketValue.value;
          });
      };

      it.skipIf(isLeft)('undoes a dry run, and a file that turns out to be broken', async () => {
        const value = await collection();
        const before = [await everything(), await value()];
        const summary = await load(FILES, { dryRun: true });
        expect(summary).toMatchObject({ added: 14, samplesRemoved: true });
        expect([await everything(), await value()]).toEqual(before);
        const twice = sourceWith(
          'productId,subTypeName,marketPrice\n225211,1st Edition Cold Foil,1\n225037,1st Edition Normal,2\n225211,1st Edition Cold Foil,3\n',
          'twice.csv',
        );
        await expect(load([twice])).rejects.toThrow(
          'twice.csv, line 4: product 225211, 1st Edition Cold Foil is there twice.',
        );
        await expect(load([FILES[0]!, FILES[0]!])).rejects.toThrow('is there twice');
        expect([await everything(), await value()]).toEqual(before);
      });

      it('refuses files without a price for any variant, and keeps what is there', async () => {
        const before = await digestsOf(db, PRICE_TABLES);
        const day = addDays(DAY, 1);
        const importing = importVendorPrices(db, { prices: [], sealed: new Map(), day }, SOURCE, noProgress);
        await expect(importing).rejects.toThrow(
          'the files have no price of a variant of the catalogue: they have no row',
        );
        const unknown = sourceWith(
          'productId,name,subTypeName,marketPrice\n99999999,A,Normal,1\n',
          'none.csv',
        );
        await expect(load([unknown], { day })).rejects.toThrow('all 1 rows are left out, the first as ');
        expect(await digestsOf(db, PRICE_TABLES)).toEqual(before);
      });

      it('replaces all sample prices by the first real ones, and reports what is not in the catalogue', async () => {
        const value = await collection();
        const told: string[] = [];
        const summary = await load(FILES, {
          progress: (label, done, total) => told.push(`${label} ${done}/${total}`),
        });
        expect(summary).toMatchObject({
          added: 14,
          changed: 0,
          unchanged: 0,
          samplesRemoved: true,
          rejectedCount: 4,
          rejectedBy: { 'unknown product': 2, 'unknown variant': 1, 'no price': 1 },
        });
        expect(summary.rejected).toContainEqual({
          file: FILES[0],
          line: expect.any(Number),
          reason: 'product 225037 has no variant "Alternate Universe Foil" in the catalogue',
        });
        expect(told.at(-1)).toMatch(/^prices \d+\/17$/);
        expect(await count('price')).toBe(14);
        expect(await count('price_history')).toBe(12);
        expect(await db.query('select distinct day::text as day from product_ev_history')).toEqual([
          { day: DAY },
        ]);
        expect(await priceOf(TUNIC, '1st Edition Cold Foil')).toEqual({
          amount: '3899.95',
          currency: 'USD',
          day: DAY,
        });
        expect(await priceOf(225037, 'Unlimited Edition Normal')).toMatchObject({ amount: null });
        expect(await value()).toBe(7799.9);
        expect((await diagnose(db, { fix: false })).differences).toEqual([]);
      });

      it('links sealed products by their names, and gives them prices', async () => {
        const [box] = await db.query<{ id: string; image_url: string }>(
          'select * from product where vendor_product_id = 640001',
        );
        expect(box).toMatchObject({
          sealed_set_type: 'Out',
          sealed_product_type: 'Box',
          image_url: 'https://tcgplayer-cdn.tcgplayer.com/product/640001_200w.jpg',
        });
        const catalogue = await vi.waitUntil(held, 10_000);
        expect(catalogue.product(box!.id)).toMatchObject({
          vendorProductId: 640001,
          imageUrl: box!.image_url,
        });
        const { body } = await app.send('GET', '/ev/list?productType=Box&pageSize=200');
        const prices = Object.fromEntries(
          body.results.map((ev: { setType: string; marketPrice: { value: number } }) => [
            ev.setType,
            ev.marketPrice.value,
          ]),
        );
        expect(prices).toMatchObject({
          Out: 74.5,
          WtrUnlimitedEdition: 155.25,
          Wtr1stEdition: 4999.99,
          Dtd: 0,
        });
        const breakdown = (await app.send('GET', '/ev/breakdown?setType=Out&productType=Box')).body;
        expect(breakdown.warning).not.toMatch(/sample/i);
      });

      it.skipIf(isLeft)('keeps the links and pictures when the catalogue is loaded again', async () => {
        const before = await everything();
        const catalogue = await readCatalogueFile(projectPath('data/catalogue.json.gz'));
        const { products, variants } = await importCatalogue(db, catalogue, noProgress);
        expect([products.added, products.changed, variants.added, variants.changed]).toEqual([0, 0, 0, 0]);
        expect((await everything()).product).toEqual(before.product);
      });

      it('changes nothing the second time, on that day or a later one', async () => {
        const before = await everything();
        for (const day of [DAY, addDays(DAY, 1)]) {
          expect(await load(FILES, { day })).toMatchObject({
            added: 0,
            changed: 0,
            unchanged: 14,
            samplesRemoved: false,
          });
          const { price, price_history } = await everything();
          expect({ ...before, price, price_history }).toEqual(before);
        }
      });

      it('keeps a row of the history for each change, and prices that a file does not have', async () => {
        const day = addDays(DAY, 2);
        const file = sourceWith(
          'productId,subTypeName,marketPrice\n225211,1st Edition Cold Foil,4000\n225037,1st Edition Normal,\n',
        );
        expect(await load([file], { day })).toMatchObject({ added: 0, changed: 2, unchanged: 0 });
        expect(await historyOf(TUNIC, '1st Edition Cold Foil')).toEqual([
          { day: DAY, amount: '3899.95' },
          { day, amount: '4000' },
        ]);
        expect(await historyOf(225037, '1st Edition Normal')).toEqual([
          { day: DAY, amount: '0.35' },
          { day, amount: null },
        ]);
        expect(await priceOf(225037, '1st Edition Rainbow Foil')).toMatchObject({ amount: '4.2', day: DAY });
        expect((await diagnose(db, { fix: false })).differences).toEqual([]);
      });

      it('refuses a day before the newest', async () => {
        const before = await everything();
        await expect(load(FILES, { day: DAY })).rejects.toThrow(
          'prices of 2026-04-13 are older than those that are loaded, of 2026-04-15',
        );
        expect(await everything()).toEqual(before);
      });

      it('lists the first hundred rows that are left out, and counts all', async () => {
        const rows = Array.from({ length: 150 }, (_, i) => `${900_000_000 + i},Normal,1`);
        const file = sourceWith(
          `productId,subTypeName,marketPrice\n${rows.join('\n')}\n${TUNIC},1st Edition Cold Foil,1\n`,
          'many.csv',
        );
        const summary = await load([file], { day: addDays(DAY, 2) });
        expect(summary.rejectedCount).toBe(150);
        expect(summary.rejected).toHaveLength(100);
        expect(summary.rejected[99]).toEqual({
          file: 'many.csv',
          line: 101,
          reason: 'product 900000099 is not in the catalogue',
        });
      });

      it('does not link a sealed product that two names fit', async () => {
        const file = sourceWith(
          `productId,name,subTypeName,marketPrice\n650001,Dynasty Booster Box,Normal,70\n650002,Dynasty - Booster Box,Normal,80\n650003,Monarch Booster Box,Normal,90\n${TUNIC},Tunic,1st Edition Cold Foil,1\n`,
        );
        const summary = await load([file], { day: addDays(DAY, 2) });
        expect(summary.rejectedBy).toEqual({ 'unknown product': 3 });
      });
    },
  );
}
