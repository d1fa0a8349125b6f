import { createHash } from 'node:crypto';
import {
  buildClientSchema,
  getIntrospectionQuery,
  introspectionFromSchema,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { newId } from '../../src/domain/ids.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  responseOf,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { brokenDatabase } from '../support/broken-database.ts';
import { recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { describeHttpAudits } from './http-audits.ts';

const ENDPOINT = 'http://cardledger.test/graphql';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const REQUEST_ID = /^[0-9a-f-]{36}$/;

describeOnDatabases('GraphQL over HTTP', (database) => {
  let app: TestApp;
  let example: WorkedExample;

  beforeAll(async () => {
    app = await newTestApp(database());
    example = await recordWorkedExample(database(), app);
  });

  describeHttpAudits('the service', (request) => {
    request.headers.set('Authorization', `Bearer ${app.token}`);
    return app.fetch(request);
  });

  const post = (query: string, variables?: unknown) => app.send('POST', '/graphql', { query, variables });
  const expectErrors = ({ body, headers }: TestResponse, code: string) => {
    expect(body.errors.length).toBeGreaterThan(0);
    for (const { message, extensions } of body.errors) {
      expect(message).toMatch(/\S/);
      expect(extensions).toMatchObject({ code, requestId: headers.get('X-Request-Id') });
      expect(extensions.requestId).toMatch(REQUEST_ID);
      expect(Object.keys(extensions)).not.toContain('originalError');
    }
  };

  it.each(['text/event-stream', '*/*'])(
    'HEAD that takes %s is answered without a body, and leaves nothing behind that fails',
    async (Accept) => {
      const unhandled = vi.fn<() => void>();
      process.on('unhandledRejection', unhandled);
      onTestFinished(() => void process.off('unhandledRejection', unhandled));
      const headers = { Authorization: `Bearer ${app.token}`, Accept };
      const asked = new Request(`${ENDPOINT}?query={__typename}`, { method: 'HEAD', headers });
      const { status, body } = await app.fetch(asked);
      expect([status, body]).toEqual([200, null]);
      // Node tells of those of this turn of the event loop behind it.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    },
  );

  describe('callers', () => {
    const bare = async (init: RequestInit, path = '') =>
      responseOf(await app.fetch(new Request(ENDPOINT + path, init)));
    const body = JSON.stringify({ query: '{ viewer { id } }' });

    it('need a token', async () => {
      for (const [init, path] of [
        [{ method: 'POST', headers: JSON_TYPE, body }, ''],
        [{ method: 'POST', headers: JSON_TYPE, body: '{' }, ''],
        [{ method: 'GET', headers: { Accept: 'application/json' } }, '?query={__typename}'],
        [
          { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ query: getIntrospectionQuery() }) },
          '',
        ],
      ] as [RequestInit, string][]) {
        const answer = await bare(init, path);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="[^"]+"$/);
        expect(answer.body).not.toHaveProperty('data');
        expectErrors(answer, 'Unauthorized');
      }
    });

    it.each(['Bearer', 'Bearer ', 'Bearer x', 'Bearer a.b.c', 'Basic eDp5', 'x'.repeat(5000)])(
      'with %.20s are refused',
      async (authorization) => {
        const headers = { ...JSON_TYPE, Authorization: authorization };
        const answer = await bare({ method: 'POST', headers, body });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
        expectErrors(answer, 'Unauthorized');
      },
    );

    it('are refused with a token that somebody changed', async () => {
      const [head, payload, signature] = app.token.split('.') as [string, string, string];
      const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'acc_other' };
      const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
      const answer = await bare({
        method: 'POST',
        headers: { ...JSON_TYPE, Authorization: `Bearer ${forged}` },
        body,
      });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
    });

    it('of another origin get no grant from the browser', async () => {
      const { headers } = await app.send(
        'POST',
        '/graphql',
        { query: '{ viewer { name } }' },
        { Origin: 'https://evil.example' },
      );
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    it('see their rate limit', async () => {
      const limited = await newTestApp(database(), { config: { rateLimitPerMinute: 2 } });
      const send = () => limited.send('POST', '/graphql', { query: '{ __typename }' });
      expect((await send()).headers.get('RateLimit-Remaining')).toBe('1');
      await send();
      const refused = await send();
      expect(refused.status).toBe(429);
      expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
      expectErrors(refused, 'RateLimited');
    });
  });

  describe('requests that are refused', () => {
    const cases: [string, number, string, RequestInit][] = [
      ['no JSON', 400, 'MalformedRequest', { body: '{"query": ' }],
      ['a JSON text', 400, 'MalformedRequest', { body: '"{ __typename }"' }],
      ['null', 400, 'MalformedRequest', { body: 'null' }],
      [
        'a batch',
        400,
        'MalformedRequest',
        { body: '[{"query":"{ __typename }"},{"query":"{ __typename }"}]' },
      ],
      [
        'more than 1 MiB',
        413,
        'MalformedRequest',
        { body: JSON.stringify({ query: '{ __typename }', x: 'x'.repeat(2 ** 20) }) },
      ],
      ['a mutation by GET', 405, 'MethodNotAllowed', { method: 'GET' }],
    ];
    it.each(cases)('%s: %i', async (_name, status, code, init) => {
      const get = init.method === 'GET';
      const query = 'mutation{createCollection(input:{name:"x"}){__typename}}';
      const answer = await responseOf(
        await app.fetch(
          new Request(get ? `${ENDPOINT}?query=${encodeURIComponent(query)}` : ENDPOINT, {
            method: 'POST',
            ...init,
            headers: { ...JSON_TYPE, ...init.headers, Authorization: `Bearer ${app.token}` },
          }),
        ),
      );
      expect(answer.status).toBe(status);
      expect(answer.body).not.toHaveProperty('data');
      expectErrors(answer, code);
    });

    const change = 'mutation { createCollection(input: { name: "Of another site" }) { __typename } }';
    const changeAsJson = JSON.stringify({ query: change });
    const form = new FormData();
    form.set('operations', changeAsJson);
    it.each<[string, BodyInit, string?]>([
      ['a form', new URLSearchParams({ query: change })],
      ['multipart', form],
      ['text', changeAsJson, 'text/plain'],
      ['text that looks like JSON', changeAsJson, 'text/plain; application/json'],
      ['two content types', changeAsJson, 'text/plain, application/json'],
      ['a bare document', change, 'application/graphql'],
      ['bytes without a content type', Buffer.from(changeAsJson)],
    ])('%s, as a page of another site could send it, whatever is wanted', async (_name, body, type) => {
      const namesOf = async () => {
        const { collections } = await app.graphql<{ collections: { nodes: { name: string }[] } }>(
          '{ collections { nodes { name } } }',
        );
        return collections.nodes.map(({ name }) => name);
      };
      const before = await namesOf();
      for (const accept of ['*/*', 'text/event-stream', 'multipart/mixed', 'text/html']) {
        const headers = {
          Authorization: `Bearer ${app.token}`,
          Accept: accept,
          ...(type !== undefined && { 'Content-Type': type }),
        };
        const answer = await responseOf(
          await app.fetch(new Request(ENDPOINT, { method: 'POST', headers, body })),
        );
        expect([accept, answer.status]).toEqual([accept, 415]);
        expectErrors(answer, 'MalformedRequest');
      }
      expect(await namesOf()).toEqual(before);
    });

    it.each(['PUT', 'DELETE', 'PATCH'])('the method %s', async (method) => {
      const { status, headers } = await app.send(method, '/graphql', { query: '{ __typename }' });
      expect(status).toBe(405);
      expect(headers.get('Allow')).toMatch(/GET.*POST|POST.*GET/);
    });

    it.each([
      ['a syntax error', '{ viewer ', {}, 'GRAPHQL_PARSE_FAILED'],
      ['an unknown field', '{ viewer { nope } }', {}, 'GRAPHQL_VALIDATION_FAILED'],
      ['a missing argument', '{ node { id } }', {}, 'GRAPHQL_VALIDATION_FAILED'],
      [
        'a member that the union has not',
        'mutation { createCollection(input: { name: "x" }) { ... on NotFound { message } } }',
        {},
        'GRAPHQL_VALIDATION_FAILED',
      ],
      ['a missing variable', 'query ($id: ID!) { node(id: $id) { id } }', {}, 'BAD_USER_INPUT'],
      [
        'an enum value',
        'query ($s: CollectionSort) { collections(sort: $s) { totalCount } }',
        { s: 'Value' },
        'BAD_USER_INPUT',
      ],
      ['an operation name', 'query A { __typename } query B { __typename }', {}, 'BAD_USER_INPUT'],
      [
        'a quantity beyond Int',
        'mutation ($q: Int!) { updateTransaction(input: { id: "x", quantity: $q }) { __typename } }',
        { q: 2 ** 31 },
        'BAD_USER_INPUT',
      ],
    ])('%s', async (_name, query, variables, code) => {
      const answer = await app.send(
        'POST',
        '/graphql',
        { query, variables },
        { Accept: 'application/graphql-response+json' },
      );
      expect(answer.status).toBe(400);
      expect(answer.body).not.toHaveProperty('data');
      expectErrors(answer, code);
    });
  });

  describe('failures inside', () => {
    const broken = (word: string, error: unknown) => brokenDatabase(database(), word, error);
    const SECRET = 'relation "transaction" does not exist; password=hunter2';
    const appOn = async (db: OpenDatabase): Promise<TestApp> => {
      const { fetch } = await newTestApp(db);
      return asNewAccount(database(), fetch);
    };

    it('are masked, and leave the rest of the answer', async () => {
      const own = await appOn(broken('from transaction', new Error(SECRET)));
      const query = `{ viewer { name } transaction(id: "${newId('Transaction', 0)}") { id } }`;
      const answer = await own.send('POST', '/graphql', { query });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        data: { viewer: { name: 'Test' }, transaction: null },
        errors: [
          {
            message: 'Internal error',
            path: ['transaction'],
            locations: [{ line: 1, column: 19 }],
            extensions: { code: 'Internal', requestId: answer.headers.get('X-Request-Id') },
          },
        ],
        extensions: { cost: { requested: 2, maximum: 10_000 } },
      });
    });

    it('of a mutation are masked, and change nothing', async () => {
      for (const idempotencyKey of [null, 'key']) {
        const own = await appOn(broken('from create_collection', new Error(SECRET)));
        const answer = await own.send('POST', '/graphql', {
          query:
            'mutation ($k: String) { createCollection(input: { name: "x", idempotencyKey: $k }) { __typename } }',
          variables: { k: idempotencyKey },
        });
        expect(answer.body.data).toBeNull();
        expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|relation/);
        expectErrors(answer, 'Internal');
      }
    });

    it('of the database are told from our own', async () => {
      const error = new DomainError('Unavailable', 'The database cannot be reached.', {
        cause: new Error(SECRET),
      });
      const own = await appOn(broken('from collection', error));
      const answer = await own.send('POST', '/graphql', { query: '{ collections { totalCount } }' });
      expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|relation/);
      expectErrors(answer, 'Unavailable');
    });

    it('carry the id that the client chose', async () => {
      const own = await appOn(broken('from collection', new Error(SECRET)));
      const { body } = await own.send(
        'POST',
        '/graphql',
        { query: '{ collections { totalCount } }' },
        { 'X-Request-Id': 'my-id-1' },
      );
      expect(body.errors[0].extensions).toEqual({ code: 'Internal', requestId: 'my-id-1' });
    });
  });

  describe('answers', () => {
    it('tell the cost', async () => {
      const { body } = await post('{ collections(first: 7) { nodes { transactions { totalCount } } } }');
      expect(body.extensions).toEqual({ cost: { requested: 1 + 7 * 2, maximum: 10_000 } });
      const refused = await post(
        '{ collections(first: 200) { nodes { transactions(first: 200) { nodes { id } } } } }',
      );
      expect(refused.body.extensions.cost).toEqual({ requested: 1 + 200 * 202, maximum: 10_000 });
    });

    it('tell the share of each field where the header asks for it', async () => {
      const query = '{ viewer { id } collections(first: 7) { nodes { transactions { totalCount } } } }';
      const { body } = await app.send('POST', '/graphql', { query }, { 'GraphQL-Cost-Debug': '1' });
      expect(body.extensions.cost).toEqual({
        requested: 16,
        maximum: 10_000,
        fields: [
          { path: 'viewer', requested: 1 },
          { path: 'collections', requested: 15 },
          { path: 'collections.nodes', requested: 14 },
          { path: 'collections.nodes.transactions', requested: 7 },
        ],
      });
    });

    it('give the schema to the standard introspection query', async () => {
      for (const options of [
        { inputValueDeprecation: false, specifiedByUrl: false, oneOf: false },
        { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true, schemaDescription: true },
      ]) {
        const { body } = await post(getIntrospectionQuery(options));
        expect(body.errors).toBeUndefined();
        const sorted = (schema: Parameters<typeof lexicographicSortSchema>[0]) =>
          printSchema(lexicographicSortSchema(schema));
        const asked = sorted(buildClientSchema(introspectionFromSchema(createSchema(), options)));
        expect(sorted(buildClientSchema(body.data))).toBe(asked);
        if (options.oneOf) expect(asked).toBe(sorted(createSchema()));
      }
    });

    it('are found by the hash of a document', async () => {
      const query = 'query ($id: ID!) { collection(id: $id) { name } }';
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      const variables = { id: example.collectionId };
      const persisted = { extensions: { persistedQuery: { version: 1, sha256Hash } }, variables };
      const unknown = await app.send('POST', '/graphql', persisted);
      expect(unknown.body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
      await app.send('POST', '/graphql', { ...persisted, query });
      const expected = { collection: { name: 'Example' } };
      expect((await app.send('POST', '/graphql', persisted)).body.data).toEqual(expected);
      const byId = { documentId: `sha256:${sha256Hash}`, variables };
      expect((await app.send('POST', '/graphql', byId)).body.data).toEqual(expected);
      const search = new URLSearchParams({
        documentId: byId.documentId,
        variables: JSON.stringify(variables),
      });
      expect((await app.send('GET', `/graphql?${search}`)).body.data).toEqual(expected);
    });

    it('run the operation that is named', async () => {
      const query = 'query A { viewer { name } } query B { viewer { preferredCurrency } }';
      for (const [operationName, viewer] of [
        ['B', { preferredCurrency: 'USD' }],
        ['A', { name: 'Test' }],
      ] as const) {
        expect((await app.send('POST', '/graphql', { query, operationName })).body.data).toEqual({ viewer });
      }
    });
  });
});
