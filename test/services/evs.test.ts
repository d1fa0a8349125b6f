import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { type Kind, newTestApp, ownDatabase, type TestApp } from '../harness.ts';
import { importPrices } from '../support/import-prices.ts';

interface Ev {
  setType: string;
  productType: string;
  releaseDate: string;
  packsPerBox: number;
  evRatio: number | null;
  currentEstimatedValue: { value: number };
  marketPrice: { value: number };
  history: { date: string; estimatedValue: { value: number }; marketPrice: { value: number } }[];
  breakdown: {
    distribution: Record<
      'mean' | 'median' | 'p5' | 'p25' | 'p75' | 'p95' | 'standardError',
      { value: number }
    > & {
      probabilityToBeatMarketPrice: number;
      samples: number;
    };
  };
}

const QUERY = `{ productEvs(first: 100) { nodes {
  setType productType releaseDate packsPerBox evRatio currentEstimatedValue { value } marketPrice { value }
  history(from: "2026-04-01", to: "2026-04-14") { date estimatedValue { value } marketPrice { value } }
  breakdown { distribution {
    mean { value } median { value } p5 { value } p25 { value } p75 { value } p95 { value } standardError { value }
    probabilityToBeatMarketPrice samples } }
} } }`;

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`expected values (${kind})`, () => {
    let db: OpenDatabase;
    let app: TestApp;
    const read = async () => (await app.graphql<{ productEvs: { nodes: Ev[] } }>(QUERY)).productEvs.nodes;

    beforeAll(async () => {
      db = await ownDatabase(kind);
      app = await newTestApp(db);
    });
    afterAll(() => db.close());

    it('are there for 25 set types of 20 sets, in packs, boxes and cases', async () => {
      const evs = await read();
      expect(evs).toHaveLength(75);
      expect(new Set(evs.map(({ setType }) => setType)).size).toBe(25);
      for (const ev of evs) {
        expect(ev.releaseDate).toMatch(/^20\d\d-\d\d-\d\d$/);
        expect(ev.packsPerBox).toBe(24);
        expect(ev.evRatio).toBeCloseTo(ev.currentEstimatedValue.value / ev.marketPrice.value, 2);
      }
    });

    it('have a spread whose mean agrees with them', async () => {
      for (const { productType, currentEstimatedValue, marketPrice, breakdown } of await read()) {
        const spread = breakdown.distribution;
        const error = Math.abs(spread.mean.value - currentEstimatedValue.value);
        expect(error).toBeLessThanOrEqual(4.5 * spread.standardError.value + 0.01);
        const quantiles = [spread.p5, spread.p25, spread.median, spread.p75, spread.p95].map(
          ({ value }) => value,
        );
        expect(quantiles).toEqual([...quantiles].sort((a, b) => a - b));
        expect(spread.samples).toBe(productType === 'CASE' ? 2500 : 10_000);
        if (spread.p95.value < marketPrice.value)
          expect(spread.probabilityToBeatMarketPrice).toBeLessThanOrEqual(0.05);
        if (spread.p5.value > marketPrice.value)
          expect(spread.probabilityToBeatMarketPrice).toBeGreaterThanOrEqual(0.95);
      }
    });

    it('are computed again with an import, which their history shows', async () => {
      const before = (await read()).find(
        ({ setType, productType }) => setType === 'Out' && productType === 'BOX',
      )!;
      expect(before.history).toEqual([
        { date: '2026-04-13', estimatedValue: before.currentEstimatedValue, marketPrice: before.marketPrice },
      ]);
      const prices = await db.query<{ variantId: string; currency: string; amount: string }>(
        `select p.variant_id as "variantId", p.currency, (p.amount * 2)::text as amount
         from price p join variant v on v.id = p.variant_id where v.set_code = 'OUT' and p.amount is not null`,
      );
      await importPrices(db, prices, '2026-04-14', { version: 'doubled', isSample: true }, noProgress);
      const after = (await read()).find(
        ({ setType, productType }) => setType === 'Out' && productType === 'BOX',
      )!;
      expect(after.currentEstimatedValue.value).toBeCloseTo(2 * before.currentEstimatedValue.value, 1);
      expect(after.breakdown.distribution.mean.value).toBeGreaterThan(
        before.breakdown.distribution.mean.value * 1.9,
      );
      expect(after.history.map(({ date }) => date)).toEqual(['2026-04-13', '2026-04-14']);
      expect(after.history[0]).toEqual(before.history[0]);
    });
  });
}
