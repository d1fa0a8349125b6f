import { beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/domain/errors.ts';
import { describeOnDatabases, newTestApp, type TestApp, type TestResponse } from '../harness.ts';
import { DOCUMENT, goodRequest, type Ids, newIds, OPERATIONS, type Operation } from '../http/routes.ts';
import { NO_ACCOUNT, NO_COLLECTION, NO_DELIVERY, NO_TRANSACTION, NO_WEBHOOK } from '../http/support.ts';
import { archiveWith } from '../support/account-archives.ts';
import { schemaBreaches } from '../support/contract.ts';
import { restFields } from '../support/fields.ts';

const PROBLEM_TYPE = 'application/problem+json';
const schemas = DOCUMENT.components!.schemas;
const MIB = 1024 * 1024;

/** The contract's operations, by method and path. */
const CONTRACT = [
  'POST /oauth2/token',
  'POST /account',
  'POST /account/{accountId}/token',
  'GET /account',
  'GET /account/{accountId}',
  'PATCH /account/{accountId}',
  'DELETE /account/{accountId}',
  'GET /identity-provider',
  'PUT /identity-provider',
  'DELETE /identity-provider',
  'POST /webhook',
  'GET /webhook',
  'GET /webhook/{webhookId}',
  'PATCH /webhook/{webhookId}',
  'DELETE /webhook/{webhookId}',
  'POST /webhook/{webhookId}/secret',
  'POST /webhook/{webhookId}/test',
  'GET /webhook/{webhookId}/delivery',
  'POST /webhook/{webhookId}/delivery/{deliveryId}/send',
  'GET /account/{accountId}/export',
  'POST /account/{accountId}/import',
  'POST /collection',
  'GET /collection',
  'GET /collection/{collectionId}',
  'PUT /collection/{collectionId}',
  'DELETE /collection/{collectionId}',
  'POST /collection/{collectionId}/transaction',
  'GET /collection/{collectionId}/transaction',
  'POST /collection/{collectionId}/import',
  'PATCH /transaction/{transactionId}',
  'DELETE /transaction/{transactionId}',
  'GET /collection/{collectionId}/transaction-summary',
  'GET /product/{productId}',
  'GET /product/search',
  'GET /ev/breakdown',
  'GET /ev/list',
];

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: { type?: string; enum?: string[]; default?: string };
}

const operationAt = (method: string, path: string) =>
  (DOCUMENT.paths as Record<string, Record<string, Record<string, unknown>>>)[path]![method]!;

const parametersOf = (method: string, path: string) =>
  (operationAt(method, path).parameters ?? []) as Parameter[];

