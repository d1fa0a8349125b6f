import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { readFabCube } from '../../src/importers/fab-cube.ts';
import { importFabCube } from '../../src/services/market/import-catalogue.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { type Kind, ownDatabase } from '../harness.ts';
import { digestsOf, fixture, sourceWith, textOfFixture } from './support.ts';

const FILES = ['card', 'card-printing', 'card-face-association', 'set', 'set-printing'].map((name) =>
  fixture(`fab-cube/${name}.csv`),
);
const NOTHING = { added: 0, changed: 0, rejectedCount: 0 };

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`importing the-fab-cube (${kind})`, () => {
    let db: OpenDatabase;
    let shipped: { version: string; revision: number } | undefined;
    beforeAll(async () => {
      db = await ownDatabase(kind);
      [shipped] = await catalogueData();
    });
    afterAll(() => db.close());

    const load = async (files: Parameters<typeof readFabCube>[0], dryRun = false) =>
      importFabCube(db, await readFabCube(files), noProgress, { dryRun });
    const catalogueData = () =>
      db.query<{ version: string; revision: number }>(
        `select version, revision from market_data where kind = 'catalogue'`,
      );
    const everything = () => digestsOf(db, ['product', 'variant', 'market_data']);
    const productsWith = (code: string) =>
      db.query<{ id: string; vendor: number | null; variant: string; name: string }>(
        `select p.id, p.vendor_product_id as vendor, v.id as variant, v.name from variant v
         join product p on p.id = v.product_id where v.fc_id = $1`,
        [code],
      );

    it('undoes a dry run', async () => {
      const before = await everything();
      const { products, variants } = await load(FILES, true);
      expect(products).toMatchObject({ added: 2, changed: 1, unchanged: 6 });
      expect(variants).toMatchObject({ added: 2, changed: 0 });
      expect(await everything()).toEqual(before);
    });

    it('adds a new set, and keeps the id of a card that the vendor lists now', async () => {
      const [before] = await productsWith('OMN100');
      expect(before!.vendor).toBeNull();
      await load(FILES);
      expect(await productsWith('OMN100')).toEqual([{ ...before, vendor: 699100 }]);
      expect(await productsWith('HBR001')).toMatchObject([{ vendor: 700001, name: 'Normal' }]);
    });

    it('keeps the version of the shipped catalogue, so that a newer one still replaces it', async () => {
      const [row] = await catalogueData();
      expect(row!.version).toMatch(/^shipped /);
      expect(row!.revision).toBeGreaterThan(shipped!.revision);
    });

    it('changes nothing the second time', async () => {
      const before = await everything();
      const { products, variants } = await load(FILES);
      expect([products, variants]).toMatchObject([NOTHING, NOTHING]);
      const { product, variant } = await everything();
      expect({ ...before, product, variant }).toEqual(before);
    });

    it('leaves out a printing whose code belongs to another product', async () => {
      const printings = textOfFixture('fab-cube/card-printing.csv').replaceAll('\t225037', '\t900037');
      const before = await everything();
      const { variants } = await load([FILES[0]!, sourceWith(printings), ...FILES.slice(2)]);
      expect(variants).toMatchObject({
        added: 0,
        changed: 0,
        rejectedBy: { 'code of another product': 4 },
        rejected: [
          {
            file: null,
            line: null,
            reason: expect.stringContaining('Savage Swing (Red): the code WTR020-Alpha'),
          },
          {},
          {},
          {},
        ],
      });
      expect((await everything()).product).toBe(before.product);
    });
  });
}
