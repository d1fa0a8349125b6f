import { beforeAll, expect, it } from 'vitest';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnDatabases, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { contextOf, type Entry, entry } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

const MONEY = '{ currency decimal }';
const SALES = `sales(first: $first, after: $after) { totalCount pageInfo { endCursor hasNextPage } nodes {
  transactionId occurred variant { id } quantity unitAmount ${MONEY} exchangeRate proceeds ${MONEY} cost ${MONEY} gain ${MONEY}
  uncovered lots { totalCount nodes { transactionId boughtOn quantity unitAmount ${MONEY} exchangeRate cost ${MONEY} daysHeld } } } }`;
const GAINS = `query ($id: ID!, $method: CostBasis, $first: Int, $after: String) { collection(id: $id) {
  realizedGains(year: 2025, method: $method) {
    year method quantity proceeds ${MONEY} cost ${MONEY} gain ${MONEY} ${SALES} } } }`;
const CSV = `query ($id: ID!, $after: String) { collection(id: $id) {
  realizedGains(year: 2025, method: FIFO) { salesCsv(after: $after) { csv endCursor } } } }`;
const LOT = `transactionId boughtOn quantityBought quantityLeft unitCost ${MONEY} unitAmount ${MONEY} exchangeRate`;
const LOTS = `query ($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on TransactionSummary {
  lots(first: $first, after: $after) { totalCount pageInfo { endCursor hasNextPage } nodes { ${LOT} } } } } }`;

const dollars = (decimal: string) => ({ currency: 'USD', decimal });

