import { beforeAll, beforeEach, expect, it } from 'vitest';
import { marketChanged } from '../../../src/memory/memory.ts';
import { createCollection } from '../../../src/services/collections/create.ts';
import { getCollection } from '../../../src/services/collections/get.ts';
import { createPriceAlert } from '../../../src/services/price-alerts/create.ts';
import { createTransactions } from '../../../src/services/transactions/create.ts';
import { describeOnOwnDatabases } from '../../harness.ts';
import { contextOf, entry } from '../../support/furnished.ts';
import { commitPrices, importDay, smallCatalogue, untilHeld } from '../../support/price-days.ts';
import { startServer, subscribe } from './support.ts';

const DAYS = ['2026-04-13', '2026-04-14'] as const;

/** A node that holds the market of before an import, and has not heard of it. */
describeOnOwnDatabases('an event in the second after an import', (database) => {
  let variantId: string;

  beforeAll(async () => {
    [variantId] = (await smallCatalogue(database(), 1)) as [string];
  });
  beforeEach(async () => {
    await commitPrices(database(), DAYS[0], { [variantId]: '3' });
    marketChanged(database());
  });

  const start = async () => {
    const server = await startServer(database());
    const ctx = contextOf(database(), server.app);
    const { id } = await createCollection(ctx, { name: 'Followed' });
    await createTransactions(ctx, id, [entry(variantId, { quantity: 2 })]);
    await untilHeld(ctx);
    return { server, ctx, id };
  };
  const follow = async (server: Awaited<ReturnType<typeof startServer>>, id: string, query: string) => {
    const subscription = subscribe(server, id, { query });
    await subscription.connected;
    return subscription;
  };
  const FIELDS = `collection { marketValue { value }
    transactionSummaries(sort: MARKET_VALUE) { nodes { marketValue { value } variant { marketPrice { value } } } } }`;
  const CHANGES = `subscription ($id: ID!) { collectionChanged(id: $id) { kind ${FIELDS} } }`;
  const worth = (kind: string, cards: number, price: number) => {
    const marketValue = { value: cards * price };
    return {
      kind,
      collection: {
        marketValue,
        transactionSummaries: { nodes: [{ marketValue, variant: { marketPrice: { value: price } } }] },
      },
    };
  };

  it('of a collection shows it by one market, whatever happened to it', async () => {
    const { server, ctx, id } = await start();
    const subscription = await follow(server, id, CHANGES);
    await createTransactions(ctx, id, [entry(variantId)]);
    await subscription.until(1);
    await commitPrices(database(), DAYS[0], { [variantId]: '10' });
    await createTransactions(ctx, id, [entry(variantId)]);
    // The change, and the value that is made anew, before it or behind it.
    await subscription.until(3);
    await commitPrices(database(), DAYS[0], { [variantId]: '20' });
    await getCollection(ctx, id);
    await subscription.until(4);
    const changes = subscription.changes();
    expect(changes[0]).toEqual(worth('TRANSACTIONS_CREATED', 3, 3));
    const [second, third] = changes.slice(1, 3);
    expect([
      [worth('TRANSACTIONS_CREATED', 4, 10), worth('REVALUED', 4, 10)],
      [worth('REVALUED', 3, 10), worth('TRANSACTIONS_CREATED', 4, 10)],
    ]).toContainEqual([second, third]);
    expect(changes[3]).toEqual(worth('REVALUED', 4, 20));
  });

  it('of an alert shows the price by which it fired', async () => {
    const { server, ctx } = await start();
    const amount = { currency: 'USD', value: 5 };
    await createPriceAlert(ctx, { targetId: variantId, condition: 'Above', amount });
    const fields = 'lastTrigger { value { value } } target { ... on Variant { marketPrice { value } } }';
    const subscription = await follow(server, '', `subscription { priceAlertTriggered { ${fields} } }`);
    await importDay(database(), DAYS[1], { [variantId]: '7' });
    const [result] = await subscription.until(1);
    expect(result!.data).toEqual({
      priceAlertTriggered: {
        lastTrigger: { value: { value: 7 } },
        target: { marketPrice: { value: 7 } },
      },
    });
  });
});
