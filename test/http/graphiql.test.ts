import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import { parse, validate } from 'graphql';
import { pino } from 'pino';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { type DemoClient, ensureDemoClient } from '../../src/demo.ts';
import { readTasks } from '../../src/graphql/examples.ts';
import { graphiqlRoutes } from '../../src/graphql/graphiql.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { revokeClient } from '../../src/services/clients/revoke.ts';
import { describeOnDatabases, NOW, newTestApp, ownDatabase } from '../harness.ts';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/chromium.ts';

const ORIGIN = 'http://cardledger.test';
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const FILES = ['graphiql.js', 'graphiql.css', 'start.js', 'graphql.js', 'json.js', 'editorWorkerService.js'];
const TAB_NAMES = ['FirstQuery', 'CreateCollection', 'BuyAndSell', 'Collections'];
const SITE_FILES = ['site.css', 'favicon.svg', 'sign-in.js'];

interface PageOptions {
  defaultTabs: { query: string; variables?: string }[];
  accessToken: string | null;
}

/** What the page gives to GraphiQL. */
function optionsIn(html: string): PageOptions {
  return JSON.parse(/id="options">(.*)<\/script>/.exec(html)![1]!);
}

function appOf(
  db: OpenDatabase,
  demoClient?: DemoClient,
  { now = () => NOW, settings = {} }: { now?: () => Date; settings?: NodeJS.ProcessEnv } = {},
) {
  const config = loadConfig({
    PUBLIC_URL: ORIGIN,
    DEMO_HOSTS: 'cardledger.test,127.0.0.1,localhost',
    ...settings,
  });
  const elapsed = () => now().getTime();
  const app = createApp({ config, db, now, elapsed, logger: pino({ level: 'silent' }), demoClient });
  const get = async (path: string, headers: Record<string, string> = {}, origin = ORIGIN) =>
    app.fetch(new Request(`${origin}${path}`, { headers }));
  const page = async (origin?: string, search = '') =>
    (await get(`/graphql${search}`, { Accept: HTML }, origin)).text();
  return { app, get, page };
}

