import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { type Entry, graphqlEntry } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

describeOnDatabases('createTransactions', (database) => {
  let app: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    variants = await pricedVariants(database(), 1000);
  });

  const newCollection = async (): Promise<string> =>
    (await mutate(app, 'createCollection', { name: 'Binder' })).collection.id;
  const entries = (count: number, changes: Partial<Entry> = {}) =>
    Array.from({ length: count }, (_, i) => graphqlEntry(variants[i % variants.length]!, changes));
  const stateOf = async (id: string) => {
    const { collection } = await app.graphql<{
      collection: { quantity: number; transactions: { totalCount: number; nodes: { id: string }[] } };
    }>(
      'query ($id: ID!) { collection(id: $id) { quantity transactions(first: 200) { totalCount nodes { id } } } }',
      { id },
    );
    return collection;
  };

  it('records one', async () => {
    const collectionId = await newCollection();
    const result = await mutate(app, 'createTransactions', { collectionId, transactions: entries(1) });
    expect(result).toEqual({
      __typename: 'CreateTransactionsPayload',
      transactions: [{ id: expect.stringMatching(/^txn_/) }],
    });
  });

  it('takes one entry for a list of one, as GraphQL does', async () => {
    const collectionId = await newCollection();
    const result = await mutate(app, 'createTransactions', { collectionId, transactions: entries(1)[0] });
    expect(result.transactions).toHaveLength(1);
  });

  it('records 1,000 in the order given, with their variants and products', async () => {
    const collectionId = await newCollection();
    const { createTransactions } = await app.graphql<{
      createTransactions: { transactions: { id: string; quantity: number; variant: { id: string } }[] };
    }>(
      `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
        ... on CreateTransactionsPayload { transactions { id quantity variant { id product { name } } } } } }`,
      {
        input: {
          collectionId,
          transactions: variants.map((id, i) => graphqlEntry(id, { quantity: i + 1 })),
        },
      },
    );
    const { transactions } = createTransactions;
    expect(transactions.map(({ quantity }) => quantity)).toEqual(variants.map((_, i) => i + 1));
    expect(transactions.map(({ variant }) => variant.id)).toEqual(variants);
    const ids = transactions.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    const state = await stateOf(collectionId);
    expect(state).toMatchObject({ quantity: 500_500, transactions: { totalCount: 1000 } });
    expect(state.transactions.nodes.map(({ id }) => id)).toEqual(ids.slice(0, 200));
  });

  it('sums entries of one variant', async () => {
    const collectionId = await newCollection();
    const bought = Array.from({ length: 300 }, () => graphqlEntry(variants[0]!, { quantity: 3 }));
    const sold = Array.from({ length: 300 }, () => graphqlEntry(variants[0]!, { action: 'Sale' }));
    await mutate(app, 'createTransactions', { collectionId, transactions: [...bought, ...sold] });
    const { collection } = await mutate(app, 'updateCollection', { id: collectionId });
    expect(collection).toMatchObject({
      quantity: 600,
      invested: { decimal: '600.00' },
      profit: { decimal: '0.00' },
      cashPosition: { decimal: '-600.00' },
    });
  });

  describe('all or none', () => {
    it.each([0, 1001])('refuses %i', async (count) => {
      const collectionId = await newCollection();
      expect(await mutate(app, 'createTransactions', { collectionId, transactions: entries(count) })).toEqual(
        {
          __typename: 'ValidationFailed',
          message: 'transactions: must have 1 to 1000 transactions',
          errors: [{ path: ['transactions'], detail: 'must have 1 to 1000 transactions' }],
        },
      );
      expect(await stateOf(collectionId)).toMatchObject({ quantity: 0, transactions: { totalCount: 0 } });
    });

    it('names each value of each entry that breaks a rule', async () => {
      const collectionId = await newCollection();
      const transactions = [
        ...entries(1),
        ...entries(1, { quantity: 0 }),
        ...entries(1, { occurredDate: '2023-02-30', unitAmount: { currency: 'USD', value: -1 } }),
      ];
      const result = await mutate(app, 'createTransactions', { collectionId, transactions });
      expect(result).toMatchObject({
        __typename: 'ValidationFailed',
        errors: [
          { path: ['transactions', '1', 'quantity'] },
          { path: ['transactions', '2', 'occurredDate'] },
          { path: ['transactions', '2', 'unitAmount', 'value'] },
        ],
      });
      expect(await stateOf(collectionId)).toMatchObject({ transactions: { totalCount: 0 } });
    });

    it('names the entry of a day that is too late', async () => {
      const collectionId = await newCollection();
      const transactions = [...entries(1), ...entries(1, { occurredDate: '2026-04-15' })];
      const result = await mutate(app, 'createTransactions', { collectionId, transactions });
      expect(result).toMatchObject({ errors: [{ path: ['transactions', '1', 'occurredDate'] }] });
      expect(await stateOf(collectionId)).toMatchObject({ transactions: { totalCount: 0 } });
    });

    it.each(['var_00000000', 'x', ''])('records none where there is no variant %j', async (variantId) => {
      const collectionId = await newCollection();
      const transactions = [...entries(500), graphqlEntry(variantId), ...entries(499)];
      const result = await mutate(app, 'createTransactions', { collectionId, transactions });
      expect(result).toMatchObject({ __typename: 'NotFound', message: expect.stringContaining('variant') });
      expect(await stateOf(collectionId)).toMatchObject({ quantity: 0, transactions: { totalCount: 0 } });
    });

    it("records none in another account's collection", async () => {
      const stranger = await newTestApp(database());
      const collectionId = await newCollection();
      expect(
        await mutate(stranger, 'createTransactions', { collectionId, transactions: entries(2) }),
      ).toEqual({
        __typename: 'NotFound',
        message: 'The collection does not exist.',
      });
      expect(await stateOf(collectionId)).toMatchObject({ transactions: { totalCount: 0 } });
    });
  });
});
