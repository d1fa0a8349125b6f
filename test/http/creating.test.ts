import { expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { entry } from '../support/furnished.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

/** What the contract leaves open of what is created. */
describeOnDatabases('creating', (database) => {
  const dashboardOf = async (app: TestApp) =>
    (
      await app.graphql<Any>(
        '{ viewer { limits { valuedCollectionCount } dashboard { collectionCount quantity } } }',
      )
    ).viewer;
  const create = async (app: TestApp, input: object) => {
    const data = await app.graphql<Any>(
      `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) { __typename
         ... on CreateCollectionPayload { collection { id valued } } ... on LimitExceeded { limit current message } } }`,
      { input },
    );
    return data.createCollection;
  };

  it('says where the new collection and the new transaction are, also when it is asked again', async () => {
    const app = await newTestApp(database());
    const [variantId] = await pricedVariants(database(), 1);
    const key = { 'Idempotency-Key': 'once' };
    for (let time = 0; time < 2; time++) {
      const { status, body, headers } = await app.send('POST', '/collection', { name: 'Binder' }, key);
      expect([status, headers.get('Location')]).toEqual([200, `/collection/${body.collectionId}`]);
      expect((await app.send('GET', headers.get('Location')!)).body).toEqual(body);
    }
    const { body: binder } = await app.send('POST', '/collection', { name: 'Another' });
    const made = await app.send('POST', `/collection/${binder.collectionId}/transaction`, entry(variantId!));
    expect(made.headers.get('Location')).toBe(`/transaction/${made.body.transactionId}`);
    const changed = await app.send('PATCH', made.headers.get('Location')!, { quantity: 2 });
    expect([changed.status, changed.headers.get('Location')]).toEqual([200, null]);
  });

  it('makes a collection that is valued where that is said, up to the limit', async () => {
    const app = await newTestApp(database(), { maxValuedCollections: 2 });
    expect((await create(app, { name: 'Plain' })).collection.valued).toBe(false);
    expect((await create(app, { name: 'Plain', valued: false })).collection.valued).toBe(false);
    expect((await create(app, { name: 'Valued', valued: true })).collection.valued).toBe(true);
    const { status, body } = await app.send('POST', '/collection', { name: 'Valued', valued: true });
    expect([status, body.valued]).toEqual([200, true]);
    expect(await create(app, { name: 'Too many', valued: true })).toEqual({
      __typename: 'LimitExceeded',
      limit: 2,
      current: 2,
      message: 'An account may have 2 valued collections; set valued to false on another one first.',
    });
    expect((await create(app, { name: 'Plain again' })).collection.valued).toBe(false);
    expect(await dashboardOf(app)).toMatchObject({
      limits: { valuedCollectionCount: 2 },
      dashboard: { collectionCount: 2 },
    });
    const full = await newTestApp(database(), { maxCollections: 1 });
    await create(full, { name: 'The only one', valued: true });
    expect(await create(full, { name: 'One more', valued: true })).toMatchObject({ limit: 1, current: 1 });
  });

  it('takes an amount as a number or as decimal text, and not as both', async () => {
    const app = await newTestApp(database());
    const [variantId] = await pricedVariants(database(), 1);
    const { body: binder } = await app.send('POST', '/collection', { name: 'Binder' });
    const record = (unitAmount: object) =>
      app.send('POST', `/collection/${binder.collectionId}/transaction`, {
        ...entry(variantId!),
        unitAmount,
      });
    for (const [decimal, value] of [
      ['9.99', 9.99],
      ['0', 0],
      ['1000000000', 1e9],
      ['999999999.9999', 999999999.9999],
      ['1.10', 1.1],
    ] as const) {
      const { status, body } = await record({ currency: 'USD', decimal });
      expect([status, body.unitAmount]).toEqual([200, { currency: 'USD', value }]);
    }
    const detailOf = async (unitAmount: object) => {
      const { status, body } = await record({ currency: 'USD', ...unitAmount });
      return [status, body.errors?.map(({ pointer }: Any) => pointer), body.detail];
    };
    for (const decimal of [
      '1000000000.0001',
      '0.00001',
      '-1',
      '1e3',
      '',
      '.5',
      '5.',
      ' 5',
      '0x10',
      '12345678901',
    ])
      expect(await detailOf({ decimal })).toEqual([
        400,
        ['/unitAmount/decimal'],
        'unitAmount.decimal: must be a number from 0 to 1000000000 with at most 4 decimals',
      ]);
    expect(await detailOf({})).toEqual([400, ['/unitAmount/value'], 'unitAmount.value: is required']);
    expect(await detailOf({ value: 1, decimal: '1' })).toEqual([
      400,
      ['/unitAmount/decimal'],
      'unitAmount.decimal: must not be given together with value',
    ]);
    const data = await app.graphql<Any>(
      `mutation { createTransaction(input: { collectionId: "${binder.collectionId}", variantId: "${variantId}", occurredDate: "2026-04-13",
         action: PURCHASE, quantity: 1, unitAmount: { currency: USD, decimal: "0.1005" } }) {
         ... on CreateTransactionPayload { transaction { unitAmount { decimal value } } } } }`,
    );
    expect(data.createTransaction.transaction.unitAmount).toEqual({ decimal: '0.1005', value: 0.1005 });
  });

  it('fails a search that cannot be read alone', async () => {
    const app = await newTestApp(database());
    const { status, body } = await app.send('POST', '/graphql', {
      query: '{ viewer { name } products(query: "class:") { totalCount } }',
    });
    expect([status, body.data]).toEqual([200, { viewer: { name: 'Test' }, products: null }]);
    expect(body.errors).toEqual([
      expect.objectContaining({
        path: ['products'],
        extensions: expect.objectContaining({ code: 'InvalidQuery' }),
      }),
    ]);
  });
});
