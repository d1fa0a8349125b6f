import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { startTracing, type Tracing } from '../../src/observability/tracing.ts';
import {
  type AccountOptions,
  asNewAccount,
  bearing,
  describeOnDatabases,
  NOW,
  pricedVariants,
} from '../harness.ts';
import { newCollection, record } from '../http/support.ts';
import { brokenDatabase } from '../support/broken-database.ts';
import { startStandIn } from '../support/identity-provider.ts';
import { actingFor, deviceOf, newSubAccount } from '../support/platforms.ts';
import { gatheringLogger, otlpReceiver, samplesOf } from './support.ts';

async function observedApp(db: OpenDatabase, tracing?: Tracing, options?: AccountOptions) {
  const { logger, lines } = gatheringLogger();
  const limits = { rateLimitPerMinute: 0, tokenLimitPerMinute: 0 };
  const config = {
    ...loadConfig({ OUTBOUND_NETWORKS: '127.0.0.0/8' }),
    ...limits,
    demo: false,
    corsOrigins: '*',
  };
  const app = createApp({ config, db, now: () => NOW, logger, tracing });
  const client = await asNewAccount(db, async (request) => app.fetch(request), options);
  const metrics = async () => samplesOf((await client.send('GET', '/metrics')).body);
  return { ...client, lines, metrics };
}

