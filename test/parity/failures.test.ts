import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { CARD_CONDITIONS, LANGUAGES, NO_DETAILS } from '../../src/domain/transactions.ts';
import { mutate } from '../graphql/mutate.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  responseOf,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { brokenDatabase } from '../support/broken-database.ts';
import { entry, graphqlEntry, recordWorkedExample, type WorkedExample } from '../support/furnished.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import type { Item } from './representations.ts';

/** A failure as both transports can tell it. */
interface Failure {
  problem: string;
  message: string;
  breaches?: string[];
  limit?: number;
  current?: number;
}

function restFailure({ status, body }: TestResponse): Failure | null {
  if (status < 400) return null;
  const { type, detail, errors, limit, current } = body;
  return {
    problem: type.replace('/problems/', ''),
    message: detail,
    ...(errors && { breaches: errors.map((error: Item) => `${error.pointer}: ${error.detail}`) }),
    ...(limit !== undefined && { limit, current }),
  };
}

function dataFailure({ __typename, message, errors, limit, current }: Item): Failure | null {
  if (__typename.endsWith('Payload')) return null;
  return {
    problem: __typename,
    message,
    ...(errors && { breaches: errors.map(({ path, detail }: Item) => `/${path.join('/')}: ${detail}`) }),
    ...(limit !== undefined && { limit, current }),
  };
}

const MISSING = ['_00000000000000000000000000', '', '_x', '_%00', '_x_y'];

