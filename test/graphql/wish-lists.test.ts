import { beforeAll, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { expectProblem, purchase, usd } from '../http/support.ts';
import { graphqlEntry } from '../support/furnished.ts';
import { fileOf, row } from '../support/transaction-csv.ts';
import { mutate } from './mutate.ts';

const NOT_SOLD = 'must be Purchase: nothing is sold from a wish list';
const NOT_VALUED = 'must not be true: what is on a wish list is not owned, and counts for no value';

describeOnDatabases('wish lists', (database) => {
  let app: TestApp;
  let variantId: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    [variantId] = (await pricedVariants(database(), 1)) as [string];
  });

  const newList = async (account = app): Promise<string> =>
    (await mutate(account, 'createCollection', { name: 'Wishes', collectionKind: 'WISHLIST' })).collection.id;
  const breachesOf = ({ errors }: { errors: { path: string[]; detail: string }[] }) =>
    errors.map(({ path, detail }) => `${path.join('/')}: ${detail}`);

  it('are what they are from the beginning, in both transports', async () => {
    const { body } = await app.send('POST', '/collection', { name: 'Wishes', collectionKind: 'Wishlist' });
    expect(body).toMatchObject({ collectionKind: 'Wishlist', valued: false });
    expect((await app.send('GET', `/collection/${body.collectionId}`)).body).toEqual(body);
    expect((await app.send('POST', '/collection', { name: 'Binder' })).body).not.toHaveProperty(
      'collectionKind',
    );
    const plain = await app.send('POST', '/collection', { name: 'Binder', collectionKind: 'Collection' });
    expect(plain.body).not.toHaveProperty('collectionKind');
    const kindOf = async (id: string) =>
      (
        await app.graphql<Record<string, unknown>>(
          'query ($id: ID!) { collection(id: $id) { collectionKind } }',
          { id },
        )
      ).collection;
    expect(await kindOf(body.collectionId)).toEqual({ collectionKind: 'WISHLIST' });
    expect(await kindOf(plain.body.collectionId)).toEqual({ collectionKind: 'COLLECTION' });
    const answer = await app.send('POST', '/collection', { name: 'x', collectionKind: 'Wants' });
    expectProblem(answer, 'ValidationFailed', { pointers: ['/collectionKind'] });
  });

  it('are never valued, nor a goal', async () => {
    const created = await mutate(app, 'createCollection', {
      name: 'x',
      collectionKind: 'WISHLIST',
      valued: true,
    });
    expect(breachesOf(created)).toEqual([`valued: ${NOT_VALUED}`]);
    const id = await newList();
    expect(breachesOf(await mutate(app, 'updateCollection', { id, valued: true }))).toEqual([
      `valued: ${NOT_VALUED}`,
    ]);
    const all = { name: 'Wanted', valued: false, description: '', pinned: true, image: 0 };
    const path = `/collection/${id}`;
    expectProblem(await app.send('PUT', path, { ...all, valued: true }), 'ValidationFailed', {
      pointers: ['/valued'],
    });
    expect((await app.send('PUT', path, all)).body).toMatchObject({
      name: 'Wanted',
      collectionKind: 'Wishlist',
    });
    expect(breachesOf(await mutate(app, 'setGoalCollection', { collectionId: id }))).toEqual([
      'collectionId: must be of cards that you have: a wish list may be the target of a goal',
    ]);
    const { body: binder } = await app.send('POST', '/collection', { name: 'Binder' });
    const goal = { collectionId: binder.collectionId, target: { collectionId: id } };
    expect(await mutate(app, 'setGoalCollection', goal)).toMatchObject({
      collection: { id: binder.collectionId, isGoalCollection: true },
    });
    const stranger = await newTestApp(database());
    expect(await mutate(stranger, 'updateCollection', { id, valued: true })).toMatchObject({
      __typename: 'NotFound',
    });
  });

  it('have no sales', async () => {
    const id = await newList();
    const sale = { collectionId: id, ...graphqlEntry(variantId, { action: 'Sale' }) };
    expect(breachesOf(await mutate(app, 'createTransaction', sale))).toEqual([`action: ${NOT_SOLD}`]);
    const transactions = [graphqlEntry(variantId), graphqlEntry(variantId, { action: 'Sale' })];
    expect(breachesOf(await mutate(app, 'createTransactions', { collectionId: id, transactions }))).toEqual([
      `transactions/1/action: ${NOT_SOLD}`,
    ]);
    const path = `/collection/${id}/transaction`;
    const refused = await app.send('POST', path, purchase(variantId, { action: 'Sale' }));
    expectProblem(refused, 'ValidationFailed', { pointers: ['/action'] });
    const { body } = await app.send('POST', path, purchase(variantId));
    const changed = await app.send('PATCH', `/transaction/${body.transactionId}`, { action: 'Sale' });
    expectProblem(changed, 'ValidationFailed', { pointers: ['/action'] });
    const taken = await app.send('PATCH', `/transaction/${body.transactionId}`, { action: 'Purchase' });
    expect(taken.body).toMatchObject({ action: 'Purchase' });
    const csv = fileOf(row(), row({ action: 'Sale' }));
    for (const dryRun of [true, false]) {
      const report = await mutate(app, 'importTransactions', { collectionId: id, csv, dryRun });
      expect(report).toMatchObject({
        written: false,
        errors: [{ line: 3, column: 'action', detail: NOT_SOLD }],
      });
    }
    expect((await app.send('GET', `/collection/${id}`)).body.quantity).toBe(4);
    const stranger = await newTestApp(database());
    expect(await mutate(stranger, 'createTransaction', sale)).toMatchObject({ __typename: 'NotFound' });
  });

  it('and collections exchange nothing', async () => {
    const id = await newList();
    const binder = (await mutate(app, 'createCollection', { name: 'Binder' })).collection.id;
    await mutate(app, 'createTransaction', { collectionId: id, ...graphqlEntry(variantId) });
    await mutate(app, 'createTransaction', { collectionId: binder, ...graphqlEntry(variantId) });
    const kinds = 'must be of the same kind as the other';
    for (const [from, to] of [[id, binder] as const, [binder, id] as const]) {
      const move = { fromCollectionId: from, toCollectionId: to, variantId };
      expect(breachesOf(await mutate(app, 'moveTransactions', move))[0]).toContain(
        `toCollectionId: ${kinds}`,
      );
      const merge = { fromCollectionId: from, intoCollectionId: to };
      expect(breachesOf(await mutate(app, 'mergeCollections', merge))[0]).toContain(
        `intoCollectionId: ${kinds}`,
      );
    }
    const move = { fromCollectionId: id, toCollectionId: await newList(), variantId };
    expect(await mutate(app, 'moveTransactions', move)).toMatchObject({ movedCount: 1 });
  });

  it.each(['AVERAGE', 'FIFO'])(
    'have no sales by %s, and count for nothing but themselves',
    async (costBasis) => {
      const account = await newTestApp(database());
      await mutate(account, 'updatePreferences', { costBasis });
      const id = await newList(account);
      const binder = (await mutate(account, 'createCollection', { name: 'Binder', valued: true })).collection
        .id;
      const entry = (quantity: number) => graphqlEntry(variantId, { quantity });
      await mutate(account, 'createTransactions', { collectionId: id, transactions: [entry(3), entry(2)] });
      await mutate(account, 'createTransaction', { collectionId: binder, ...entry(1) });
      const sale = graphqlEntry(variantId, { action: 'Sale' });
      expect(breachesOf(await mutate(account, 'createTransaction', { collectionId: id, ...sale }))).toEqual([
        `action: ${NOT_SOLD}`,
      ]);
      const data = await account.graphql(
        `query ($id: ID!, $variantId: ID!) {
        viewer { dashboard { quantity } transactions { totalCount nodes { quantity } } }
        collection(id: $id) { quantity invested { value } transactions { totalCount } }
        variant(id: $variantId) {
          owned wanted: owned(collectionId: $id)
          product { owned }
          holdings { totalCount nodes { quantity } }
          transactions { totalCount nodes { quantity } }
        }
        all: collections { totalCount nodes { name } }
        wishes: collections(kind: WISHLIST, sort: VALUE) { totalCount nodes { name } }
        others: collections(kind: COLLECTION, last: 1) { totalCount nodes { name } }
      }`,
        { id, variantId },
      );
      const one = { totalCount: 1, nodes: [{ quantity: 1 }] };
      expect(data).toEqual({
        viewer: { dashboard: { quantity: 1 }, transactions: one },
        collection: { quantity: 5, invested: { value: 5 }, transactions: { totalCount: 2 } },
        variant: { owned: 1, wanted: 5, product: { owned: 1 }, holdings: one, transactions: one },
        all: { totalCount: 2, nodes: [{ name: 'Wishes' }, { name: 'Binder' }] },
        wishes: { totalCount: 1, nodes: [{ name: 'Wishes' }] },
        others: { totalCount: 1, nodes: [{ name: 'Binder' }] },
      });
      const { body } = await account.send('GET', `/collection/${id}`);
      expect(body).toMatchObject({ quantity: 5, invested: usd(5), collectionKind: 'Wishlist' });
    },
  );
});
