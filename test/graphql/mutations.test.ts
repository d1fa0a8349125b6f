import { beforeAll, describe, expect, it } from 'vitest';
import { NO_DETAILS } from '../../src/domain/transactions.ts';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { graphqlEntry, recordWorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

const NO_COLLECTION = { __typename: 'NotFound', message: 'The collection does not exist.' };
const NO_TRANSACTION = { __typename: 'NotFound', message: 'The transaction does not exist.' };
const usd = (decimal: string) => ({ currency: 'USD', value: Number(decimal), decimal });

/** Ids under which an account finds nothing, for each type. */
const missing = (prefix: string) => [
  `${prefix}_00000000000000000000000000`,
  '',
  'x',
  'prd_1',
  `${prefix}_\u0000`,
];

describeOnDatabases('GraphQL mutations', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await newTestApp(database());
    variants = await pricedVariants(database(), 3);
  });

  const newCollection = async (name = 'Binder', of = app): Promise<string> =>
    (await mutate(of, 'createCollection', { name })).collection.id;
  const count = async (of: TestApp) =>
    (
      await of.graphql<{ viewer: { limits: { collectionCount: number } } }>(
        '{ viewer { limits { collectionCount } } }',
      )
    ).viewer.limits.collectionCount;
  const failed = (...errors: [path: string[], detail: string][]) => ({
    __typename: 'ValidationFailed',
    message: errors.map(([path, detail]) => `${path.join('.')}: ${detail}`).join('; '),
    errors: errors.map(([path, detail]) => ({ path, detail })),
  });

  it('have come to their end where a field that is selected of what they give fails, and none behind them begins', async () => {
    const before = await count(app);
    const create = (label: string, input: string, selected: string) =>
      `${label}: createCollection(input: { ${input} }) { __typename ... on CreateCollectionPayload { collection { id ${selected} } } }`;
    const wrong = create('wrong', 'name: ""', '');
    const first = create('first', 'name: "first", idempotencyKey: "first-of-three"', '');
    const second = (selected: string) =>
      create('second', 'name: "second", idempotencyKey: "second-of-three"', selected);
    const third = create('third', 'name: "third", idempotencyKey: "third-of-three"', '');
    const failing = 'transactions(after: "?") { nodes { transactionId } }';
    const operation = (selected: string) => `mutation { ${wrong} ${first} ${second(selected)} ${third} }`;

    const path = ['second', 'collection', 'transactions'];
    for (let sent = 0; sent < 2; sent++) {
      const { body } = await app.send('POST', '/graphql', { query: operation(failing) });
      expect(body).toMatchObject({ data: null, errors: [{ path, extensions: { code: 'BAD_USER_INPUT' } }] });
      expect(body.errors).toHaveLength(1);
      expect(await count(app)).toBe(before + 2);
    }
    expect(await app.graphql(operation(''))).toMatchObject({
      wrong: { __typename: 'ValidationFailed' },
      first: { collection: { id: expect.any(String) } },
      second: { collection: { id: expect.any(String) } },
      third: { collection: { id: expect.any(String) } },
    });
    expect(await count(app)).toBe(before + 3);
  });

  it('take a null within an input for a field that is not given', async () => {
    const collectionId = await newCollection();
    const entry = { variantId: variants[0], occurredDate: '2026-01-31', action: 'PURCHASE', quantity: 1 };
    const decimal = { ...entry, unitAmount: { currency: 'USD', value: null, decimal: '9.99' } };
    const value = { ...entry, unitAmount: { currency: 'USD', value: 9.99, decimal: null } };
    expect(await mutate(app, 'createTransaction', { collectionId, ...decimal })).toMatchObject({
      transaction: { unitAmount: usd('9.99') },
    });
    const transactions = [decimal, value];
    expect(await mutate(app, 'createTransactions', { collectionId, transactions })).toMatchObject({
      __typename: 'CreateTransactionsPayload',
    });
    const columns = { quantity: 'Qty', number: 'No', variantName: 'Kind', fcId: null };
    const csv = 'Qty,No,Kind\n2,MST131,Normal\n';
    const file = { collectionId, csv, columns, occurredDate: '2026-01-31', unitAmount: value.unitAmount };
    expect(await mutate(app, 'importTransactions', file)).toMatchObject({ errors: [], written: true });
  });

  describe('createCollection', () => {
    it('gives a new collection as the contract has it', async () => {
      expect(await mutate(app, 'createCollection', { name: '  Binder ♥ ' })).toMatchObject({
        __typename: 'CreateCollectionPayload',
        collection: {
          id: expect.stringMatching(/^col_[0-9a-z]{26}$/),
          name: 'Binder ♥',
          description: '',
          valued: false,
          pinned: false,
          isGoalCollection: false,
          image: 0,
          quantity: 0,
          invested: null,
          profit: null,
          cashPosition: null,
          marketValue: usd('0.00'),
        },
      });
    });

    it.each(['', '   ', 'x'.repeat(101), 'a\u0000b', 'a\nb', 'a\ud800'])(
      'refuses the name %j',
      async (name) => {
        const before = await count(app);
        const result = await mutate(app, 'createCollection', { name });
        expect(result).toMatchObject({ __typename: 'ValidationFailed', errors: [{ path: ['name'] }] });
        expect(result.message).toBe(`name: ${result.errors[0].detail}`);
        expect(await count(app)).toBe(before);
      },
    );

    it('takes a name of 100 characters, whatever their length in UTF-16', async () => {
      const { collection } = await mutate(app, 'createCollection', { name: '💥'.repeat(100) });
      expect(collection.name).toBe('💥'.repeat(100));
    });

    it('stops at the limit, and says what it is', async () => {
      const small = await newTestApp(database(), { maxCollections: 2 });
      const first = await newCollection('1', small);
      await newCollection('2', small);
      expect(await mutate(small, 'createCollection', { name: '3' })).toMatchObject({
        __typename: 'LimitExceeded',
        limit: 2,
        current: 2,
      });
      await mutate(small, 'deleteCollection', { id: first });
      expect((await mutate(small, 'createCollection', { name: '3' })).collection.name).toBe('3');
    });
  });

  describe('updateCollection', () => {
    it('changes only the fields that are given; null is not given', async () => {
      const id = await newCollection();
      const changes = {
        name: 'Case',
        description: 'Line 1\nLine 2',
        valued: true,
        pinned: true,
        image: 2147483647,
      };
      let expected: Record<string, unknown> = {
        id,
        name: 'Binder',
        description: '',
        valued: false,
        pinned: false,
        image: 0,
      };
      for (const [field, value] of Object.entries(changes)) {
        expected = { ...expected, [field]: value };
        const { collection } = await mutate(app, 'updateCollection', { id, [field]: value });
        expect(collection).toMatchObject(expected);
      }
      const nulls = { name: null, description: null, valued: null, pinned: null, image: null };
      expect((await mutate(app, 'updateCollection', { id, ...nulls })).collection).toMatchObject(expected);
      const back = { valued: false, pinned: false, description: '', image: 0 };
      expect((await mutate(app, 'updateCollection', { id, ...back })).collection).toMatchObject({
        ...back,
        name: 'Case',
      });
    });

    it('names every value that breaks a rule', async () => {
      const id = await newCollection();
      const input = { id, name: ' ', description: 'x'.repeat(2001), image: -1 };
      const result = await mutate(app, 'updateCollection', input);
      expect(result.errors.map(({ path }: { path: string[] }) => path)).toEqual([
        ['name'],
        ['description'],
        ['image'],
      ]);
      const { collection } = await app.graphql<{ collection: { name: string } }>(
        'query ($id: ID!) { collection(id: $id) { name } }',
        { id },
      );
      expect(collection.name).toBe('Binder');
    });

    it('stops at the limit of valued collections', async () => {
      const small = await newTestApp(database(), { maxValuedCollections: 1 });
      const [a, b] = [await newCollection('A', small), await newCollection('B', small)];
      await mutate(small, 'updateCollection', { id: a, valued: true });
      expect(await mutate(small, 'updateCollection', { id: a, valued: true, name: 'A2' })).toMatchObject({
        collection: { valued: true, name: 'A2' },
      });
      expect(await mutate(small, 'updateCollection', { id: b, valued: true })).toMatchObject({
        __typename: 'LimitExceeded',
        limit: 1,
        current: 1,
      });
      await mutate(small, 'updateCollection', { id: a, valued: false });
      expect((await mutate(small, 'updateCollection', { id: b, valued: true })).collection.valued).toBe(true);
    });

    it("does not find what is not there, or another account's", async () => {
      for (const id of missing('col'))
        expect(await mutate(app, 'updateCollection', { id })).toEqual(NO_COLLECTION);
      const id = await newCollection();
      expect(await mutate(stranger, 'updateCollection', { id, name: 'Mine' })).toEqual(NO_COLLECTION);
    });
  });

  describe('deleteCollection and setGoalCollection', () => {
    it('deletes a collection with all that is in it', async () => {
      const { collectionId, transactionIds, variantId } = await recordWorkedExample(database(), app);
      expect(await mutate(stranger, 'deleteCollection', { id: collectionId })).toEqual(NO_COLLECTION);
      expect(await mutate(app, 'deleteCollection', { id: collectionId })).toEqual({
        __typename: 'DeleteCollectionPayload',
        deletedId: collectionId,
      });
      expect(await mutate(app, 'deleteCollection', { id: collectionId })).toEqual(NO_COLLECTION);
      const ids = [collectionId, ...transactionIds, `sum_${collectionId.slice(4)}_${variantId.slice(4)}`];
      const { nodes } = await app.graphql<{ nodes: unknown[] }>(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
        { ids },
      );
      expect(nodes).toEqual(ids.map(() => null));
      for (const id of missing('col'))
        expect(await mutate(app, 'deleteCollection', { id })).toEqual(NO_COLLECTION);
    });

    it('moves and clears the goal, which cannot be deleted', async () => {
      const own = await newTestApp(database());
      const [a, b] = [await newCollection('A', own), await newCollection('B', own)];
      const goals = async () => {
        const { collections } = await own.graphql<{
          collections: { nodes: { isGoalCollection: boolean }[] };
        }>('{ collections { nodes { isGoalCollection } } }');
        return collections.nodes.map(({ isGoalCollection }) => isGoalCollection);
      };
      expect(await mutate(own, 'setGoalCollection', { collectionId: a })).toMatchObject({
        __typename: 'SetGoalCollectionPayload',
        collection: { id: a, isGoalCollection: true },
      });
      expect(await goals()).toEqual([true, false]);
      expect(await mutate(own, 'deleteCollection', { id: a })).toEqual({
        __typename: 'CollectionInUse',
        message: expect.stringContaining('goal collection'),
      });
      await mutate(own, 'setGoalCollection', { collectionId: b });
      expect(await goals()).toEqual([false, true]);
      for (const collectionId of missing('col'))
        expect(await mutate(own, 'setGoalCollection', { collectionId })).toEqual(NO_COLLECTION);
      expect(await mutate(stranger, 'setGoalCollection', { collectionId: b })).toEqual(NO_COLLECTION);
      // What fails leaves the goal where it was.
      expect(await goals()).toEqual([false, true]);
      for (const input of [{}, { collectionId: null }])
        expect(await mutate(own, 'setGoalCollection', input)).toMatchObject({ collection: null });
      expect(await goals()).toEqual([false, false]);
      expect(await mutate(own, 'deleteCollection', { id: b })).toMatchObject({ deletedId: b });
    });
  });

  describe('createTransaction', () => {
    it('records the worked example', async () => {
      const collectionId = await newCollection();
      const bought = await mutate(app, 'createTransaction', {
        collectionId,
        ...graphqlEntry(variants[0]!, { quantity: 4, unitAmount: { currency: 'USD', value: 10 } }),
      });
      expect(bought).toEqual({
        __typename: 'CreateTransactionPayload',
        transaction: {
          id: expect.stringMatching(/^txn_[0-9a-z]{26}$/),
          occurred: '2026-04-13T12:00:00Z',
          action: 'PURCHASE',
          quantity: 4,
          unitAmount: usd('10.00'),
          variant: { id: variants[0] },
          collection: { id: collectionId, quantity: 4 },
          costUnknown: false,
          ...NO_DETAILS,
        },
      });
      await mutate(app, 'createTransaction', {
        collectionId,
        ...graphqlEntry(variants[0]!, { action: 'Sale', unitAmount: { currency: 'USD', value: 15 } }),
      });
      const { collection } = await mutate(app, 'updateCollection', { id: collectionId });
      expect(collection).toMatchObject({
        quantity: 3,
        invested: usd('30.00'),
        profit: usd('5.00'),
        cashPosition: usd('-25.00'),
      });
    });

    it('gives the amount back as it was given', async () => {
      const collectionId = await newCollection();
      for (const [currency, value, decimal] of [
        ['USD', 0.1, '0.10'],
        ['USD', 0.1235, '0.1235'],
        ['JPY', 77.5, '77.5'],
        ['JPY', 1_000_000_000, '1000000000'],
        ['NZD', 0, '0.00'],
      ] as const) {
        const input = { collectionId, ...graphqlEntry(variants[0]!, { unitAmount: { currency, value } }) };
        const { transaction } = await mutate(app, 'createTransaction', input);
        expect(transaction.unitAmount).toEqual({ currency, value, decimal });
      }
    });

    it('names every value that breaks a rule', async () => {
      const collectionId = await newCollection();
      const input = {
        collectionId,
        ...graphqlEntry(variants[0]!, {
          occurredDate: '2026-02-30',
          quantity: 0,
          unitAmount: { currency: 'USD', value: 0.12345 },
        }),
      };
      expect(await mutate(app, 'createTransaction', input)).toEqual(
        failed(
          [['occurredDate'], 'must be a calendar date: there is no 2026-02-30'],
          [['quantity'], 'must be a whole number from 1 to 1000000'],
          [['unitAmount', 'value'], 'must be a number from 0 to 1000000000 with at most 4 decimals'],
        ),
      );
    });

    it('says which is missing, the collection or the variant', async () => {
      const collectionId = await newCollection();
      const noVariant = { __typename: 'NotFound', message: 'The variant does not exist.' };
      for (const id of missing('col')) {
        const input = { collectionId: id, ...graphqlEntry(variants[0]!) };
        expect(await mutate(app, 'createTransaction', input)).toEqual(NO_COLLECTION);
      }
      for (const id of missing('var')) {
        const input = { collectionId, ...graphqlEntry(id) };
        expect(await mutate(app, 'createTransaction', input)).toEqual(noVariant);
      }
      const mine = { collectionId, ...graphqlEntry(variants[0]!) };
      expect(await mutate(stranger, 'createTransaction', mine)).toEqual(NO_COLLECTION);
    });
  });

  describe('updateTransaction and deleteTransaction', () => {
    it('changes only the fields that are given; null is not given', async () => {
      const collectionId = await newCollection();
      const { transaction } = await mutate(app, 'createTransaction', {
        collectionId,
        ...graphqlEntry(variants[0]!),
      });
      const { id } = transaction;
      const changes = [
        [{ occurredDate: '1970-01-01' }, { occurred: '1970-01-01T12:00:00Z' }],
        [
          { quantity: 1_000_000 },
          { quantity: 1_000_000, collection: { id: collectionId, quantity: 1_000_000 } },
        ],
        [{ action: 'SALE' }, { action: 'SALE', collection: { id: collectionId, quantity: -1_000_000 } }],
        [
          { unitAmount: { currency: 'JPY', value: 5 } },
          { unitAmount: { currency: 'JPY', value: 5, decimal: '5' } },
        ],
        [{ occurredDate: null, quantity: null, action: null, unitAmount: null }, {}],
      ] as const;
      let expected = transaction;
      for (const [change, seen] of changes) {
        expected = { ...expected, ...seen };
        expect(await mutate(app, 'updateTransaction', { id, ...change })).toEqual({
          __typename: 'UpdateTransactionPayload',
          transaction: expected,
        });
      }
      expect(
        await mutate(app, 'updateTransaction', { id, quantity: 1_000_001, occurredDate: '2026-04-15' }),
      ).toEqual(
        failed(
          [['occurredDate'], 'must be from 1970-01-01 to 2026-04-14'],
          [['quantity'], 'must be a whole number from 1 to 1000000'],
        ),
      );
      expect(await mutate(app, 'updateTransaction', { id, occurredDate: '2026-04-15' })).toEqual(
        failed([['occurredDate'], 'must be from 1970-01-01 to 2026-04-14']),
      );
    });

    it('takes a deleted transaction out of its collection', async () => {
      const { collectionId, transactionIds } = await recordWorkedExample(database(), app);
      const [bought, sold] = transactionIds as [string, string];
      expect(await mutate(stranger, 'deleteTransaction', { id: sold })).toEqual(NO_TRANSACTION);
      expect(await mutate(stranger, 'updateTransaction', { id: sold, quantity: 2 })).toEqual(NO_TRANSACTION);
      expect(await mutate(app, 'deleteTransaction', { id: sold })).toEqual({
        __typename: 'DeleteTransactionPayload',
        deletedId: sold,
      });
      expect((await mutate(app, 'updateCollection', { id: collectionId })).collection).toMatchObject({
        quantity: 4,
        profit: usd('0.00'),
        cashPosition: usd('-40.00'),
      });
      await mutate(app, 'deleteTransaction', { id: bought });
      expect((await mutate(app, 'updateCollection', { id: collectionId })).collection).toMatchObject({
        quantity: 0,
        invested: null,
        profit: null,
        cashPosition: null,
      });
      for (const id of [sold, ...missing('txn')]) {
        expect(await mutate(app, 'deleteTransaction', { id })).toEqual(NO_TRANSACTION);
        expect(await mutate(app, 'updateTransaction', { id, quantity: 2 })).toEqual(NO_TRANSACTION);
      }
    });
  });
});