describeOnDatabases('both transports fail alike', (database, kind) => {
  let app: TestApp;
  let stranger: TestApp;
  let example: WorkedExample;

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await asNewAccount(database(), app.fetch);
    example = await recordWorkedExample(database(), app);
    await mutate(app, 'setGoalCollection', { collectionId: example.collectionId });
  });

  const both = async (
    rest: [method: string, path: string, body?: unknown],
    graphql: [mutation: string, input: Record<string, unknown>],
    of = app,
  ): Promise<Failure | null> => {
    const overRest = restFailure(await of.send(...rest));
    expect(dataFailure(await mutate(of, ...graphql))).toEqual(overRest);
    return overRest;
  };

  describe('verbs', () => {
    it.each(['', '  ', 'x'.repeat(101), 'a\u0000', 'tab\t', 'a\ud800'])(
      'create collection %j',
      async (name) => {
        const failure = await both(['POST', '/collection', { name }], ['createCollection', { name }]);
        expect(failure?.problem).toBe('ValidationFailed');
      },
    );

    it('create collection beyond the limit, update beyond that of valued ones', async () => {
      const full = await newTestApp(database(), { maxCollections: 1, maxValuedCollections: 0 });
      const { body } = await full.send('POST', '/collection', { name: 'One' });
      const id = body.collectionId;
      expect(
        await both(['POST', '/collection', { name: 'Two' }], ['createCollection', { name: 'Two' }], full),
      ).toMatchObject({
        problem: 'LimitExceeded',
        limit: 1,
        current: 1,
      });
      const all = { name: 'One', valued: true, description: '', pinned: false, image: 0 };
      expect(
        await both(['PUT', `/collection/${id}`, all], ['updateCollection', { id, ...all }], full),
      ).toMatchObject({
        problem: 'LimitExceeded',
        limit: 0,
        current: 0,
      });
    });

    it('update collection', async () => {
      const id = example.collectionId;
      for (const bad of [
        { name: '' },
        { description: 'x'.repeat(2001) },
        { image: -1 },
        { name: 'a\nb', description: '\u0001' },
      ]) {
        const all = { name: 'One', valued: false, description: '', pinned: false, image: 0, ...bad };
        const failure = await both(['PUT', `/collection/${id}`, all], ['updateCollection', { id, ...all }]);
        expect(failure).toMatchObject({
          problem: 'ValidationFailed',
          breaches: { length: Object.keys(bad).length },
        });
      }
    });

    const ids: [
      string,
      string,
      (id: string) => [string, string, unknown?],
      string,
      (id: string) => Record<string, unknown>,
    ][] = [
      [
        'update collection',
        'col',
        (id) => [
          'PUT',
          `/collection/${id}`,
          { name: 'x', valued: false, description: '', pinned: false, image: 0 },
        ],
        'updateCollection',
        (id) => ({ id, name: 'x' }),
      ],
      [
        'delete collection',
        'col',
        (id) => ['DELETE', `/collection/${id}`],
        'deleteCollection',
        (id) => ({ id }),
      ],
      [
        'create transaction',
        'col',
        (id) => ['POST', `/collection/${id}/transaction`, entry(example.variantId)],
        'createTransaction',
        (id) => ({ collectionId: id, ...graphqlEntry(example.variantId) }),
      ],
      [
        'create transaction of a variant',
        'var',
        (id) => ['POST', `/collection/${example.collectionId}/transaction`, entry(decodeURIComponent(id))],
        'createTransaction',
        (id) => ({ collectionId: example.collectionId, ...graphqlEntry(id) }),
      ],
      [
        'update transaction',
        'txn',
        (id) => ['PATCH', `/transaction/${id}`, { quantity: 2 }],
        'updateTransaction',
        (id) => ({ id, quantity: 2 }),
      ],
      [
        'delete transaction',
        'txn',
        (id) => ['DELETE', `/transaction/${id}`],
        'deleteTransaction',
        (id) => ({ id }),
      ],
    ];
    it.each(ids)('%s that is not there', async (_name, prefix, rest, mutation, input) => {
      for (const suffix of MISSING) {
        const id = prefix + suffix;
        const failure = await both(rest(id), [mutation, input(decodeURIComponent(id))]);
        expect(failure?.problem, id).toBe('NotFound');
      }
    });

    it.each(ids.filter(([, prefix]) => prefix !== 'var'))(
      '%s of another account',
      async (_name, prefix, rest, mutation, input) => {
        const id = prefix === 'col' ? example.collectionId : example.transactionIds[0]!;
        expect((await both(rest(id), [mutation, input(id)], stranger))?.problem).toBe('NotFound');
      },
    );

    it('delete the goal collection', async () => {
      const id = example.collectionId;
      const failure = await both(['DELETE', `/collection/${id}`], ['deleteCollection', { id }]);
      expect(failure?.problem).toBe('CollectionInUse');
    });

    it('an idempotency key that was used', async () => {
      const headers = { 'Idempotency-Key': 'parity' };
      await app.send('POST', '/collection', { name: 'First' }, headers);
      const rest = restFailure(await app.send('POST', '/collection', { name: 'Second' }, headers));
      const input = { name: 'Second', idempotencyKey: 'parity' };
      expect(dataFailure(await mutate(app, 'createCollection', input))).toEqual(rest);
      expect(rest?.problem).toBe('IdempotencyMismatch');
    });

    it('any values of a transaction are taken by both, or refused by both for the same reasons', async () => {
      const fields = fc.record({
        occurredDate: fc.constantFrom(
          '2026-04-13',
          '2026-04-14',
          '2026-04-15',
          '1970-01-01',
          '1969-12-31',
          '2023-02-30',
          '',
          '2026-4-1',
          '2026-04-13T00:00:00Z',
          '２０２６-04-13',
        ),
        action: fc.constantFrom('Purchase' as const, 'Sale' as const),
        quantity: fc.oneof(fc.constantFrom(0, 1, 1_000_000, 1_000_001, -1), fc.integer()),
        unitAmount: fc.record({
          currency: fc.constantFrom('USD', 'NZD', 'JPY'),
          value: fc.oneof(
            fc.constantFrom(0, -0, 0.1, 0.12345, 0.00005, 1e-7, 1e9, 1e9 + 0.0001, -0.01),
            // What a double cannot hold never reaches the rule in GraphQL: it is no Float.
            fc.double({ min: -1e10, max: 1e10, noNaN: true }),
            fc.integer({ min: 0, max: 10_000_000 }).map((units) => units / 10_000),
          ),
        }),
        cardCondition: fc.constantFrom(...CARD_CONDITIONS),
        language: fc.constantFrom(...LANGUAGES),
        grade: fc.record({
          company: fc.constantFrom('PSA', ' bgs ', '', 'x'.repeat(20), 'x'.repeat(21)),
          grade: fc.constantFrom('9.5', ' ', '10', '\0'),
          certificate: fc.constantFrom('1', '', 'x'.repeat(51)),
        }),
        costUnknown: fc.constantFrom(true, false, false),
        notes: fc.constantFrom('', ' ', 'x'.repeat(500), 'x'.repeat(501), 'a\r\nb', '\0'),
        tags: fc.array(fc.constantFrom('a', ' a', 'b', '', 'a,b', 'x'.repeat(31), '🃏'.repeat(30)), {
          maxLength: 11,
        }),
      });
      await fc.assert(
        fc.asyncProperty(fields, async (values) => {
          const { collectionId, variantId } = example;
          const rest = await app.send(
            'POST',
            `/collection/${collectionId}/transaction`,
            entry(variantId, values),
          );
          const input = { collectionId, ...graphqlEntry(variantId, values) };
          const graphql = await mutate(app, 'createTransaction', input);
          expect(dataFailure(graphql)).toEqual(restFailure(rest));
          if (rest.status < 400) {
            expect(rest.body.unitAmount).toEqual({
              currency: values.unitAmount.currency,
              value: values.unitAmount.value + 0,
            });
            expect(graphql.transaction.unitAmount).toMatchObject(rest.body.unitAmount);
            expect(graphql.transaction.occurred).toBe(rest.body.occurred);
            expect(graphql.transaction.costUnknown).toBe(rest.body.costUnknown ?? false);
            for (const name of ['grade', 'language', 'notes', 'tags'] as const)
              expect(graphql.transaction[name]).toEqual(rest.body[name] ?? NO_DETAILS[name]);
          }
        }),
        { numRuns: fuzzRuns(80, kind) },
      );
    });
  });

  describe('queries', () => {
    const errorOf = (body: Item) => ({
      code: body.errors[0].extensions.code,
      message: body.errors[0].message,
    });

    it.each([
      ['/collection/%', 'col', 'collection'],
      ['/product/%', 'prd', 'product'],
    ])('%s that is not there is null', async (path, prefix, field) => {
      for (const suffix of MISSING) {
        const { status, body } = await app.send('GET', path.replace('%', prefix + suffix));
        // An empty id is another path.
        if (suffix !== '') expect([status, body.type]).toEqual([404, '/problems/NotFound']);
        const id = decodeURIComponent(prefix + suffix);
        expect(await app.graphql(`query ($id: ID!) { ${field}(id: $id) { id } }`, { id })).toEqual({
          [field]: null,
        });
      }
    });

    it('the expected value of no set is null', async () => {
      const { status } = await app.send('GET', '/ev/breakdown?setType=Nope&productType=Box');
      expect(status).toBe(404);
      expect(await app.graphql('{ evBreakdown(setType: "Nope", productType: BOX) { warning } }')).toEqual({
        evBreakdown: null,
      });
    });

    it.each(['', '   ', 'x'.repeat(201), '"open', '(open', 'nope:x', 'cost>x', 'a\u0000b'])(
      'the search query %j',
      async (query) => {
        const q = encodeURIComponent(query);
        const products = await app.send('GET', `/product/search?q=${q}`);
        expect(products.status).toBe(400);
        const { body } = await app.send('POST', '/graphql', {
          query: 'query ($q: String!) { products(query: $q) { totalCount } }',
          variables: { q: query },
        });
        expect(errorOf(body)).toEqual({ code: 'InvalidQuery', message: products.body.detail });
        const id = example.collectionId;
        const summaries = await app.send('GET', `/collection/${id}/transaction-summary?searchQuery=${q}`);
        const ofSummaries = await app.send('POST', '/graphql', {
          query:
            'query ($id: ID!, $q: String!) { collection(id: $id) { transactionSummaries(searchQuery: $q) { totalCount } } }',
          variables: { id, q: query },
        });
        expect(errorOf(ofSummaries.body)).toEqual({ code: 'InvalidQuery', message: summaries.body.detail });
      },
    );
  });

  describe('requests', () => {
    const send = async (of: TestApp, path: string, init: RequestInit = {}) =>
      responseOf(await of.fetch(new Request(`http://cardledger.test${path}`, init)));
    const graphqlBody = {
      method: 'POST',
      body: JSON.stringify({ query: '{ collections { nodes { id } } }' }),
    };

    it.each([undefined, 'Bearer x', 'Basic eDp5'])('with the authorization %s', async (authorization) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(authorization && { Authorization: authorization }),
      };
      const rest = await send(app, '/collection', { headers });
      const graphql = await send(app, '/graphql', { ...graphqlBody, headers });
      expect(graphql.status).toBe(rest.status);
      expect(graphql.headers.get('WWW-Authenticate')).toBe(rest.headers.get('WWW-Authenticate'));
      expect(graphql.body.errors[0]).toMatchObject({
        message: rest.body.detail,
        extensions: { code: rest.body.type.replace('/problems/', '') },
      });
    });

    it('that fail inside, or find no database', async () => {
      const cases = [
        [new Error('password=hunter2'), 'Internal', 500],
        [new DomainError('Unavailable', 'Try again shortly.', { retryAfterSeconds: 2 }), 'Unavailable', 503],
      ] as const;
      for (const [error, problem, status] of cases) {
        const { fetch } = await newTestApp(brokenDatabase(database(), 'from collection', error));
        const own = await asNewAccount(database(), fetch);
        const rest = await own.send('GET', '/collection');
        expect([rest.status, rest.body.type]).toEqual([status, `/problems/${problem}`]);
        const graphql = await own.send('POST', '/graphql', { query: '{ collections { nodes { id } } }' });
        expect(graphql.body.errors[0].extensions.code).toBe(problem);
        for (const { body } of [rest, graphql]) expect(JSON.stringify(body)).not.toContain('hunter2');
      }
    });
  });
});
