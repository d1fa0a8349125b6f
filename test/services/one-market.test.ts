import { expect, it } from 'vitest';
import { importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { describeOnOwnDatabases, newTestApp, pricedVariants } from '../harness.ts';

describeOnOwnDatabases('answers while prices change', (database) => {
  const QUERY = `{
      collections(first: 5) { nodes { marketValue { value } transactionSummaries(first: 5) { nodes {
        quantity marketValue { value } variant { marketPrice { value } } } } } }
      viewer { dashboard { marketValue { value } } }
    }`;
  interface Answer {
    collections: {
      nodes: {
        marketValue: { value: number };
        transactionSummaries: {
          nodes: {
            quantity: number;
            marketValue: { value: number };
            variant: { marketPrice: { value: number } };
          }[];
        };
      }[];
    };
    viewer: { dashboard: { marketValue: { value: number } } };
  }

  async function prepared() {
    const app = await newTestApp(database());
    const [variantId] = await pricedVariants(database(), 1);
    for (const name of ['A', 'B']) {
      const { body } = await app.send('POST', '/collection', { name });
      const path = `/collection/${body.collectionId}`;
      await app.send('PUT', path, { name, valued: true, description: '', pinned: false, image: 0 });
      const unitAmount = { currency: 'USD', value: 1 };
      const entry = {
        variantId,
        occurredDate: '2026-01-31',
        action: 'Purchase',
        quantity: 2,
        unitAmount,
      };
      await app.send('POST', `${path}/transaction`, entry);
    }
    const setPrice = (amount: string) =>
      importPrices(
        database(),
        [{ variantId: variantId!, currency: 'USD', amount }],
        '2026-04-13',
        { version: amount, isSample: true },
        noProgress,
      );
    return { app, setPrice };
  }

  /** Every price that the answer shows, directly or in a value of 2 or 4 cards. */
  function pricesIn({ collections, viewer }: Answer): Set<number> {
    const prices = new Set([viewer.dashboard.marketValue.value / 4]);
    for (const { marketValue, transactionSummaries } of collections.nodes) {
      prices.add(marketValue.value / 2);
      for (const summary of transactionSummaries.nodes) {
        prices.add(summary.marketValue.value / 2).add(summary.variant.marketPrice.value);
      }
    }
    return prices;
  }

  it('are all of the old prices or all of the new ones', { timeout: 120_000 }, async () => {
    const { app, setPrice } = await prepared();
    let isImporting = true;
    const imports = (async () => {
      for (let price = 1; price <= 12; price++) await setPrice(String(price));
      isImporting = false;
    })();
    let answers = 0;
    while (isImporting) {
      expect([...pricesIn(await app.graphql<Answer>(QUERY))]).toHaveLength(1);
      answers++;
    }
    await imports;
    expect(answers).toBeGreaterThan(0);
    expect([...pricesIn(await app.graphql<Answer>(QUERY))]).toEqual([12]);
  });

  it('are of the new prices for a reader who comes before the account had its turn', async () => {
    const { app, setPrice } = await prepared();
    await setPrice('5');
    await database().query(
      `update price set amount = 6 where variant_id = (select min(variant_id) from price where amount is not null)`,
    );
    await database().query(`update market_data set revision = revision + 1 where kind = 'prices'`);
    expect([...pricesIn(await app.graphql<Answer>(QUERY))]).toEqual([6]);
  });
});