describe('the OpenAPI document', () => {
  it('has the operations of the contract, and no others', () => {
    const found = Object.entries(DOCUMENT.paths!).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(found.sort()).toEqual([...CONTRACT].sort());
    expect(DOCUMENT.openapi).toBe('3.1.0');
  });

  it('has the fields that the contract has in each model', () => {
    const missing = (model: string, fields: string[]) => {
      const found = restFields(model);
      return fields.filter((field) => !found.includes(field));
    };
    const summary = [
      ...['variantId', 'variantName', 'productId', 'productName', 'quantity', 'imageUrl', 'number', 'fcId'],
      ...['cashPosition', 'invested', 'profit', 'gain', 'marketValue'],
    ];
    expect(missing('TransactionSummaryResponseModel', summary)).toEqual([]);
    const collection = [
      ...['collectionId', 'name', 'valued', 'pinned', 'isGoalCollection', 'description', 'quantity', 'image'],
      ...['cashPosition', 'invested', 'profit', 'gain', 'marketValue'],
    ];
    expect(missing('CollectionResponseModel', collection)).toEqual([]);
    const transaction = [
      ...['transactionId', 'variantId', 'productId', 'occurred', 'action', 'quantity', 'unitAmount'],
      ...['variantName', 'productName', 'number', 'imageUrl', 'fcId'],
    ];
    expect(missing('TransactionResponseModel', transaction)).toEqual([]);
    const ev = [
      ...['setType', 'productType', 'productId', 'productImage', 'productName', 'fcId', 'warning'],
      ...['currentEstimatedValue', 'marketPrice', 'marketPriceDelta'],
    ];
    expect(missing('ProductEvResponseModel', ev)).toEqual([]);
  });

  const valuesOf = ({ $ref, ...schema }: { $ref?: string; enum?: string[] }) =>
    $ref ? (schemas![$ref.split('/').at(-1)!] as { enum: string[] }).enum : schema.enum;

  it("has the contract's query parameters and orders", () => {
    const query = (path: string) =>
      Object.fromEntries(
        parametersOf('get', path)
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, required, schema }) => [
            name,
            [required ? 'required' : 'optional', ...(valuesOf(schema) ?? [schema.type]), schema.default]
              .join(' ')
              .trim(),
          ]),
      );
    const page = { cursor: 'optional integer', pageSize: 'optional integer' };
    expect(query('/collection')).toEqual({
      sort: 'optional Chronological Alphabetical Value PercentageGain Chronological',
      ...page,
    });
    expect(query('/collection/{collectionId}/transaction')).toEqual({
      sortOrder: 'optional Chronological Alphabetical Chronological',
      ...page,
    });
    expect(query('/product/search')).toEqual({ q: 'required string', ...page });
    expect(query('/ev/breakdown')).toEqual({
      setType: 'required string',
      productType: 'required Pack Box Case',
    });
  });

  const HAVE_LIMITS = [
    ...[
      'createAccount',
      'createWebhook',
      'importAccount',
      'createCollection',
      'updateCollection',
      'deleteCollection',
      'createTransaction',
    ],
  ];

  for (const { operationId, method, path, hasBody, hasFile, responses } of OPERATIONS) {
    it(`has every problem of ${operationId}`, () => {
      const names = parametersOf(method.toLowerCase(), path).map(({ name }) => name);
      const expected = [
        ...[400, 401, 403, 404, 422, 429, 500, 503],
        ...(hasBody || hasFile ? [408, 413, 415] : []),
        ...(['PUT', 'PATCH', 'DELETE'].includes(method) ? [412] : []),
        ...(HAVE_LIMITS.includes(operationId) ? [409] : []),
      ];
      const found = Object.entries(responses).filter(([, { content }]) => content?.[PROBLEM_TYPE]);
      expect(found.map(([status]) => Number(status)).sort()).toEqual(expected.sort());
      for (const [, { content }] of found) {
        expect(content![PROBLEM_TYPE]!.schema).toEqual({ $ref: '#/components/schemas/Problem' });
      }
      expect(names.includes('Idempotency-Key')).toBe(method === 'POST');
      expect(names.includes('If-Match')).toBe(expected.includes(412));
      expect(names.includes('If-None-Match')).toBe('304' in responses);
    });
  }

  it('has a name for each enumeration', () => {
    // What no name is known for (src/rest/named-enums.ts) stays where it is used.
    const placesOf = (part: unknown, at: string): string[] => {
      if (typeof part !== 'object' || part === null) return [];
      const { enum: values } = part as { enum?: unknown };
      const own = Array.isArray(values) && values.length > 1 ? [at] : [];
      return [...own, ...Object.entries(part).flatMap(([key, below]) => placesOf(below, `${at}/${key}`))];
    };
    const { headers: _, ...components } = DOCUMENT.components!;
    const places = placesOf({ paths: DOCUMENT.paths, components }, '');
    expect(places).toContain('/components/schemas/Action');
    expect(places.filter((place) => !/^\/components\/schemas\/\w+$/.test(place))).toEqual([]);
  });

  it('names every problem', () => {
    const { description } = schemas!.Problem as { description: string };
    for (const name of Object.keys(PROBLEMS)) expect(description).toContain(name);
  });
});

/** The app checks each answer against the document (test/support/contract.ts). */
function expectDocumented({ responses }: Operation, { status }: TestResponse): void {
  expect(Object.keys(responses)).toContain(String(status));
}

/** What breaks a rule where nothing at all breaks none. */
const WRONG_BODIES: Record<string, object> = {
  updateTransaction: { quantity: 0 },
  updateAccount: { maxCollections: -1 },
  updateWebhook: { status: 'Gone' },
};