/** A demo account of its own, with its credentials in a folder that is removed at once. */
async function newDemoClient(db: OpenDatabase): Promise<DemoClient> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-demo-'));
  try {
    const { path, ...client } = await ensureDemoClient(db, folder, NOW);
    expect(await ensureDemoClient(db, folder, NOW)).toEqual({ path, ...client });
    return client;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describeOnDatabases('GraphiQL', (database) => {
  it('is a page for browsers that names nothing of another origin', async () => {
    const { get } = appOf(database());
    const response = await get('/graphql', { Accept: HTML });
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    const addresses = html.match(/\b(https?:)?\/\/[^\s"\\]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set([`${ORIGIN}/oauth2/token`]));
    const linked = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path!);
    expect(linked.filter((path) => path.includes('.')).sort()).toEqual([
      './',
      './',
      'graphiql/graphiql.css',
      'graphiql/graphiql.js',
      'graphiql/start.js',
      'site/favicon.svg',
      'site/favicon.svg',
      'site/site.css',
    ]);
    for (const file of SITE_FILES) expect((await get(`/site/${file}`)).status).toBe(200);
    expect((await get('/site/other.js')).status).toBe(404);
  });

  it('leaves everything else to the API', async () => {
    const { get } = appOf(database());
    for (const accept of ['application/json', '*/*', 'application/graphql-response+json, text/html;q=0.5']) {
      const response = await get('/graphql', { Accept: accept });
      expect(response.status).toBe(401);
      expect(response.headers.get('Content-Type')).toMatch(/json/);
    }
    expect((await get('/graphql')).status).toBe(401);
    const operations = [
      'query=%7B__typename%7D',
      'documentId=sha256:0',
      'extensions=%7B%22persistedQuery%22:%7B%7D%7D',
    ];
    for (const operation of operations)
      expect((await get(`/graphql?${operation}`, { Accept: HTML })).status).toBe(401);
  });

  it('gives no way to send a mutation by GET', async () => {
    const app = await newTestApp(database());
    const mutation = encodeURIComponent('mutation { createCollection(input: { name: "x" }) { __typename } }');
    for (const accept of ['application/json', HTML]) {
      const { status } = await app.send('GET', `/graphql?query=${mutation}`, undefined, { Accept: accept });
      expect(status).toBe(405);
    }
    expect(await app.graphql('{ collections { totalCount } }')).toEqual({ collections: { totalCount: 0 } });
  });

  it('serves its files compressed, and only once', async () => {
    const { get } = appOf(database());
    let bytes = 0;
    for (const file of FILES) {
      const packed = await get(`/graphiql/${file}`, { 'Accept-Encoding': 'gzip, br' });
      const etag = packed.headers.get('ETag')!;
      expect(packed.headers.get('Content-Encoding')).toBe('gzip');
      expect(packed.headers.get('Content-Type')).toMatch(
        file.endsWith('css') ? /^text\/css/ : /^text\/javascript/,
      );
      const gzip = Buffer.from(await packed.arrayBuffer());
      bytes += gzip.length;

      const known = await get(`/graphiql/${file}`, { 'If-None-Match': etag, 'Accept-Encoding': 'gzip' });
      expect([known.status, await known.text()]).toEqual([304, '']);
      const weak = { 'If-None-Match': `W/${etag}`, 'Accept-Encoding': 'gzip' };
      expect((await get(`/graphiql/${file}`, weak)).status).toBe(304);
      const unpacked = await get(`/graphiql/${file}`, { 'Accept-Encoding': 'gzip;q=0' });
      expect(unpacked.headers.get('Content-Encoding')).toBeNull();
      expect((await get(`/graphiql/${file}`, { 'If-None-Match': '"other"' })).status).toBe(200);
      const plain = await get(`/graphiql/${file}`);
      expect(plain.headers.get('Content-Encoding')).toBeNull();
      expect(Buffer.from(await plain.arrayBuffer()).equals(gunzipSync(gzip))).toBe(true);
    }
    expect(bytes).toBeLessThan(2_600_000);
    expect((await get('/graphiql/other.js')).status).toBe(404);
    expect((await get('/graphiql/..%2Fgraphiql.ts')).status).toBe(404);
  });

  it('opens with examples that run as they stand in a demo', async () => {
    const { app, page } = appOf(database(), await newDemoClient(database()));
    const answers: Record<string, unknown>[] = [];
    for (const { name } of await readTasks()) {
      const { defaultTabs, accessToken } = optionsIn(await page(undefined, `?task=${name}`));
      for (const { query, variables } of defaultTabs) {
        const isStream = /^subscription/m.test(query);
        const request = new Request(`${ORIGIN}/graphql`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${accessToken}`,
            'Content-Type': 'application/json',
            Accept: isStream ? 'text/event-stream' : 'application/json',
          },
          body: JSON.stringify({ query, variables: variables && JSON.parse(variables) }),
        });
        const response = await app.fetch(request);
        expect([query, response.status]).toEqual([query, 200]);
        if (isStream) {
          const reader = response.body!.getReader();
          // What is refused comes as an event at once, where a comment begins what is followed.
          expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^(id: .*\n)?:\n\n$/);
          await reader.cancel();
          continue;
        }
        const answer = await response.json();
        expect([query, answer.errors]).toEqual([query, undefined]);
        answers.push(answer.data);
      }
    }
    const { defaultTabs } = optionsIn(await page());
    const warned = defaultTabs.map(({ query }) => query.includes('# It writes:'));
    expect(warned).toEqual([false, false, true, false]);
    expect(answers.slice(0, 4)).toMatchObject([
      {
        products: {
          nodes: expect.arrayContaining([expect.objectContaining({ name: 'Command and Conquer' })]),
        },
      },
      { createCollection: { collection: { name: 'My first binder' } } },
      {
        bought: { transaction: { action: 'PURCHASE', quantity: 4 } },
        sold: {
          transaction: { action: 'SALE', quantity: 1, collection: { name: 'Demo binder', quantity: 14 } },
        },
      },
      {
        collections: {
          totalCount: 4,
          nodes: [
            { name: 'Demo binder', transactionSummaries: { totalCount: 5 } },
            { name: 'Demo goal: Arcane Rising', transactionSummaries: { totalCount: 6 } },
            { name: 'Demo sealed', transactionSummaries: { totalCount: 3 } },
            { name: 'My first binder', transactionSummaries: { totalCount: 0 } },
          ],
        },
      },
    ]);
    // What names nothing that there is says so, and all else has found something.
    const refused = answers.filter((answer) => /"__typename":"NotFound"/.test(JSON.stringify(answer)));
    expect(refused.map((answer) => Object.keys(answer)[0])).toEqual([
      'deleteTransaction',
      'deletePriceAlert',
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/ValidationFailed|"evBreakdown":null|"collection":null/);
  });

  it('has the worked example: 4 bought at 10.00, 1 sold at 15.00', async () => {
    const app = await newTestApp(database());
    const { body } = await app.send('POST', '/collection', { name: 'New' });
    const [start] = await readTasks();
    const { query, variables } = start!.examples.find(({ name }) => name === '3-buy-and-sell')!;
    const filled = JSON.parse(variables!.replaceAll('COLLECTION_ID', body.collectionId));
    const { sold } = await app.graphql<{ sold: { transaction: { collection: unknown } } }>(query, filled);
    expect(sold.transaction.collection).toEqual({
      name: 'New',
      quantity: 3,
      invested: { decimal: '30.00' },
      profit: { decimal: '5.00' },
      cashPosition: { decimal: '-25.00' },
    });
  });

  it('says that the data is made up, where it is', async () => {
    expect(optionsIn(await appOf(database()).page()).defaultTabs[0]!.query).toMatch('SAMPLE data');
    const real = graphiqlRoutes({
      samples: async () => null,
      session: async () => null,
      publicUrl: ORIGIN,
    });
    const html = await (await real.request('/graphql', { headers: { Accept: HTML } })).text();
    expect(html).not.toMatch('SAMPLE');
  });

  it('says how to get a token where there is no demo', async () => {
    const { defaultTabs, accessToken } = optionsIn(await appOf(database()).page());
    expect(defaultTabs[0]!.query).toMatch(`curl ${ORIGIN}/oauth2/token`);
    expect(accessToken).toBeNull();
    expect(defaultTabs[2]!.variables).toMatch('COLLECTION_ID');
  });

  it.each([
    ['localhost', {}, true],
    ['127.0.0.1:4000', {}, true],
    ['[::1]:4000', {}, true],
    ['LOCALHOST', { HOST: '::1' }, true],
    ['attacker.example', {}, false],
    ['localhost.attacker.example', {}, false],
    ['localhost', { HOST: '0.0.0.0' }, false],
    ['localhost', { HOST: '::' }, false],
    ['localhost', { HOST: 'fe80::1%eth0' }, false],
    ['localhost', { PUBLIC_URL: 'https://cards.example' }, false],
    ['demo.example', { HOST: '0.0.0.0', DEMO_HOSTS: 'demo.example, localhost' }, true],
    ['localhost', { HOST: '0.0.0.0', DEMO_HOSTS: 'demo.example, localhost' }, true],
    ['localhost', { DEMO_HOSTS: 'demo.example' }, false],
  ])('signs in at the host %s with %j: %s', async (host, settings, signsIn) => {
    const own = { PUBLIC_URL: '', DEMO_HOSTS: '', ...settings };
    const { page } = appOf(database(), await newDemoClient(database()), { settings: own });
    const { accessToken } = optionsIn(await page(`http://${host}`));
    expect(accessToken?.startsWith('ey') ?? false).toBe(signsIn);
  });

  it.each(['demo.example:4000', 'https://demo.example', 'a b', ','])(
    'is told that %j is no host',
    (hosts) => {
      expect(() => loadConfig({ DEMO_HOSTS: hosts })).toThrow(/DEMO_HOSTS must be host names/);
    },
  );

  it('gives the same token for 5 minutes, then a new one, and none when the client is revoked', async () => {
    const client = await newDemoClient(database());
    let millis = NOW.getTime();
    const { page } = appOf(database(), client, { now: () => new Date(millis) });
    const token = async () => optionsIn(await page()).accessToken;
    const first = await token();
    expect(first).toMatch(/^ey/);
    millis += 5 * 60_000 - 1;
    expect(await token()).toBe(first);
    millis += 1;
    const second = await token();
    expect(second).toMatch(/^ey/);
    expect(second).not.toBe(first);
    await revokeClient(database(), { clientId: client.clientId, now: NOW });
    millis += 5 * 60_000;
    expect(await token()).toBeNull();
  });
});

describe('the example operations', () => {
  it('are valid by the schema', async () => {
    const schema = createSchema();
    const tasks = await readTasks();
    expect(tasks[0]!.examples.map(({ operation }) => operation)).toEqual(TAB_NAMES);
    const examples = tasks.flatMap((task) => task.examples);
    for (const { query } of examples) expect(validate(schema, parse(query))).toEqual([]);
    expect(new Set(examples.map(({ operation }) => operation)).size).toBe(examples.length);
  });
});

const cannotBrowse = !existsSync(CHROMIUM) && !process.env.CI;

describe.skipIf(cannotBrowse)(`GraphiQL in a browser (needs ${CHROMIUM})`, () => {
  let db: OpenDatabase;
  let server: ReturnType<typeof serve>;
  let browser: Browser;

  beforeAll(async () => {
    db = await ownDatabase('pglite');
    const { app } = appOf(db, await newDemoClient(db));
    await new Promise<void>((resolve) => {
      server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve());
    });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => server?.close(resolve));
    await db?.close();
  });

  it('runs each tab, and asks nobody else for anything', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.context().on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });

    const run = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
      // GraphiQL reads which operation it has a moment after its text changed.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
      const answered = page.waitForResponse(
        (response) => response.request().postDataJSON()?.operationName === name,
      );
      await page.locator('.graphiql-execute-button').click();
      const response = await answered;
      expect([name, response.status(), (await response.json()).errors]).toEqual([name, 200, undefined]);
      await page.locator('.result-window', { hasText: '"data"' }).waitFor();
    };

    await page.goto(`${origin}/graphql`);
    for (const name of TAB_NAMES) await run(name);
    await page.reload();
    await run('Collections');
    expect(page.url()).toBe(`${origin}/graphql`);
    expect(await page.locator('.graphiql-tab').count()).toBe(TAB_NAMES.length);

    expect(complaints).toEqual([]);
    expect(new Set(requested.map((url) => new URL(url).origin))).toEqual(new Set([origin]));
    const paths = new Set(requested.map((url) => new URL(url).pathname));
    expect([...paths].sort()).toEqual(
      [
        '/graphql',
        ...FILES.map((file) => `/graphiql/${file}`),
        ...SITE_FILES.map((file) => `/site/${file}`),
      ].sort(),
    );
  });
});
