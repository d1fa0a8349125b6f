import { beforeAll, expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { contextOf, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

describeOnDatabases('GraphQL ids', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let example: WorkedExample;
  let priceAlertId: string;
  let previewId: string;

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
    const { priceAlert } = await mutate(app, 'createPriceAlert', {
      targetId: example.collectionId,
      condition: 'CHANGE',
      percent: 5,
      days: 7,
    });
    priceAlertId = priceAlert.id;
    const csv =
      'occurredDate,action,quantity,unitAmount,currency,fcId\n2026-01-31,Sale,1,1,USD,ARC159-First\n';
    const input = { collectionId: example.collectionId, csv };
    previewId = (await mutate(app, 'previewImport', input)).preview.id;
  });

  const idOf = (): Record<string, string> => ({
    Account: `acc_${app.accountId}`,
    Collection: example.collectionId,
    Transaction: example.transactionIds[0]!,
    TransactionSummary: `sum_${example.collectionId.slice(4)}_${example.variantId.slice(4)}`,
    Product: example.productId,
    Variant: example.variantId,
    ProductEv: 'pev_Hnt_Case',
    PriceAlert: priceAlertId,
    Set: 'set_WTR',
    ImportPreview: previewId,
  });
  const NODE = '{ __typename id }';
  const SHARED = ['Product', 'Variant', 'ProductEv', 'Set'];

  it('finds a node of every type', async () => {
    const ids = Object.values(idOf());
    const { nodes } = await app.graphql<Any>(`query ($ids: [ID!]!) { nodes(ids: $ids) ${NODE} }`, { ids });
    const expected = Object.entries(idOf()).map(([__typename, id]) => ({ __typename, id }));
    expect(nodes).toEqual(expected);
    for (const { __typename, id } of expected) {
      expect(await app.graphql(`query ($id: ID!) { node(id: $id) ${NODE} }`, { id })).toEqual({
        node: { __typename, id },
      });
    }
  });

  it('gives the quantity of all that have one in one query, exact up to 2^53 − 1, and beyond it none', async () => {
    const quantitiesOf = async (...ids: string[]) => {
      const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
        ... on Collection { quantity } ... on Transaction { quantity } ... on TransactionSummary { quantity }
        ... on Account { dashboard { quantity } } } }`;
      return (await app.send('POST', '/graphql', { query, variables: { ids } })).body;
    };
    const { Account, Collection, Transaction, TransactionSummary } = idOf() as Any;
    expect((await quantitiesOf(Account, Collection, Transaction, TransactionSummary)).data.nodes).toEqual([
      { dashboard: { quantity: 0 } },
      { quantity: 3 },
      { quantity: 4 },
      { quantity: 3 },
    ]);
    const { id } = await createCollection(contextOf(database(), app), { name: 'Large' });
    const hold = (cards: string) =>
      database().query('update collection set quantity = $2 where id = $1', [id, cards]);
    await hold('9007199254740991');
    expect((await quantitiesOf(id)).data.nodes).toEqual([{ quantity: 9_007_199_254_740_991 }]);
    await hold('9007199254740992');
    const { data, errors } = await quantitiesOf(id);
    expect(data.nodes).toEqual([null]);
    expect(errors).toMatchObject([{ path: ['nodes', 0, 'quantity'], extensions: { code: 'Internal' } }]);
    await database().query('delete from collection where id = $1', [id]);
  });

  it("has null for another account's nodes, and gives it the shared ones", async () => {
    const ids = Object.values(idOf());
    const { nodes } = await stranger.graphql<Any>(`query ($ids: [ID!]!) { nodes(ids: $ids) ${NODE} }`, {
      ids,
    });
    expect(nodes).toEqual(
      Object.entries(idOf()).map(([__typename, id]) =>
        SHARED.includes(__typename) ? { __typename, id } : null,
      ),
    );
    const { collection, transaction } = await stranger.graphql<Any>(
      'query ($c: ID!, $t: ID!) { collection(id: $c) { id } transaction(id: $t) { id } }',
      { c: example.collectionId, t: example.transactionIds[0] },
    );
    expect([collection, transaction]).toEqual([null, null]);
  });

  it('has null for garbage, for ids of nothing and for ids of another type', async () => {
    const garbage = [
      '',
      '1',
      'col',
      'col_',
      `col_${'0'.repeat(101)}`,
      'xyz_1',
      'col_\u0000',
      'Col_1',
      'sum_1',
      'pev_1_2_3',
      '💥',
    ];
    const nothing = Object.values(idOf()).map((id) => `${id}0`);
    const ids = [...garbage, ...nothing, example.collectionId];
    const { nodes } = await app.graphql<Any>(`query ($ids: [ID!]!) { nodes(ids: $ids) ${NODE} }`, { ids });
    expect(nodes.slice(0, -1)).toEqual(nodes.slice(0, -1).map(() => null));
    expect(nodes.at(-1)).toMatchObject({ id: example.collectionId });
    for (const [field, type] of [
      ['collection', 'Collection'],
      ['transaction', 'Transaction'],
      ['product', 'Product'],
      ['variant', 'Variant'],
    ]) {
      for (const id of [
        ...garbage,
        ...nothing,
        ...Object.values(idOf()).filter((id) => id !== idOf()[type!]),
      ]) {
        const answer = await app.graphql(`query ($id: ID!) { ${field}(id: $id) { id } }`, { id });
        expect(answer, id).toEqual({ [field!]: null });
      }
    }
  });

  it('takes an id as often as it is given, 200 ids, and not 201', async () => {
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) ${NODE} }`;
    const ids = Array.from({ length: 200 }, () => example.variantId);
    const { nodes } = await app.graphql<Any>(query, { ids });
    expect(nodes).toEqual(ids.map((id) => ({ __typename: 'Variant', id })));
    const { status, body } = await app.send('POST', '/graphql', {
      query,
      variables: { ids: [...ids, 'x'] },
    });
    expect(status).toBe(200);
    expect(body.errors).toMatchObject([
      { message: 'ids: must have at most 200 ids', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(await app.graphql(query, { ids: [] })).toEqual({ nodes: [] });
  });
});
