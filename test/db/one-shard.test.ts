import { beforeAll, describe, expect, it } from 'vitest';
import type { Param } from '../../src/db/client.ts';
import { COLLECTION_ID, readTasks } from '../../src/graphql/examples.ts';
import {
  describeOnDatabases,
  newTestApp,
  type SentStatement,
  statementsOf,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { goodRequest, type Ids, newIds, OPERATIONS } from '../http/routes.ts';
import { purchase } from '../http/support.ts';
import { anyParams, breachOfOneShard, isOfAnAccount } from '../support/one-shard.ts';
import { screens } from '../support/screens.ts';
import { QUERY_FILES, statementsIn } from '../support/written-statements.ts';

interface Asked {
  name: string;
  send(app: TestApp, ids: Ids): Promise<TestResponse>;
}

const graphql = (name: string, query: string, variables: (ids: Ids) => unknown = () => ({})): Asked => ({
  name,
  send: (app, ids) => app.send('POST', '/graphql', { query, variables: variables(ids) }),
});

const MONEY = '{ currency decimal }';
const transactions = ({ collectionId, variantId }: Ids) => ({
  input: { collectionId, transactions: [{ ...purchase(variantId), action: 'PURCHASE' }] },
});
const CREATE_MANY =
  'mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { ... on CreateTransactionsPayload { transactions { id } } ... on Error { message } } }';
const IMPORT_CSV = `mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) {
  ... on ImportTransactionsPayload { transactionCount } ... on Error { message } } }`;

const IMPORT_PREVIEWED = `mutation ($input: ImportPreviewedInput!) { importPreviewed(input: $input) {
  ... on ImportPreviewedPayload { written } ... on Error { message } } }`;

/** What is asked for most, and is worked by the database of one account, each by itself. */
const HOT: Asked[] = [
  {
    name: 'REST: create a transaction',
    send: (app, { collectionId, variantId }) =>
      app.send('POST', `/collection/${collectionId}/transaction`, purchase(variantId)),
  },
  {
    name: 'REST: create a transaction with an idempotency key',
    send: (app, { collectionId, variantId }) =>
      app.send('POST', `/collection/${collectionId}/transaction`, purchase(variantId), {
        'Idempotency-Key': crypto.randomUUID(),
      }),
  },
  {
    name: 'REST: create one of another currency',
    send: (app, { collectionId, variantId }) =>
      app.send(
        'POST',
        `/collection/${collectionId}/transaction`,
        purchase(variantId, { unitAmount: { currency: 'EUR', value: 3 } }),
      ),
  },
  {
    name: 'REST: change a collection as it was seen',
    send: async (app, ids) => {
      const { headers } = await app.send('GET', `/collection/${ids.collectionId}`);
      return sendOperation(app, ids, 'updateCollection', { 'If-Match': headers.get('ETag')! });
    },
  },
  {
    name: 'REST: page of 50 transactions',
    send: (app, { collectionId }) => app.send('GET', `/collection/${collectionId}/transaction?pageSize=50`),
  },
  {
    name: 'REST: page of 50 holdings by gain, searched',
    send: (app, { collectionId }) =>
      app.send(
        'GET',
        `/collection/${collectionId}/transaction-summary?pageSize=50&sortOrder=Gain&searchQuery=${encodeURIComponent('quantity>1 or gain<0')}`,
      ),
  },
  graphql('GraphQL: create many', CREATE_MANY, transactions),
  graphql(
    'GraphQL: nested',
    `{ collections(first: 10) { nodes { id marketValue ${MONEY} transactions(first: 5) { totalCount nodes { id variant { id } } }
       transactionSummaries(first: 10, sort: MARKET_VALUE) { totalCount nodes { quantity variant { product { name } } } } } } }`,
  ),
  graphql(
    'GraphQL: search over holdings',
    `query ($id: ID!) { collection(id: $id) { transactionSummaries(first: 50, searchQuery: "(quantity>1 or gain<0) -foil", sort: PERCENTAGE_GAIN) {
       totalCount nodes { id quantity gain ${MONEY} } } } }`,
    ({ collectionId }) => ({ id: collectionId }),
  ),
  graphql(
    'GraphQL: dashboard',
    `{ viewer { dashboard { collectionCount marketValue ${MONEY} gain ${MONEY} movers(period: MONTH, first: 5) { movers { quantity } }
       valueHistory(from: "2026-01-01", to: "2026-03-01", interval: MONTH) { marketValue ${MONEY} } } } }`,
  ),
  {
    name: 'REST: preview of an import',
    send: (app, ids) => sendOperation(app, ids, 'previewImport'),
  },
  {
    name: 'GraphQL: import of a preview',
    send: async (app, ids) => {
      const { body } = await sendOperation(app, ids, 'previewImport');
      const variables = { input: { id: body.importPreviewId } };
      return app.send('POST', '/graphql', { query: IMPORT_PREVIEWED, variables });
    },
  },
  graphql('GraphQL: import', IMPORT_CSV, ({ collectionId, variantId }) => ({
    input: {
      collectionId,
      dryRun: false,
      csv: `occurredDate,action,quantity,unitAmount,currency,variantId\n2026-01-31,Purchase,2,1.50,USD,${variantId}\n`,
    },
  })),
];

/** Examples whose variables have the id of something that nobody has. */
const NAME_NOTHING = ['page: DeleteAlert', 'page: Undo'];

/** Written down, and sent as part of another statement alone; and what Citus works, but does not explain. */
const NOT_EXPLAINED = ['OF_COLLECTIONS', 'RECORD_IMPORT'];

async function sendOperation(
  app: TestApp,
  ids: Ids,
  operationId: string,
  more: Record<string, string> = {},
): Promise<TestResponse> {
  const operation = OPERATIONS.find((one) => one.operationId === operationId)!;
  const { path, body, headers } = goodRequest(operation);
  return app.send(operation.method, path(ids), body?.(ids), { ...headers, ...more });
}

/** What the page sends, what the screens of the documents do, and each operation of REST. */
async function others(): Promise<Asked[]> {
  const tasks = await readTasks();
  const examples = tasks
    .flatMap((task) => task.examples)
    .filter(({ query }) => !/^subscription/m.test(query))
    .map(({ operation, query, variables }) =>
      graphql(`page: ${operation}`, query, ({ collectionId }) =>
        JSON.parse((variables ?? '{}').replaceAll(COLLECTION_ID, collectionId)),
      ),
    );
  const shown = screens().map(({ title, query, variables }) =>
    graphql(`screen: ${title}`, query, ({ collectionId }) => variables(collectionId)),
  );
  const operations = OPERATIONS.map(({ operationId }) => ({
    name: `REST: ${operationId}`,
    send: (app: TestApp, ids: Ids) => sendOperation(app, ids, operationId),
  }));
  return [...examples, ...shown, ...operations];
}

// With TEST_CITUS_URL, which global-setup tells of where it is not set.
describe.skipIf(!process.env.TEST_CITUS_URL)('on Citus', () => {
  describeOnDatabases('a request', (database) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await newTestApp(database(), { maxAccounts: 200 });
    });

    /** The statements of the request on tables of accounts; it is answered well, so that none is left out. */
    async function sentBy({ name, send }: Asked): Promise<SentStatement[]> {
      // What others have deleted.
      const ids = await newIds(database(), app);
      const { result, statements } = await statementsOf(() => send(app, ids));
      const text = JSON.stringify(result.body);
      const isRefused = result.status >= 300 || result.body.errors || text.includes('"message":');
      if (isRefused && !NAME_NOTHING.includes(name)) throw new Error(`${name}: ${result.status} ${text}`);
      return statements.filter(({ text }) => isOfAnAccount(text));
    }

    async function breachesOf(statements: readonly SentStatement[]): Promise<string[]> {
      const breaches = [];
      for (const statement of statements) breaches.push(await breachOfOneShard(database(), statement));
      return breaches.filter((breach) => breach !== null);
    }

    it.each(HOT)('is worked by one shard: $name', async (asked) => {
      const statements = await sentBy(asked);
      expect(statements).not.toEqual([]);
      expect(await breachesOf(statements)).toEqual([]);
    });

    // What is worked by several, and never by a request, is listed in docs/operations.md#citus.
    it('is worked by one shard, whichever the page, a screen and REST have', async () => {
      const sent = new Map<string, SentStatement>();
      for (const asked of await others())
        for (const statement of await sentBy(asked)) sent.set(statement.text, statement);
      expect(sent.size).toBeGreaterThan(50);
      expect(await breachesOf([...sent.values()])).toEqual([]);
    });
  });

  describeOnDatabases('what is written down', (database) => {
    async function breachOf(text: string, params: Param[]): Promise<string | null> {
      if (isOfAnAccount(text)) return breachOfOneShard(database(), { text, params });
      const explained = database().query(`explain ${text}`, params);
      return explained.then(
        () => null,
        (error: Error) => error.message,
      );
    }

    // Whether any suite sends it or not.
    it.each(QUERY_FILES)('is planned, and what is of one account for one shard: %s', async (file) => {
      const breaches: string[] = [];
      for (const { name, text } of await statementsIn(file)) {
        if (NOT_EXPLAINED.includes(name)) continue;
        for (const params of await anyParams(database(), text)) {
          const breach = await breachOf(text, params);
          if (breach !== null) breaches.push(`${name}: ${breach}`);
        }
      }
      expect(breaches).toEqual([]);
    });
  });
});