describeOnDatabases('lots and realised sales by GraphQL', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let variantId: string;
  let id: string;
  let summaryId: string;
  let transactionIds: string[];

  const deal = (
    occurredDate: string,
    action: Entry['action'],
    quantity: number,
    value: number,
    currency = 'USD',
  ) => entry(variantId, { occurredDate, action, quantity, unitAmount: { currency, value } });

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await newTestApp(database());
    [variantId] = (await pricedVariants(database(), 1)) as [string];
    await mutate(app, 'updatePreferences', { costBasis: 'FIFO' });
    const ctx = contextOf(database(), app);
    ({ id } = await createCollection(ctx, { name: 'Sold' }));
    const entries = [
      deal('2024-01-10', 'Purchase', 2, 10),
      deal('2024-02-10', 'Purchase', 2, 20),
      deal('2025-05-10', 'Sale', 3, 40),
      deal('2025-06-10', 'Sale', 2, 50),
      deal('2026-01-05', 'Purchase', 2, 30),
      deal('2026-01-06', 'Purchase', 1, 100, 'EUR'),
      deal('2026-02-01', 'Sale', 1, 35),
    ];
    transactionIds = (await createTransactions(ctx, id, entries)).map((one) => one.id);
    const { collection } = await app.graphql<Any>(
      'query ($id: ID!) { collection(id: $id) { transactionSummaries { nodes { id } } } }',
      { id },
    );
    summaryId = collection.transactionSummaries.nodes[0].id;
  });

  it('give each sale with its purchases, a page at a time', async () => {
    const { collection } = await app.graphql<Any>(GAINS, { id, method: 'FIFO', first: 1 });
    const { sales, ...sums } = collection.realizedGains;
    expect(sums).toEqual({
      year: 2025,
      method: 'FIFO',
      quantity: 5,
      proceeds: dollars('220.00'),
      cost: dollars('60.00'),
      gain: dollars('160.00'),
    });
    const lot = (purchase: number, boughtOn: string, quantity: number, paid: string, cost: string) => ({
      transactionId: transactionIds[purchase],
      boughtOn,
      quantity,
      unitAmount: dollars(paid),
      exchangeRate: '1',
      cost: dollars(cost),
    });
    expect(sales).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    expect(sales.nodes).toEqual([
      {
        transactionId: transactionIds[2],
        occurred: '2025-05-10T12:00:00Z',
        variant: { id: variantId },
        quantity: 3,
        unitAmount: dollars('40.00'),
        exchangeRate: '1',
        proceeds: dollars('120.00'),
        cost: dollars('40.00'),
        gain: dollars('80.00'),
        uncovered: 0,
        lots: {
          totalCount: 2,
          nodes: [
            { ...lot(0, '2024-01-10', 2, '10.00', '20.00'), daysHeld: 486 },
            { ...lot(1, '2024-02-10', 1, '20.00', '20.00'), daysHeld: 455 },
          ],
        },
      },
    ]);
    const next = await app.graphql<Any>(GAINS, {
      id,
      method: 'FIFO',
      first: 1,
      after: sales.pageInfo.endCursor,
    });
    const { nodes, pageInfo } = next.collection.realizedGains.sales;
    expect(pageInfo.hasNextPage).toBe(false);
    expect(nodes).toMatchObject([
      {
        transactionId: transactionIds[3],
        cost: dollars('20.00'),
        uncovered: 1,
        lots: { nodes: [{ ...lot(1, '2024-02-10', 1, '20.00', '20.00'), daysHeld: 486 }] },
      },
    ]);
  });

  it('go by the method that is asked for, and by that of the account without one', async () => {
    const gainBy = async (method: string | null) => {
      const { collection } = await app.graphql<Any>(GAINS, { id, method });
      const { method: by, gain, sales } = collection.realizedGains;
      const costs = sales.nodes.map(({ cost }: Any) => cost.decimal);
      return { by, gain: gain.decimal, costs };
    };
    // Four cards at 60.00, so 15.00 each: three, and the one that is left. By the average of all, the fifth has cost that too.
    expect(await gainBy('MOVING_AVERAGE')).toEqual({
      by: 'MOVING_AVERAGE',
      gain: '160.00',
      costs: ['45.00', '15.00'],
    });
    expect(await gainBy('AVERAGE')).toMatchObject({ by: 'AVERAGE', costs: ['45.00', '30.00'] });
    expect(await gainBy(null)).toEqual({ by: 'FIFO', gain: '160.00', costs: ['40.00', '20.00'] });
  });

  it('give the purchases of which cards are left, with the rate of their day', async () => {
    const { node } = await app.graphql<Any>(LOTS, { id: summaryId, first: 1 });
    expect(node.lots).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    expect(node.lots.nodes).toEqual([
      {
        transactionId: transactionIds[4],
        boughtOn: '2026-01-05',
        quantityBought: 2,
        quantityLeft: 1,
        unitCost: dollars('30.00'),
        unitAmount: dollars('30.00'),
        exchangeRate: '1',
      },
    ]);
    const after = node.lots.pageInfo.endCursor;
    const [euros] = (await app.graphql<Any>(LOTS, { id: summaryId, after })).node.lots.nodes;
    expect(euros).toMatchObject({
      transactionId: transactionIds[5],
      quantityBought: 1,
      quantityLeft: 1,
      unitAmount: { currency: 'EUR', decimal: '100.00' },
    });
    expect(Number(euros.exchangeRate)).toBeGreaterThan(1);
    expect(euros.unitCost).toEqual(dollars((Number(euros.exchangeRate) * 100).toFixed(2)));
  });

  it('give nothing to another account, by ids or by cursors', async () => {
    const { collection } = await app.graphql<Any>(GAINS, { id, first: 1 });
    const { endCursor } = collection.realizedGains.sales.pageInfo;
    expect(await stranger.graphql(GAINS, { id, after: endCursor })).toEqual({ collection: null });
    expect(await stranger.graphql(CSV, { id })).toEqual({ collection: null });
    expect(await stranger.graphql(LOTS, { id: summaryId })).toEqual({ node: null });
    const { collection: own } = (await mutate(stranger, 'createCollection', { name: 'Own' })) as Any;
    const ofOwn = await stranger.graphql<Any>(GAINS, { id: own.id, after: endCursor });
    expect(ofOwn.collection.realizedGains.sales.nodes).toEqual([]);
  });

  it('give the sales as CSV in parts of 1,000, and say what is wrong with a cursor', async () => {
    const ctx = contextOf(database(), app);
    const { id: many } = await createCollection(ctx, { name: 'Many' });
    const sales = (count: number) => Array.from({ length: count }, () => deal('2025-01-02', 'Sale', 1, 1));
    const part = async (after: string | null) => {
      const { collection } = await app.graphql<Any>(CSV, { id: many, after });
      const { csv, endCursor } = collection.realizedGains.salesCsv;
      return { lines: csv.split('\r\n').slice(0, -1) as string[], endCursor };
    };
    await createTransactions(ctx, many, sales(1000));
    expect(await part(null)).toMatchObject({ endCursor: null, lines: { length: 1001 } });
    await createTransactions(ctx, many, sales(1));
    const first = await part(null);
    const second = await part(first.endCursor);
    expect([first.lines.length, second.lines.length, second.endCursor]).toEqual([1001, 1, null]);
    expect(first.lines[0]).toMatch(/^saleId,soldOn,variantId,/);
    expect(new Set([...first.lines, ...second.lines].map((line) => line.split(',')[0])).size).toBe(1002);

    const { body } = await app.send('POST', '/graphql', {
      query: CSV,
      variables: { id: many, after: 'nonsense' },
    });
    expect(body.errors).toMatchObject([
      { path: ['collection', 'realizedGains', 'salesCsv'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});
