import { beforeAll, describe, expect, it } from 'vitest';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  type TestApp,
  type TestResponse,
} from '../harness.ts';
import { GOOD_REQUESTS, goodRequest, type Ids, newIds, OPERATIONS } from './routes.ts';
import {
  expectProblem,
  NO_ACCOUNT,
  NO_COLLECTION,
  NO_DELIVERY,
  NO_TRANSACTION,
  NO_WEBHOOK,
  sendRaw,
} from './support.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
const MIB = 1024 * 1024;

it('every route of the document has a good request in this suite', () => {
  expect(OPERATIONS.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(GOOD_REQUESTS).sort());
});

/** The methods that a path of the document takes. */
function allowed(path: string): string[] {
  const methods = OPERATIONS.filter((other) => other.path === path).map(({ method }) => method);
  // Of the two that match it, a search is the nearer one.
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
}

/** What must not tell one answer from another. */
function comparable({ status, headers, body }: TestResponse) {
  const { instance: _, requestId: __, ...rest } = body;
  return { status, headers: [...headers].filter(([name]) => name !== 'x-request-id'), body: rest };
}

describeOnDatabases('every REST route', (database) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await newTestApp(database(), { maxAccounts: 100 });
  });

  for (const operation of OPERATIONS) {
    describe(`${operation.method} ${operation.path}`, () => {
      const { method, hasBody } = operation;
      let ids: Ids;
      beforeAll(async () => {
        ids = await newIds(database(), app);
      });
      const send = (
        caller: TestApp = app,
        headers: Record<string, string> = {},
        named: Ids = ids,
        text?: string,
      ) => {
        const { path, body, headers: own } = goodRequest(operation);
        return caller.send(method, path(named), text ?? body?.(named), { ...own, ...headers });
      };
      const sendWithout = (headers: Record<string, string> = {}) => {
        const { path, body, headers: own } = goodRequest(operation);
        const type = body && { 'Content-Type': 'application/json', ...own };
        return sendRaw(app, method, path(ids), { ...type, ...headers }, body && JSON.stringify(body(ids)));
      };

      it('needs a token', async () => {
        const none: Record<string, string>[] = [{}, { Authorization: '' }, { Authorization: 'Basic eDp5' }];
        for (const headers of none) {
          const answer = await sendWithout(headers);
          expectProblem(answer, 'Unauthorized');
          expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="cardledger"');
        }
      });

      it('needs a good token', async () => {
        const tampered = app.token.replace(
          /\.([^.]*)\./,
          (_, claims: string) => `.${claims.slice(0, -2)}AA.`,
        );
        const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${app.token.split('.')[1]}.`;
        for (const token of ['x', 'a b', '', app.token.slice(0, -1), tampered, none, 'x'.repeat(5000)]) {
          const answer = await sendWithout({ Authorization: `Bearer ${token}` });
          expectProblem(answer, 'Unauthorized');
          const challenge = answer.headers.get('WWW-Authenticate');
          expect(challenge).toMatch(
            /^Bearer realm="cardledger", error="invalid_token", error_description="[^"]+"$/,
          );
        }
      });

      if (/[{]/.test(operation.path) && !operation.path.startsWith('/product')) {
        it('answers alike for what belongs to another account and for what does not exist', async () => {
          const stranger = await asNewAccount(database(), app.fetch, { maxAccounts: 100 });
          const missing = {
            ...ids,
            accountId: NO_ACCOUNT,
            collectionId: NO_COLLECTION,
            transactionId: NO_TRANSACTION,
            webhookId: NO_WEBHOOK,
            deliveryId: NO_DELIVERY,
          };
          const before = await snapshot(app, ids);
          const conditions: Record<string, string>[] = [
            {},
            { 'If-Match': '"1"' },
            { 'If-Match': '"999"' },
            { 'If-None-Match': '"1"' },
          ];
          for (const headers of conditions) {
            const foreign = await send(stranger, headers);
            expectProblem(foreign, 'NotFound');
            expect(comparable(foreign)).toEqual(comparable(await send(stranger, headers, missing)));
          }
          if (hasBody) {
            const refused = await send(stranger, {}, ids, '{}');
            expect(comparable(refused)).toEqual(comparable(await send(stranger, {}, missing, '{}')));
          }
          expect(await snapshot(app, ids)).toEqual(before);
          expect((await stranger.send('GET', '/collection')).body).toEqual({ results: [] });
        });
      }

      it('tells which methods the path takes', async () => {
        const path = goodRequest(operation).path(ids);
        const allow = allowed(operation.path);
        for (const other of METHODS.filter((name) => !allow.includes(name))) {
          for (const answer of [await app.send(other, path), await sendRaw(app, other, path)]) {
            expectProblem(answer, 'MethodNotAllowed');
            expect(answer.headers.get('Allow')!.split(', ').sort()).toEqual(allow);
          }
        }
        const options = await sendRaw(app, 'OPTIONS', path);
        expect(options.status).toBe(204);
        expect(options.headers.get('Allow')!.split(', ').sort()).toEqual(allow);
      });

      if (method === 'GET') {
        it('answers HEAD as GET, without a body', async () => {
          const path = goodRequest(operation).path(ids);
          const get = await send();
          const head = await app.send('HEAD', path);
          expect([head.status, head.body]).toEqual([200, '']);
          for (const name of ['Content-Type', 'ETag'])
            expect(head.headers.get(name)).toBe(get.headers.get(name));
          expect((await sendRaw(app, 'HEAD', path)).status).toBe(401);
        });
      }

      if (hasBody) {
        it('refuses bodies that cannot be read', async () => {
          const refused = async (status: number, text: string, type = 'application/json') =>
            expectProblem(await send(app, { 'Content-Type': type }, ids, text), 'MalformedRequest', {
              status,
            });
          const { body } = goodRequest(operation);
          await refused(415, JSON.stringify(body!(ids)), 'text/plain');
          await refused(
            415,
            new URLSearchParams({ name: 'x' }).toString(),
            'application/x-www-form-urlencoded',
          );
          await refused(400, '');
          await refused(400, '{"name":');
          await refused(413, JSON.stringify(body!(ids)).padEnd(MIB + 1));
        });
      }

      it('refuses query parameters that it does not know', async () => {
        const { path, body, headers } = goodRequest(operation);
        const where = path(ids);
        const answer = await app.send(
          method,
          `${where}${where.includes('?') ? '&' : '?'}unknown=1`,
          body?.(ids),
          headers,
        );
        expectProblem(answer, 'ValidationFailed', { pointers: ['?unknown'] });
      });

      it('answers a good request, with the id of the request', async () => {
        const answer = await send(app, { 'X-Request-Id': 'given-by-the-client' });
        expect(Object.keys(operation.responses)).toContain(String(answer.status));
        expect(answer.status).toBe(method === 'DELETE' ? 204 : 200);
        expect(answer.headers.get('X-Request-Id')).toBe('given-by-the-client');
      });
    });
  }

  const OTHER_PATHS: [path: string, methods: string][] = [
    ['/', 'GET'],
    ['/docs', 'GET'],
    ['/docs/start.js', 'GET'],
    ['/openapi.json', 'GET'],
    ['/problems/NotFound', 'GET'],
    ['/healthz', 'GET'],
    ['/readyz', 'GET'],
    ['/metrics', 'GET'],
    ['/.well-known/jwks.json', 'GET'],
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/oauth2/token', 'POST'],
    ['/graphql', 'GET POST'],
  ];
  it.each(OTHER_PATHS)('%s takes HEAD and OPTIONS too, and tells so', async (path, methods) => {
    const takes = methods.split(' ');
    const allow = [...takes, ...(takes.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
    for (const other of METHODS.filter((name) => !allow.includes(name))) {
      const answer = await sendRaw(app, other, path);
      expectProblem(answer, 'MethodNotAllowed');
      expect(answer.headers.get('Allow')!.split(', ').sort()).toEqual(allow);
    }
    const options = await sendRaw(app, 'OPTIONS', path);
    expect([options.status, options.headers.get('Allow')!.split(', ').sort()]).toEqual([204, allow]);
    if (!takes.includes('GET')) return;
    const [get, head] = [await sendRaw(app, 'GET', path), await sendRaw(app, 'HEAD', path)];
    expect([head.status, head.body]).toEqual([get.status, '']);
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
  });

  it('answers HEAD of a query as GET, with its headers and without its body', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ viewer { name } }')}`;
    const [get, head] = [await app.send('GET', path), await app.send('HEAD', path)];
    expect([get.status, head.status, head.body]).toEqual([200, 200, '']);
    const namesOf = (headers: Headers) => [...headers.keys()].map((name) => name.toLowerCase()).sort();
    expect(namesOf(head.headers)).toEqual(namesOf(get.headers));
    for (const name of ['Content-Type', 'Content-Length', 'Cache-Control', 'X-Content-Type-Options'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    const mutation = `/graphql?query=${encodeURIComponent('mutation { deleteCollection(input: { id: "x" }) { __typename } }')}`;
    expect((await app.send('HEAD', mutation)).status).toBe(405);
  });

  it('tells the length of HEAD as of GET, and refuses a form and a token that is none everywhere', async () => {
    const [get, head] = [await app.send('GET', '/ev/list'), await app.send('HEAD', '/ev/list')];
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
    expect(head.headers.get('Link')).toBe(get.headers.get('Link'));
    for (const Authorization of ['', 'Basic eDp5', 'Bearer x']) {
      const answer = await sendRaw(app, 'GET', '/graphql?query=%7B__typename%7D', { Authorization });
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([401, 'Unauthorized']);
      expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="cardledger"/);
    }
  });

  it('knows no other path', async () => {
    const paths = [
      '/collections',
      '/collection/',
      '/Collection',
      '//collection',
      '/collection//',
      `/collection/${NO_COLLECTION}/transactions`,
      `/collection/${NO_COLLECTION}/transaction/x`,
      '/transaction',
      '/transaction/',
      '/product',
      '/product/',
      '/ev',
      '/ev/other',
      '/%00',
      '/%zz',
      '/.env',
      `/${'x'.repeat(10_000)}`,
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expectProblem(await sendRaw(app, method, path), 'NotFound');
        expectProblem(await app.send(method, path), 'NotFound');
      }
    }
  });

  it('makes an id of the request where the given one will not do', async () => {
    for (const given of ['', 'a b', 'x'.repeat(129), 'é']) {
      const { headers } = await app.send('GET', '/collection', undefined, { 'X-Request-Id': given });
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

async function snapshot(app: TestApp, { collectionId }: Ids) {
  const collection = await app.send('GET', `/collection/${collectionId}`);
  const transactions = await app.send('GET', `/collection/${collectionId}/transaction`);
  return [collection.body, collection.headers.get('ETag'), transactions.body];
}
