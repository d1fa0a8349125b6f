import { beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS, type Problem } from '../../src/domain/errors.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import {
  asNewAccount,
  bearing,
  describeOnDatabases,
  newTestApp,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { DOCUMENT, isOfPlatforms } from '../http/routes.ts';
import { NO_ACCOUNT, ORIGIN, sendRaw } from '../http/support.ts';
import { schemaBreaches } from '../support/contract.ts';
import { type ExampleOperation, exampleAccount, exampleRequest } from '../support/examples.ts';

const MIB = 1024 * 1024;
const PROBLEM_TYPE = 'application/problem+json';

const OPERATIONS = Object.entries(DOCUMENT.paths!).flatMap(([path, item]) =>
  Object.entries(item as Record<string, object>).map(
    ([method, operation]) =>
      ({ ...operation, method: method.toUpperCase(), path }) as unknown as ExampleOperation,
  ),
);
const ROUTES = OPERATIONS.filter(({ operationId }) => operationId !== 'createToken');

/** Ids that the service makes are others each time. */
function withoutMadeIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    if (MADE.includes(key)) return String(inner).slice(0, 4);
    // What is taken in depends on the file, of which no example can show anything.
    if (TAKEN_IN.includes(key)) return typeof inner;
    if (key === 'payload') return JSON.parse(inner).type;
    return key === 'nextAttemptAt' ? typeof inner : inner;
  });
}

const TAKEN_IN = ['collectionCount', 'transactionCount', 'priceAlertCount'];
const MADE = [
  ...['accessToken', 'accountId', 'collectionId', 'transactionId', 'importPreviewId'],
  ...['webhookId', 'deliveryId', 'secret'],
];

const contentOf = ({ responses }: ExampleOperation, status: number, type: string) =>
  responses[status]?.content?.[type];

describe('the examples of the OpenAPI document', () => {
  for (const operation of OPERATIONS) {
    const at = `/paths/${operation.path.replaceAll('/', '~1')}/${operation.method.toLowerCase()}`;
    it(`of ${operation.operationId} are there and keep to their schemas`, () => {
      for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
        expect(
          schemaBreaches(`${at}/requestBody/content/${type.replaceAll('/', '~1')}/schema`, example),
        ).toEqual([]);
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { example, examples }] of Object.entries(content)) {
          const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
          expect(values.length).toBeGreaterThan(0);
          const schema = `${at}/responses/${status}/content/${type.replaceAll('/', '~1')}/schema`;
          for (const value of values) expect([status, schemaBreaches(schema, value)]).toEqual([status, []]);
        }
      }
      for (const { name, in: place, required, schema } of operation.parameters ?? []) {
        const needsExample = required || place === 'query';
        expect([name, needsExample && schema.example === undefined]).toEqual([name, false]);
      }
    });
  }
});

