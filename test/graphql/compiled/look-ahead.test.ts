import { beforeAll, expect, it } from 'vitest';
import {
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../../harness.ts';

const SUMMARIES =
  '{ edges { cursor node { id quantity marketValue { decimal } } } pageInfo { hasNextPage } }';

/** Selections of collections, and how many statements they cost. */
const SELECTIONS: Record<string, [selection: string, statements: number]> = {
  'by value': [`nodes { id transactionSummaries(first: 2, sort: MARKET_VALUE) ${SUMMARIES} }`, 1],
  'from their end': [`nodes { transactionSummaries(last: 2, sort: GAIN, reverse: true) ${SUMMARIES} }`, 1],
  'by an order of products': [`nodes { transactionSummaries(first: 2, sort: CARD_NUMBER) ${SUMMARIES} }`, 1],
  'of edges, under another name': [
    `edges { cursor node { name held: transactionSummaries(first: $first, sort: $sort) ${SUMMARIES} } }`,
    1,
  ],
  'in fragments': ['...Part', 1],
  'asked for twice as the same': [
    `nodes { transactionSummaries(first: 2, sort: QUANTITY) { totalCount } }
     nodes { transactionSummaries(first: 2, sort: QUANTITY) ${SUMMARIES} }`,
    2,
  ],
  'asked for in two ways': [
    `nodes { a: transactionSummaries(first: 1, sort: GAIN) ${SUMMARIES}
      b: transactionSummaries(first: 2, sort: QUANTITY) ${SUMMARIES} }`,
    3,
  ],
  'of nodes and of edges': [
    `nodes { transactionSummaries(first: 1, sort: GAIN) ${SUMMARIES} }
     edges { node { transactionSummaries(first: 2, sort: GAIN) ${SUMMARIES} } }`,
    3,
  ],
  'by name, which memory has': [`nodes { transactionSummaries(first: 2) ${SUMMARIES} }`, 2],
  'that match a query': [
    `nodes { transactionSummaries(first: 2, sort: GAIN, searchQuery: "quantity>0") ${SUMMARIES} }`,
    2,
  ],
  'left out': [`nodes { id transactionSummaries(first: 2, sort: GAIN) @skip(if: true) ${SUMMARIES} }`, 1],
};

const document = (selection: string) => `
  query ${selection.includes('$first') ? '($first: Int = 1, $sort: TransactionSummarySort = UNIT_VALUE)' : ''} {
    collections(first: 2, sort: ALPHABETICAL) { ${selection} pageInfo { hasNextPage endCursor } }
  }
  ${selection.includes('...Part') ? FRAGMENTS : ''}`;
const FRAGMENTS = `fragment Part on CollectionConnection { nodes { ...Held } }
  fragment Held on Collection { transactionSummaries(first: 1, after: null, sort: QUANTITY) ${SUMMARIES} }`;

describeOnDatabases('collections with their summaries', (database) => {
  let app: TestApp;
  const send = async (query: string, headers = {}) =>
    (await app.send('POST', '/graphql', { query }, headers)).body;
  /** Shares of the cost are only told of what is interpreted. */
  const interpreted = (query: string) => send(query, { 'GraphQL-Cost-Debug': '1' });

  beforeAll(async () => {
    app = await newTestApp(database(), { compiledFromExecution: 1 });
    const variants = await pricedVariants(database(), 3);
    for (const name of ['Albums', 'Boxes', 'Cases']) {
      const { body } = await app.send('POST', '/collection', { name });
      for (const [i, variantId] of variants.entries()) {
        if (name === 'Boxes' && i > 0) continue;
        await app.send('POST', `/collection/${body.collectionId}/transaction`, {
          variantId,
          occurredDate: '2026-01-02',
          action: 'Purchase',
          quantity: i + 1,
          unitAmount: { currency: 'USD', value: 1.5 + i },
        });
      }
    }
  });

  it.each(Object.entries(SELECTIONS))(
    '%s: the same, compiled and interpreted',
    async (_name, [selection, count]) => {
      const query = document(selection);
      await send(query);
      const { result, statements } = await statementsOf(() => send(query));
      expect(statements).toHaveLength(count);
      expect(result.errors).toBeUndefined();
      expect(result.data.collections.pageInfo.hasNextPage).toBe(true);
      const { result: other, statements: others } = await statementsOf(() => interpreted(query));
      expect(result.data).toEqual(other.data);
      expect(others.length).toBeGreaterThanOrEqual(count);
    },
  );

  it('refuses the arguments of what is brought as it does without', async () => {
    const query = document(
      `nodes { transactionSummaries(first: 1, after: "none", sort: GAIN) ${SUMMARIES} }`,
    );
    const { errors } = await send(query);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('cursor'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    const [{ message, path }] = (await interpreted(query)).errors;
    expect(errors).toMatchObject([{ message, path }]);
  });
});