/** Good requests, too, but other ones, with a key that was used. */
const OTHER_BODIES: Record<string, (good: unknown) => unknown> = {
  createCollection: () => ({ name: 'Other' }),
  createAccountToken: () => ({ scope: 'default', expiresIn: 60 }),
  createAccount: () => ({ name: 'Other', externalId: 'other' }),
  createWebhook: () => ({ url: 'https://other.example/' }),
  createTransaction: (good) => ({ ...(good as object), quantity: 9 }),
  importAccount: () => archiveWith(new Map([['account.json', '{}']])),
  previewImport: (good) => `${good}\n${good}`,
};

describeOnDatabases('the OpenAPI document and the answers', (database) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await newTestApp(database(), { maxAccounts: 100 });
  });

  for (const operation of OPERATIONS) {
    it(`agree on ${operation.operationId}`, async () => {
      const ids: Ids = await newIds(database(), app);
      const { path, body, headers: own } = goodRequest(operation);
      const where = path(ids);
      const send = (headers: Record<string, string> = {}, to = where, content: unknown = body?.(ids)) =>
        app.send(operation.method, to, content, { ...own, ...headers });
      const missing = path({
        ...ids,
        accountId: NO_ACCOUNT,
        collectionId: NO_COLLECTION,
        transactionId: NO_TRANSACTION,
        webhookId: NO_WEBHOOK,
        deliveryId: NO_DELIVERY,
        productId: 'prd_0',
      });
      const more = `${where}${where.includes('?') ? '&' : '?'}`;
      const answers = [
        await send({ Authorization: '' }),
        await send({}, `${more}x=1`),
        ...(missing === where ? [] : [await send({}, missing)]),
        await send({ 'If-Match': '"77"' }),
        ...(operation.method === 'GET'
          ? [await send({ 'If-None-Match': '*' }), await send({}, `${more}cursor=9999`)]
          : []),
      ];
      if (operation.hasBody) {
        const wrong = WRONG_BODIES[operation.operationId] ?? {};
        answers.push(await send({}, where, wrong), await send({}, where, '{'));
        answers.push(await send({ 'Content-Type': 'text/plain' }));
        answers.push(await send({}, where, ' '.repeat(MIB + 1)));
      }
      if (operation.method === 'POST') {
        const key = { 'Idempotency-Key': `${operation.operationId}-1` };
        answers.push(await send(key), await send(key));
        const other = { 'Idempotency-Key': `${operation.operationId}-2` };
        if (!body) await app.send('POST', '/collection', { name: 'Keyed' }, other);
        answers.push(
          body ? await send(key, where, OTHER_BODIES[operation.operationId]!(body(ids))) : await send(other),
        );
        expect(answers.at(-1)!.status).toBe(422);
      }
      answers.push(await send());
      for (const answer of answers) expectDocumented(operation, answer);
      expect(answers.at(-1)!.status).toBe(operation.method === 'DELETE' ? 204 : 200);
    });
  }

  it('agree on what a filled collection looks like', async () => {
    const { collectionId } = await newIds(database(), app);
    for (const operation of OPERATIONS.filter(
      ({ path, method }) => method === 'GET' && /^.collection/.test(path),
    )) {
      const path = operation.path.replace('{collectionId}', collectionId);
      const { status, body } = await app.send('GET', `${path}?`);
      expect(status).toBe(200);
      if (body.results) expect(body.results.length).toBeGreaterThan(0);
      expectDocumented(operation, await app.send('GET', path));
    }
  });

  it('agree on the limits', async () => {
    const full = await newTestApp(database(), { maxCollections: 0 });
    const operation = OPERATIONS.find(({ operationId }) => operationId === 'createCollection')!;
    const answer = await full.send('POST', '/collection', { name: 'x' });
    expect(answer.status).toBe(409);
    expectDocumented(operation, answer);
  });

  it('agree on good requests', async () => {
    const ids = await newIds(database(), app);
    for (const operation of OPERATIONS.filter(({ hasBody }) => hasBody)) {
      const path = operation.path.replaceAll('/', '~1');
      const schema = `/paths/${path}/${operation.method.toLowerCase()}/requestBody/content/application~1json/schema`;
      const body = goodRequest(operation).body!(ids);
      expect(schemaBreaches(schema, body)).toEqual([]);
      expect(schemaBreaches(schema, { ...(body as object), extra: 1 })).not.toEqual([]);
    }
  });
});
