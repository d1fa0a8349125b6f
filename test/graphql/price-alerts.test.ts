import { beforeAll, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

interface AlertPage {
  totalCount: number;
  nodes: { id: string }[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
}

describeOnDatabases('price alerts by GraphQL', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let example: WorkedExample;

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
  });

  const pageOf = async (of: TestApp, page: Record<string, unknown> = {}): Promise<AlertPage> =>
    (
      await of.graphql<{ viewer: { priceAlerts: AlertPage } }>(
        `query ($first: Int, $after: String, $last: Int) { viewer { priceAlerts(first: $first, after: $after, last: $last) {
          totalCount nodes { id } pageInfo { endCursor hasNextPage } } } }`,
        page,
      )
    ).viewer.priceAlerts;
  const create = async (input: Record<string, unknown>, of = app) => mutate(of, 'createPriceAlert', input);

  it('are made on a variant and on a collection, listed, and deleted', async () => {
    const onVariant = await create({
      targetId: example.variantId,
      condition: 'ABOVE',
      amount: { currency: 'NZD', value: 1_000_000 },
      percent: null,
    });
    const fresh = {
      id: expect.stringMatching(/^alr_[0-9a-z]{26}$/),
      createdAt: '2026-04-13T10:00:00.000Z',
      isMet: false,
      triggerCount: 0,
      lastTrigger: null,
    };
    expect(onVariant).toEqual({
      __typename: 'CreatePriceAlertPayload',
      priceAlert: {
        ...fresh,
        target: { __typename: 'Variant', id: example.variantId },
        condition: 'ABOVE',
        amount: { currency: 'NZD', value: 1_000_000, decimal: '1000000.00' },
        percent: null,
        days: null,
        direction: null,
      },
    });
    const onCollection = await create({
      targetId: example.collectionId,
      condition: 'CHANGE',
      percent: 12.5,
      days: 30,
      direction: 'DOWN',
    });
    expect(onCollection.priceAlert).toEqual({
      ...fresh,
      target: { __typename: 'Collection', id: example.collectionId },
      condition: 'CHANGE',
      amount: null,
      percent: 12.5,
      days: 30,
      direction: 'DOWN',
    });
    const ids = [onVariant.priceAlert.id, onCollection.priceAlert.id];
    const first = await pageOf(app, { first: 1 });
    expect(first).toMatchObject({ totalCount: 2, nodes: [{ id: ids[0] }], pageInfo: { hasNextPage: true } });
    expect((await pageOf(app, { first: 1, after: first.pageInfo.endCursor })).nodes).toEqual([
      { id: ids[1] },
    ]);
    expect((await pageOf(app, { last: 1 })).nodes).toEqual([{ id: ids[1] }]);
    expect(await pageOf(stranger)).toMatchObject({ totalCount: 0, nodes: [] });

    const missing = { __typename: 'NotFound', message: 'The price alert does not exist.' };
    for (const [of, id] of [
      [stranger, ids[0]],
      [app, example.collectionId],
      [app, 'alr_\u0000'],
      [app, ''],
    ] as const)
      expect(await mutate(of, 'deletePriceAlert', { id })).toEqual(missing);
    expect(await mutate(app, 'deleteCollection', { id: example.collectionId })).toEqual({
      __typename: 'CollectionInUse',
      message: 'The collection has price alerts (1). Delete them first.',
    });
    for (const id of ids) {
      expect(await mutate(app, 'deletePriceAlert', { id })).toEqual({
        __typename: 'DeletePriceAlertPayload',
        deletedId: id,
      });
      expect(await mutate(app, 'deletePriceAlert', { id })).toEqual(missing);
    }
    expect((await pageOf(app)).totalCount).toBe(0);
    expect(await mutate(app, 'deleteCollection', { id: example.collectionId })).toMatchObject({
      deletedId: example.collectionId,
    });
  });

  it('wait for one of an amount and a change, and say it in both ways', async () => {
    const targetId = example.variantId;
    const amount = { currency: 'USD', value: 3 };
    const change = { percent: 5, days: 7 };
    const madeOf = async (input: Record<string, unknown>) => {
      const { priceAlert } = await create({ targetId, ...input });
      await mutate(app, 'deletePriceAlert', { id: priceAlert.id });
      return { ...priceAlert, id: undefined };
    };
    for (const [when, before] of [
      [{ above: amount }, { condition: 'ABOVE', amount }],
      [{ below: amount }, { condition: 'BELOW', amount }],
      [{ change: { ...change, direction: 'UP' } }, { condition: 'CHANGE', ...change, direction: 'UP' }],
      [{ change }, { condition: 'CHANGE', ...change, direction: 'EITHER' }],
      [{ change: { ...change, direction: null } }, { condition: 'CHANGE', ...change }],
    ])
      expect(await madeOf({ when })).toEqual(await madeOf(before!));
    expect((await create({ targetId })).errors).toEqual([{ path: ['when'], detail: 'is required' }]);
    await expect(create({ targetId, when: { above: amount, below: amount } })).rejects.toThrow(
      /exactly one key/i,
    );
  });

  it('refuse what breaks a rule, with every breach, and targets that are not there', async () => {
    const mine = await mutate(stranger, 'createCollection', { name: 'Not yours' });
    const input = { condition: 'CHANGE', percent: 5, days: 1 };
    for (const [targetId, what] of [
      [mine.collection.id, 'collection'],
      ['var_nothing', 'variant'],
      [example.productId, 'variant or collection'],
      ['', 'variant or collection'],
    ] as const) {
      expect(await create({ targetId, ...input })).toEqual({
        __typename: 'NotFound',
        message: `The ${what} does not exist.`,
      });
    }
    const refused = await create({
      targetId: example.variantId,
      condition: 'BELOW',
      amount: { currency: 'USD', value: 0.00001 },
      percent: 1,
      days: 1,
      direction: 'UP',
    });
    expect(refused).toMatchObject({ __typename: 'ValidationFailed' });
    expect(refused.errors).toEqual([
      ...['percent', 'days', 'direction'].map((name) => ({
        path: [name],
        detail: 'must be left out: it belongs to a change',
      })),
      {
        path: ['amount', 'value'],
        detail: 'must be a number from 0 to 1000000000 with at most 4 decimals',
      },
    ]);
    expect((await create({ targetId: example.variantId, condition: 'CHANGE' })).errors).toEqual([
      { path: ['percent'], detail: 'is required' },
      { path: ['days'], detail: 'is required' },
    ]);
  });
});