describeOnDatabases('the examples', (database) => {
  let full: TestApp;
  beforeAll(async () => {
    full = await exampleAccount(database());
  });

  for (const operation of ROUTES) {
    it(`of ${operation.operationId} are what the service takes and gives`, async () => {
      const app = await exampleAccount(database());
      const { method, path, body, headers } = exampleRequest(operation);
      const answer = await app.send(method, path, body, headers);
      if (contentOf(operation, 200, 'application/gzip')) return expect(answer.status).toBe(200);
      const shown = contentOf(operation, 200, 'application/json')?.example;
      if (method === 'DELETE') expect([answer.status, answer.body]).toEqual([204, '']);
      else expect(withoutMadeIds(answer.body)).toEqual(withoutMadeIds(shown));
    });
  }

  it('of a token are what the token endpoint takes and gives', async () => {
    const operation = OPERATIONS.find(({ operationId }) => operationId === 'createToken')!;
    const form = exampleRequest(operation).body as Record<string, string>;
    const shown = (status: number) => {
      const { example, examples = {} } = contentOf(operation, status, 'application/json')!;
      return example ?? Object.values(examples).map(({ value }) => value);
    };
    const post = async (fields: Record<string, string>, app = full) => {
      const body = new URLSearchParams(fields);
      const answer = await app.fetch(new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body }));
      return answer.json();
    };
    expect(shown(401)).toEqual([await post(form)]);
    expect(shown(400)).toEqual([
      await post({ ...form, grant_type: '' }),
      await post({ ...form, grant_type: 'password' }),
      await post({ ...form, scope: 'other' }),
    ]);
    const strict = await newTestApp(database(), { config: { tokenLimitPerMinute: 1 } });
    await post(form, strict);
    // How long there is to wait depends on who came before from the same address.
    const anyWait = (answer: unknown) =>
      JSON.stringify(answer).replace(/Wait \d+ seconds/, 'Wait 60 seconds');
    expect(anyWait(shown(429))).toBe(anyWait([await post(form, strict)]));
    // The token itself is another one each time.
    expect(Object.keys(shown(200) as object).sort()).toEqual([
      'access_token',
      'expires_in',
      'scope',
      'token_type',
    ]);
  });

  /** A request that meets the problem, by status where it has several; null where no request of a client can. */
  const PROVOKE: Record<string, (operation: ExampleOperation) => Promise<TestResponse | null>> = {
    ValidationFailed: (operation) => send(operation, full, { query: 'colour=red' }),
    'MalformedRequest 400': (operation) =>
      isUpload(operation)
        ? send(operation, full, { headers: { 'Content-Type': 'multipart/form-data' } })
        : send(operation, full, { body: '' }),
    'MalformedRequest 408': async () => null,
    'MalformedRequest 413': (operation) =>
      send(operation, full, { body: ' '.repeat((isUpload(operation) ? 16 : 1) * MIB + 1) }),
    'MalformedRequest 415': (operation) =>
      send(operation, full, {
        headers: { 'Content-Type': isUpload(operation) ? 'application/json' : 'text/plain' },
      }),
    InvalidQuery: (operation) => send(operation, full, { query: `${queryName(operation)}=pitch%3E` }),
    Unauthorized: ({ method, path }) => sendRaw(full, method, named(path)),
    NotFound: async (operation) => {
      const making = ['createCollection', 'createAccount', 'createWebhook', 'setIdentityProvider'];
      if (making.includes(operation.operationId))
        return send(operation, full, { headers: { 'Cardledger-Account': NO_ACCOUNT } });
      if (operation.path.includes('{productId}')) return null;
      const query = { '/ev/breakdown': 'setType=Nothing' }[operation.path] ?? 'cursor=999';
      if (!operation.path.includes('{') && operation.path !== '/identity-provider')
        return send(operation, full, { query });
      return send(operation, await asNewAccount(database(), full.fetch, { maxAccounts: 1 }));
    },
    Forbidden: async (operation) => {
      const headers: Record<string, string> = isOfPlatforms(operation)
        ? {}
        : { 'Cardledger-Account': NO_ACCOUNT };
      return send(operation, await asNewAccount(database(), full.fetch), { headers });
    },
    PreconditionFailed: async (operation) => {
      const isShared = operation.path !== '/identity-provider';
      const app = isShared ? full : await exampleAccount(database());
      return send(operation, app, { headers: { 'If-Match': '"77"' } });
    },
    RateLimited: async (operation) => {
      const app = await newTestApp(database(), { config: { rateLimitPerMinute: 1 } });
      await send(operation, app);
      return send(operation, app);
    },
    LimitExceeded: async (operation) => {
      const app = await exampleAccount(database(), {
        maxCollections: 1,
        maxValuedCollections: 0,
        maxTransactions: 2,
        maxAccounts: 1,
      });
      for (let i = 1; i < LIMITS.webhooks; i++)
        await app.send('POST', '/webhook', { url: 'https://app.example/' });
      // The account below has something then.
      const token = { scope: 'default', expiresIn: 60 };
      const { body } = await app.send('POST', named('/account/{accountId}/token'), token);
      await bearing(app.fetch, body.accessToken, app.accountId).send('POST', '/collection', { name: 'x' });
      return send(operation, app);
    },
    CollectionInUse: async (operation) => {
      const app = await exampleAccount(database());
      await app.graphql(
        `mutation { setGoalCollection(input: { collectionId: "${named('{collectionId}')}" }) { __typename } }`,
      );
      return send(operation, app, { headers: { 'If-Match': '*' } });
    },
    IdempotencyMismatch: async (operation) => {
      const app = await exampleAccount(database());
      await app.send('POST', '/collection', { name: 'x' }, { 'Idempotency-Key': 'order-4711' });
      return send(operation, app);
    },
    TooMuchWork: async () => null,
    Internal: async () => null,
    Unavailable: async () => null,
  };

  const named = (path: string) => exampleRequest({ ...ROUTES[0]!, ...ids, path }).path;
  const ids = {
    parameters: ROUTES.flatMap(({ parameters = [] }) => parameters.filter((p) => p.in === 'path')),
  };
  const isUpload = ({ operationId }: ExampleOperation) =>
    ['previewImport', 'importAccount'].includes(operationId);
  const queryName = ({ operationId }: ExampleOperation) =>
    operationId === 'searchProducts' ? 'q' : 'searchQuery';

  /** The example, with another body, query or headers. */
  function send(
    operation: ExampleOperation,
    app: TestApp,
    changes: { query?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<TestResponse> {
    const { method, path, body, headers } = exampleRequest(operation);
    const [bare, query] = path.split('?');
    const changed = new URLSearchParams(query);
    for (const [name, value] of new URLSearchParams(changes.query)) changed.set(name, value);
    const where = changed.size > 0 ? `${bare}?${changed}` : bare!;
    return app.send(method, where, changes.body ?? body, { ...headers, ...changes.headers });
  }

  /** Figures differ with the settings of the test. */
  const comparable = ({ requestId: _, ...body }: Record<string, unknown>) =>
    JSON.parse(JSON.stringify(body), (key, value) => {
      if (key === 'limit' || key === 'current') return 0;
      return key === 'detail' ? String(value).replaceAll(/\d+/g, '0') : value;
    });

  for (const operation of ROUTES) {
    it(`of the problems of ${operation.operationId} are what they are`, async () => {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [name, { value }] of Object.entries(content[PROBLEM_TYPE]?.examples ?? {})) {
          const provoke = PROVOKE[name] ?? PROVOKE[`${name} ${status}`];
          expect(PROBLEMS[name as Problem]).toBeDefined();
          const answer = await provoke!(operation);
          if (answer) {
            expect(comparable(answer.body)).toEqual(comparable(value as Record<string, unknown>));
            expect(answer.status).toBe(Number(status));
          }
        }
      }
    });
  }
});