describeOnDatabases('what operators see of requests', (database) => {
  it('is one line in the log for each, with its id, account, operation and statements', async () => {
    const app = await observedApp(database());
    const collectionId = await newCollection(app);
    // Reads the catalogue into memory, as a server does when it starts.
    await app.graphql('{ collections { nodes { id } } }');
    app.lines.length = 0;
    const { headers } = await app.send('GET', `/collection/${collectionId}?x=1`, undefined, {
      'X-Request-Id': 'mine-1',
    });
    expect(headers.get('X-Request-Id')).toBe('mine-1');
    await app.send('GET', `/collection/${collectionId}`);
    await app.graphql('query Mine { collections { nodes { id name } } }');
    await app.graphql('{ viewer { name } }');
    await app.send('GET', '/nothing/here');
    await app.send('GET', '/collection', undefined, { Authorization: '' });
    await app.send('OPTIONS', '/product/search');
    const left = new Request('http://test/collection', { signal: AbortSignal.abort() });
    left.headers.set('Authorization', `Bearer ${app.token}`);
    await app.fetch(left);
    expect(app.lines).toEqual([
      line({ requestId: 'mine-1', route: '/collection/{collectionId}', status: 400, statements: 0 }),
      line({ path: `/collection/${collectionId}`, route: '/collection/{collectionId}', statements: 1 }),
      line({ method: 'POST', route: '/graphql', operation: 'Mine', statements: 1 }),
      line({ method: 'POST', route: '/graphql', operation: '(query)', statements: 1 }),
      line({ route: 'unmatched', status: 404, statements: 0 }, false),
      line({ route: '/collection', status: 401, statements: 0 }, false),
      line({ method: 'OPTIONS', route: '/product/search', status: 204, statements: 0 }, false),
      line({ route: '/collection', status: 400, left: true, statements: 0 }, false),
    ]);
    function line(fields: object, isKnown = true) {
      return expect.objectContaining({
        requestId: expect.any(String),
        method: 'GET',
        status: 200,
        millis: expect.any(Number),
        ...(isKnown && { accountId: `acc_${app.accountId}`, clientId: expect.stringMatching(/^cli_/) }),
        ...fields,
      });
    }
    expect(app.lines.filter((line) => 'left' in line)).toHaveLength(1);
    expect(JSON.stringify(app.lines)).not.toContain(app.token);
  });

  it('names the platform and the account that it acts for, or gave a token of, in the log and in traces', async () => {
    const { endpoint, spans } = await otlpReceiver();
    const tracing = await startTracing({ endpoint, version: '1.2.3', logger: gatheringLogger().logger });
    const app = await observedApp(database(), tracing, { maxAccounts: 1 });
    const accountId = await newSubAccount(app, 'ada');
    const device = await deviceOf(app, accountId);
    app.lines.length = 0;
    await actingFor(app, accountId).send('GET', '/collection');
    await device.send('GET', '/collection');
    await app.send('GET', '/collection');
    await actingFor(app, 'acc_x').send('GET', '/collection');
    await tracing.stop();
    const clientId = expect.stringMatching(/^cli_/);
    const platformId = `acc_${app.accountId}`;
    expect(app.lines).toMatchObject([
      { accountId, clientId, platformId, status: 200 },
      { accountId, clientId, platformId, status: 200 },
      { accountId: platformId, clientId, status: 200 },
      { accountId: platformId, clientId, status: 404 },
    ]);
    expect(app.lines.map((line) => 'platformId' in line)).toEqual([true, true, false, false]);
    const traced = spans.filter(({ name }) => name === 'GET /collection').map(({ attributes }) => attributes);
    const names = ['account_id', 'client_id', 'platform_id'].map((name) => `cardledger.${name}`);
    expect(traced.slice(0, 2).map((attributes) => names.map((name) => attributes[name]))).toEqual([
      [accountId, clientId, platformId],
      [accountId, clientId, platformId],
    ]);
  });

  it('names the platform, the account and the issuer of a user who signs in on their own', async () => {
    const idp = await startStandIn();
    onTestFinished(() => idp.close());
    const { endpoint, spans } = await otlpReceiver();
    const tracing = await startTracing({ endpoint, version: '1.2.3', logger: gatheringLogger().logger });
    const app = await observedApp(database(), tracing, { maxAccounts: 1 });
    const accountId = await newSubAccount(app, 'ada');
    const audience = randomUUID();
    const provider = { issuer: idp.issuer, audience, createsAccounts: true };
    await app.send('PUT', '/identity-provider', provider);
    const token = await idp.token({ aud: audience });
    app.lines.length = 0;
    await bearing(app.fetch, token, app.accountId).send('GET', '/collection');
    await tracing.stop();
    const platformId = `acc_${app.accountId}`;
    expect(app.lines).toMatchObject([{ accountId, clientId: idp.issuer, platformId, status: 200 }]);
    expect(JSON.stringify(app.lines)).not.toContain(token);
    const [{ attributes }] = spans.filter(({ name }) => name === 'GET /collection') as [
      (typeof spans)[number],
    ];
    expect(attributes).toMatchObject({
      'cardledger.account_id': accountId,
      'cardledger.client_id': idp.issuer,
      'cardledger.platform_id': platformId,
    });
  });

  it('is counted by route and operation', async () => {
    const app = await observedApp(database());
    await newCollection(app);
    await newCollection(app);
    await app.send('GET', '/collection/col_none');
    await app.graphql('query Mine { collections { nodes { id } } }');
    await app.send('POST', '/graphql', { query: 'query Broken { nothing }' });
    await app.send('POST', '/graphql', { query: 'query Bad { collections(after: "x") { nodes { id } } }' });
    const refused = 'query Refused($id: ID!) { collection(id: $id) { id } }';
    for (let i = 1; i <= 4; i++) await app.send('POST', '/graphql', { query: refused });
    const samples = await app.metrics();
    const count = (name: string, labels: string) => samples.get(`${name}_count{${labels}}`);
    const requests = 'cardledger_http_request_duration_seconds';
    expect(count(requests, 'method="POST",route="/collection",status="200"')).toBe(2);
    expect(count(requests, 'method="GET",route="/collection/{collectionId}",status="404"')).toBe(1);
    const operations = 'cardledger_graphql_operation_duration_seconds';
    expect(count(operations, 'kind="query",operation="Mine",outcome="ok"')).toBe(1);
    expect(count(operations, 'kind="query",operation="Bad",outcome="error"')).toBe(1);
    // What is refused before it is executed is no operation.
    expect([...samples.keys()].filter((key) => /Broken|Refused/.test(key))).toEqual([]);
    expect(count('cardledger_db_statement_duration_seconds', 'source="request",outcome="ok"')).toBe(4);
    // At least the token, the keys and the clients.
    const ofService = count('cardledger_db_statement_duration_seconds', 'source="service",outcome="ok"');
    expect(ofService).toBeGreaterThanOrEqual(3);
  });

  it('has at most 100 names of operations, and 25 that one account was the first to use', async () => {
    const app = await observedApp(database());
    const accounts = [app];
    for (let i = 0; i < 4; i++) accounts.push({ ...app, ...(await asNewAccount(database(), app.fetch)) });
    const [a, b, c, d, e] = accounts.map(
      ({ graphql }) =>
        (name: string) =>
          graphql(`query ${name} { __typename }`),
    );
    for (let i = 0; i < 30; i++) await a!(`Name${i}`);
    for (let i = 30; i < 80; i++) await (i < 55 ? b! : c!)(`Name${i}`);
    for (let i = 80; i < 104; i++) await d!(`Name${i}`);
    await e!('x'.repeat(65));
    await e!('TheHundredth');
    await e!('OneMore');
    await e!('Name0');
    const names = new Map<string, number>();
    for (const [key, value] of await app.metrics()) {
      const name = /^cardledger_graphql_operation_duration_seconds_count\{.*operation="(\w+)"/.exec(key)?.[1];
      if (name) names.set(name, value);
    }
    expect(names.size).toBe(101);
    const shown = ['Name0', 'Name24', 'Name25', 'Name30', 'TheHundredth', 'other'].map((name) =>
      names.get(name),
    );
    expect(shown).toEqual([2, 1, undefined, 1, 1, 7]);
  });

  it('has the caches, the age of imports, the pool and the process', async () => {
    const app = await observedApp(database());
    for (let i = 0; i < 2; i++) await app.graphql('{ products(query: "ninja") { totalCount } }');
    const samples = await app.metrics();
    const of = (name: string) => samples.get(name)!;
    expect(of('cardledger_cache_hits_total{cache="verified_tokens"}')).toBeGreaterThanOrEqual(1);
    expect(of('cardledger_cache_entries{cache="search_catalogue"}')).toBeGreaterThan(9000);
    const answered = ['hits', 'misses'].map((use) =>
      of(`cardledger_cache_${use}_total{cache="prepared_operations"}`),
    );
    expect(answered).toEqual([1, 1]);
    for (const kind of ['catalogue', 'prices', 'sales', 'rates', 'pull-rates']) {
      expect(of(`cardledger_import_age_seconds{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
    }
    if (database().kind === 'postgres') {
      expect(of('cardledger_db_pool_size{pool="alone"}')).toBe(8);
      expect(of('cardledger_db_pool_size{pool="shared"}')).toBe(32);
      expect(of('cardledger_db_pool_waits_total{pool="shared"}')).toBeGreaterThanOrEqual(0);
    }
    expect(of('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(samples.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  });

  it('is a trace, with the spans of the operation and of each statement', async () => {
    const { endpoint, spans, paths } = await otlpReceiver();
    const { logger } = gatheringLogger();
    const tracing = await startTracing({ endpoint: `${endpoint}/`, version: '1.2.3', logger });
    const app = await observedApp(database(), tracing);
    const collectionId = await newCollection(app, 'Secret name');
    const [variantId] = await pricedVariants(database(), 1);
    await record(app, collectionId, variantId!);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const parentSpanId = 'b7ad6b7169203331';
    const query = 'query Mine { collections { nodes { id } } }';
    await app.send('POST', '/graphql', { query }, { traceparent: `00-${traceId}-${parentSpanId}-01` });
    const unsampled = { traceparent: '00-11111111111111111111111111111111-2222222222222222-00' };
    await app.send('GET', '/collection', undefined, unsampled);
    await app.send('GET', '/collection', undefined, {
      traceparent: `00-${'0'.repeat(32)}-${parentSpanId}-01`,
    });
    await tracing.stop();

    expect(new Set(paths)).toEqual(new Set(['/v1/traces']));
    const mine = spans.filter((span) => span.traceId === traceId);
    const named = (name: string) => mine.find((span) => span.name === name)!;
    const request = named('POST /graphql');
    expect(request).toMatchObject({ parentSpanId, kind: 2 });
    expect(request.attributes).toMatchObject({
      'service.name': 'cardledger',
      'service.version': '1.2.3',
      'http.route': '/graphql',
      'http.response.status_code': 200,
    });
    const operation = named('query Mine');
    expect(operation).toMatchObject({ parentSpanId: request.spanId, kind: 1 });
    const statement = mine.find(({ attributes }) => attributes['db.query.text'])!;
    expect(statement).toMatchObject({ parentSpanId: operation.spanId, kind: 3 });
    expect(statement.attributes['db.query.text']).toContain('$1');
    expect(mine).toHaveLength(3);

    expect(spans.filter((span) => span.traceId.startsWith('1111'))).toEqual([]);
    expect(spans.filter((span) => span.name === 'GET /collection')).toHaveLength(1);
    const sent = JSON.stringify(spans);
    expect(sent).toContain('POST /collection/{collectionId}/transaction');
    for (const secret of ['Secret name', app.token]) expect(sent).not.toContain(secret);
  });

  it('has one operation where a field fails, with its statements', async () => {
    const { endpoint, spans } = await otlpReceiver();
    const { logger } = gatheringLogger();
    const tracing = await startTracing({ endpoint, version: '1.2.3', logger });
    const app = await observedApp(database(), tracing);
    await newCollection(app);
    const query =
      'query Failing { collections { nodes { valueHistory(from: "2026-02-01", to: "2026-01-01") { date } } } }';
    for (let i = 1; i <= 4; i++) {
      const { body } = await app.send('POST', '/graphql', { query });
      expect(body.errors).toHaveLength(1);
    }
    await tracing.stop();
    const named = spans.filter(({ name }) => name === 'query Failing');
    expect(named).toHaveLength(4);
    const statements = spans.filter(({ attributes }) =>
      /from collection/.test(String(attributes['db.query.text'])),
    );
    expect(statements).toHaveLength(4);
    const ids = new Set(named.map(({ spanId }) => spanId));
    expect(statements.filter(({ parentSpanId }) => !ids.has(parentSpanId!))).toEqual([]);
    const count = 'cardledger_graphql_operation_duration_seconds_count';
    const samples = await app.metrics();
    expect(samples.get(`${count}{kind="query",operation="Failing",outcome="error"}`)).toBe(4);
  });

  it('is seen too where an answer cannot be finished', async () => {
    const { endpoint, spans } = await otlpReceiver();
    const { logger } = gatheringLogger();
    const tracing = await startTracing({ endpoint, version: '1.2.3', logger });
    const app = await observedApp(database(), tracing);
    /** A GET of which a header cannot be read, by a page of another origin. */
    const get = (path: string, broken: string) => {
      const request = new Request(`http://cardledger.test${path}`, {
        headers: { Origin: 'https://app.example' },
      });
      const { headers } = request;
      const read = headers.get.bind(headers);
      headers.get = (name) => {
        if (name === broken) throw new TypeError(`${name} cannot be read.`);
        return read(name);
      };
      return app.fetch(request);
    };
    app.lines.length = 0;
    // It is read where the body is compressed.
    const broken = 'Accept-Encoding';
    for (let i = 0; i < 2; i++) {
      const answer = await get('/openapi.json', broken);
      const requestId = answer.headers.get('X-Request-Id');
      expect(answer.status).toBe(500);
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(await answer.json()).toMatchObject({ type: '/problems/Internal', requestId });
      const [failure, line] = app.lines.splice(0);
      expect(failure).toMatchObject({ requestId, err: { message: `${broken} cannot be read.` } });
      expect(line).toMatchObject({ requestId, route: '/openapi.json', status: 500 });
    }
    const labels = 'method="GET",route="/openapi.json",status="500"';
    const samples = await app.metrics();
    expect(samples.get(`cardledger_http_request_duration_seconds_count{${labels}}`)).toBe(2);
    await tracing.stop();
    const failed = spans.filter(({ name }) => name === 'GET /openapi.json');
    expect(failed.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([500, 500]);
    for (const { status } of failed) expect(status.code).toBe(2);
  });

  it.each([
    ['GET', '/collection', undefined],
    ['POST', '/graphql', { query: '{ viewer { id } }' }],
  ] as const)('has why the service was not available to %s %s', async (method, path, body) => {
    const gone = new DomainError('Unavailable', 'The database cannot be reached.', { retryAfterSeconds: 2 });
    const db = brokenDatabase(database(), '"parentId", suspended', gone);
    const app = await observedApp(db, undefined, { maxAccounts: 1 });
    app.lines.length = 0;
    const { status, headers } = await app.send(method, path, body, {
      'Cardledger-Account': `acc_${randomUUID()}`,
    });
    expect([status, headers.get('Retry-After')]).toEqual([503, '2']);
    const requestId = headers.get('X-Request-Id');
    const [failure] = app.lines;
    expect(failure).toMatchObject({ msg: 'service unavailable', requestId, err: { message: gone.message } });
  });

  it('is told of a mistake of ours around a GraphQL request as GraphQL, and logged though the client has left', async () => {
    const app = await observedApp(database());
    /** A request whose header of the account is read as `read` does. */
    const send = (read: () => string | null, signal: AbortSignal) => {
      const request = new Request('http://cardledger.test/graphql', {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' },
        body: '{"query":"{ __typename }"}',
        signal,
      });
      const { headers } = request;
      const usual = headers.get.bind(headers);
      headers.get = (name) => (name === 'Cardledger-Account' ? read() : usual(name));
      return app.fetch(request);
    };
    const mistake = () => {
      throw new TypeError('The header cannot be read.');
    };
    app.lines.length = 0;
    for (const isGone of [false, true]) {
      const client = new AbortController();
      const read = () => {
        if (isGone) client.abort();
        return mistake();
      };
      const answer = await send(read, client.signal);
      const requestId = answer.headers.get('X-Request-Id');
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
        500,
        'application/json; charset=utf-8',
      ]);
      const errors = [{ message: 'Internal error', extensions: { code: 'Internal', requestId } }];
      expect(await answer.json()).toEqual({ errors });
      const [failure] = app.lines.splice(0);
      expect(failure).toMatchObject({ requestId, err: { message: 'The header cannot be read.' } });
    }
    const client = new AbortController();
    const leaves = () => {
      client.abort();
      return null;
    };
    const answer = await send(leaves, client.signal);
    expect(await answer.json()).toMatchObject({
      errors: [{ message: 'The client left before the answer.' }],
    });
    expect(app.lines).toHaveLength(1);
  });

  it('has no age of what webhooks wait for while the database does not answer', async () => {
    const name = 'cardledger_webhook_backlog_age_seconds';
    const pool = { size: 1, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
    let age = async () => 5;
    const { registry } = createMetrics({
      pools: { alone: pool, shared: pool, housekeeping: pool },
      readUse: { primaryReads: 0, replicas: [] },
      importAges: async () => [],
      webhookBacklogAge: () => age(),
    });
    const sample = async () => samplesOf(await registry.metrics()).get(name);
    expect(await sample()).toBe(5);
    age = () => Promise.reject(new DomainError('Unavailable', 'The database cannot be reached.'));
    expect(await sample()).toBeUndefined();
    age = async () => 0;
    expect(await sample()).toBe(0);
  });

  it('outlives a receiver of traces that is not there', async () => {
    const { logger } = gatheringLogger();
    const tracing = await startTracing({ endpoint: 'http://127.0.0.1:1', version: '1.2.3', logger });
    const app = await observedApp(database(), tracing);
    expect((await app.send('GET', '/collection')).status).toBe(200);
    onTestFinished(() => void tracing.stop().catch(() => {}));
  });
});
