import { beforeAll, expect, it } from 'vitest';
import { TRANSACTIONS_BY_ID } from '../../src/db/queries/ledger.ts';
import { ALERTS_BY_ID } from '../../src/db/queries/price-alerts.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import type { Context } from '../../src/services/context.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { deletePriceAlert } from '../../src/services/price-alerts/delete.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { interrupted } from '../support/interrupted.ts';

describeOnDatabases('what is deleted between two statements of a query', (database) => {
  let variantId: string;
  let app: TestApp;
  let ctx: Context;
  let collectionId: string;
  let meanwhile: () => Promise<unknown>;

  beforeAll(async () => {
    [variantId] = (await pricedVariants(database(), 1)) as [string];
  });

  async function start(statement: string): Promise<void> {
    app = await newTestApp(interrupted(database(), statement, () => meanwhile()));
    ctx = contextOf(database(), app);
    collectionId = (await createCollection(ctx, { name: 'Short-lived' })).id;
  }
  const answer = async (query: string, id: string) =>
    (await app.send('POST', '/graphql', { query, variables: { id } })).body;

  it.each([
    ['transaction', 'query ($id: ID!) { transaction(id: $id) { id collection { id name } } }'],
    [
      'node',
      'query ($id: ID!) { node(id: $id) { id ... on Transaction { collection { id transactionSummaries { nodes { id } } } } } }',
    ],
  ])('is not there: the collection of a %s', async (field, query) => {
    await start(TRANSACTIONS_BY_ID);
    const { id } = await createTransaction(ctx, collectionId, entry(variantId));
    meanwhile = () => deleteCollection(ctx, collectionId);
    const first = await answer(query, id);
    expect(first).toMatchObject({ data: { [field]: null } });
    expect(first).not.toHaveProperty('errors');
  });

  it('is not there: the alert with its target', async () => {
    await start(ALERTS_BY_ID);
    const { id } = await createPriceAlert(ctx, {
      targetId: collectionId,
      condition: 'Change',
      percent: 5,
      days: 7,
    });
    meanwhile = async () => {
      await deletePriceAlert(ctx, id);
      await deleteCollection(ctx, collectionId);
    };
    const query =
      'query ($id: ID!) { node(id: $id) { ... on PriceAlert { id target { ... on Collection { name } } } } }';
    const first = await answer(query, id);
    expect(first).toMatchObject({ data: { node: null } });
    expect(first).not.toHaveProperty('errors');
  });
});
