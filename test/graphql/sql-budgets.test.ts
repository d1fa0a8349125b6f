import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { contextOf, entry, graphqlEntry } from '../support/furnished.ts';

const SIZES = [1, 20, 200] as const;

interface Stock {
  app: TestApp;
  collectionIds: string[];
  transactionIds: string[];
}

/** The statements that each operation sends, in words; as many for one item as for 200. */
describeOnDatabases('SQL budgets', (database) => {
  let variants: string[];
  /** Accounts with 1, 20 and 200 collections, the first of which has 1, 20 and 200 transactions. */
  const stocks = new Map<number, Stock>();

  beforeAll(async () => {
    const db = database();
    variants = await pricedVariants(db, 1000);
    const base = await newTestApp(db);
    // The first search makes the index, and reads the catalogue.
    await base.graphql('{ products(query: "dash") { totalCount } }');
    for (const size of SIZES) {
      const app = await asNewAccount(db, base.fetch);
      const ctx = contextOf(db, app);
      const collectionIds: string[] = [];
      for (let i = 0; i < size; i++)
        collectionIds.push((await createCollection(ctx, { name: `No. ${i}` })).id);
      const entries = (from: number, count: number) =>
        variants.slice(from, from + count).map((variantId) => entry(variantId));
      const rows = await createTransactions(ctx, collectionIds[0]!, entries(0, size));
      for (const [i, id] of collectionIds.slice(1).entries())
        await createTransactions(ctx, id, entries(i * 4, 4));
      // One less than it may have.
      for (let i = 0; i < Math.min(size, LIMITS.priceAlerts - 1); i++) {
        const targetId = i % 2 === 0 ? variants[i]! : collectionIds[i]!;
        await createPriceAlert(ctx, { targetId, condition: 'Change', percent: 1 + i, days: 7 });
      }
      stocks.set(size, { app, collectionIds, transactionIds: rows.map(({ id }) => id) });
    }
  });

  /**
   * Executes a query twice: the first operation of a client also looks at the client and at the account's preferences, and
   * reads the ledgers whose summaries are asked for.
   */
  const measure = async (
    size: number,
    query: string,
    variables: (stock: Stock) => Record<string, unknown>,
  ): Promise<{ statements: number; nodes: number }> => {
    const stock = stocks.get(size)!;
    await stock.app.graphql('query ($id: ID!) { variant(id: $id) { marketPrice { value } } }', {
      id: variants[0],
    });
    if (query.startsWith('query')) await stock.app.graphql(query, variables(stock));
    const { result, statements } = await statementsOf(() => stock.app.graphql(query, variables(stock)));
    return { statements: statements.length, nodes: JSON.stringify(result).split('"id"').length - 1 };
  };

  const operations: {
    name: string;
    query: string;
    variables: (size: number, stock: Stock) => Record<string, unknown>;
    statements: string[];
    /** Where there are fewer than 200. */
    sizes?: readonly number[];
    /** Least number of ids in the answer for each item. */
    idsPerItem: number;
  }[] = [
    {
      name: 'collections × summaries × variant × product × price',
      query: `query ($n: Int!) { collections(first: $n) { nodes { id transactionSummaries(first: 9) { nodes { id
        variant { id marketPrice { value } product { id name } } } } } } }`,
      variables: (n) => ({ n }),
      statements: ['collections'],
      idsPerItem: 4,
    },
    {
      name: 'a collection × summaries × variant × product × its variants',
      query: `query ($n: Int!, $id: ID!) { collection(id: $id) { id transactionSummaries(first: $n) { totalCount nodes {
        id variant { id product { id variants { id marketPrice(currency: NZD, priceSource: VENDOR_MARKET) { value } } }
        } } } } }`,
      variables: (n, { collectionIds }) => ({ n, id: collectionIds[0] }),
      // What it holds is in memory, so it is counted there.
      statements: ['collection'],
      idsPerItem: 4,
    },
    {
      name: 'a collection × summaries that match a search, and how many do',
      query: `query ($n: Int!, $id: ID!) { collection(id: $id) {
        transactionSummaries(first: $n, searchQuery: "quantity>0") { totalCount nodes { id } } } }`,
      variables: (n, { collectionIds }) => ({ n, id: collectionIds[0] }),
      // Counted with the page: in a later state of the ledger it might be another number.
      statements: ['collection', 'state of its ledger'],
      idsPerItem: 1,
    },
    {
      name: 'collections × counts, history and gains',
      query: `query ($n: Int!) { collections(first: $n) { totalCount nodes { id transactions(first: 1) { totalCount }
        transactionSummaries(first: 1) { totalCount } realizedGains(year: 2026) { gain { value } } } } }`,
      variables: (n) => ({ n }),
      statements: ['collections', 'their count', 'transactions', 'gains'],
      idsPerItem: 1,
    },
    {
      name: 'transactions × variant, product and collection',
      query: `query ($n: Int!, $id: ID!) { collection(id: $id) { transactions(first: $n) { totalCount nodes {
        id variant { id product { id } } collection { id transactionSummaries(first: 1) { nodes { id } } } } } } }`,
      variables: (n, { collectionIds }) => ({ n, id: collectionIds[0] }),
      // The collection is known by then.
      statements: ['collection', 'transactions'],
      idsPerItem: 4,
    },
    {
      name: 'products × variants × prices',
      query: `query ($n: Int!) { products(query: "class:ninja", first: $n) { totalCount didYouMean nodes { id
        variants { id saleVolumes marketPrice { value } product { id } } } } }`,
      variables: (n) => ({ n }),
      // All of it is in memory.
      statements: [],
      idsPerItem: 3,
    },
    {
      name: 'expected values × breakdown × product',
      query: `query ($n: Int!) { productEvs(first: $n) { nodes { id product { id variants { id } }
        breakdown { product { id } categories { category } } } } }`,
      variables: (n) => ({ n }),
      statements: [],
      sizes: [1, 20, 60],
      idsPerItem: 3,
    },
    {
      name: 'nodes of several types',
      query: `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Transaction { variant { id } } ... on Collection {
        transactions(first: 1) { nodes { id } } } ... on Variant { product { id } } } }`,
      variables: (n, { collectionIds, transactionIds }) => ({
        ids: [collectionIds, transactionIds, variants.slice(500)].flatMap((ids) =>
          ids.slice(0, Math.max(1, Math.floor(n / 3))),
        ),
      }),
      statements: ['collections', 'transactions', 'transactions of collections'],
      idsPerItem: 0.9,
    },
    {
      name: 'price alerts × target × product',
      query: `query ($n: Int!) { viewer { id priceAlerts(first: $n) { totalCount nodes { id isMet target {
        ... on Variant { id product { id } } ... on Collection { id transactions(first: 1) { nodes { id } } } } } } } }`,
      variables: (n) => ({ n }),
      statements: ['account', 'alerts', 'their count', 'collections', 'transactions of collections'],
      sizes: [20, 99],
      idsPerItem: 3,
    },
    {
      name: 'createTransactions × variant × product × collection',
      query: `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
        ... on CreateTransactionsPayload { transactions { id variant { id product { id } } collection { id } } } } }`,
      variables: (n, { collectionIds }) => ({
        input: {
          collectionId: collectionIds.at(-1),
          transactions: variants.slice(0, n).map((id) => graphqlEntry(id)),
        },
      }),
      statements: ['insert', 'collection'],
      sizes: [1, 20, 200],
      idsPerItem: 4,
    },
  ];

  describe.each(operations)('$name', ({ query, variables, statements, sizes = SIZES, idsPerItem }) => {
    it.each(sizes)(`takes ${statements.length} statements for %i`, async (size) => {
      const stock = SIZES.find((one) => one >= size)!;
      const measured = await measure(stock, query, (of) => variables(size, of));
      expect(measured.nodes).toBeGreaterThanOrEqual(size * idsPerItem);
      expect(measured.statements, statements.join(', ')).toBe(statements.length);
    });
  });

  it('takes one statement for more items than fit in a page', async () => {
    const { app, collectionIds } = stocks.get(20)!;
    const { statements } = await statementsOf(() =>
      app.graphql(
        `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) {
          ... on CreateTransactionsPayload { transactions { variant { id product { id } } } } } }`,
        { input: { collectionId: collectionIds[1], transactions: variants.map((id) => graphqlEntry(id)) } },
      ),
    );
    expect(statements).toHaveLength(1);
  });

  it.each(SIZES)('a price alert takes as many statements in an account of %i', async (size) => {
    const stock = stocks.get(size)!;
    const measureAlert = async (name: string, input: object, payload: string) => {
      const { result, statements } = await statementsOf(() =>
        stock.app.graphql<Record<string, { priceAlert: { id: string } }>>(
          `mutation ($input: ${name}Input!) { ${name[0]!.toLowerCase()}${name.slice(1)}(input: $input) {
            ... on ${name}Payload { ${payload} } } }`,
          { input },
        ),
      );
      return { statements: statements.length, answer: Object.values(result)[0]! };
    };
    const input = { targetId: stock.collectionIds[0], condition: 'CHANGE', percent: 5, days: 30 };
    const made = await measureAlert('CreatePriceAlert', input, 'priceAlert { id }');
    const deleted = await measureAlert('DeletePriceAlert', { id: made.answer.priceAlert.id }, 'deletedId');
    // Lock, collection, count, insert, start; delete.
    expect([made.statements, deleted.statements]).toEqual([5, 1]);
  });

  it('looks once for what an order by value was, where a page is behind its end', async () => {
    const { app } = stocks.get(20)!;
    type Ordered = { collections: { nodes: unknown[]; pageInfo: { endCursor: string } } };
    const page = (after: string | null) =>
      app.graphql<Ordered>(
        `query ($after: String) { collections(sort: VALUE, first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }`,
        { after },
      );
    const { pageInfo } = (await page(null)).collections;
    const { result, statements } = await statementsOf(() => page(pageInfo.endCursor));
    expect(result.collections.nodes).toEqual([]);
    // The page, what the collections are worth, the page again.
    expect(statements).toHaveLength(3);
  });

  it('looks a thing up once, however often it is asked for', async () => {
    const { app, collectionIds } = stocks.get(1)!;
    const query = `query ($id: ID!) { a: collection(id: $id) { name } b: collection(id: $id) { image }
      c: node(id: $id) { id } d: nodes(ids: [$id, $id]) { id } viewer { name } e: viewer { limits { maxCollections } } }`;
    const { statements } = await statementsOf(() => app.graphql(query, { id: collectionIds[0] }));
    expect(statements).toHaveLength(2);
  });

  it('costs nothing where no field needs it', async () => {
    const { app } = stocks.get(1)!;
    const { statements } = await statementsOf(() =>
      app.graphql('{ __typename __schema { types { name } } }'),
    );
    expect(statements).toEqual([]);
  });
});
