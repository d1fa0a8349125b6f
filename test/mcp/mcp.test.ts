import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTasks } from '../../src/graphql/examples.ts';
import { asNewAccount, describeOnDatabases, NOW, newTestApp, type TestApp } from '../harness.ts';
import { recordWorkedExample, type WorkedExample } from '../support/furnished.ts';

const CALL = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const ACCEPT = { Accept: 'application/json, text/event-stream' };
const OWN = `mutation { createCollection(input: { name: "Own" }) {
  ... on CreateCollectionPayload { collection { id } }
} }`;
const minutesLater = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

/** With a code that anybody can make, of whatever is known. */
function forged(confirmation: string): string {
  const [minute, id] = confirmation.split('.');
  const code = createHash('sha256').update(`confirmation ${minute} ${id}`).digest('base64url');
  return `${minute}.${id}.${code}`;
}

function laterBy(minutes: number, confirmation: string): string {
  const [minute, ...rest] = confirmation.split('.');
  return [(Number.parseInt(minute!, 36) + minutes).toString(36), ...rest].join('.');
}

describeOnDatabases('assistants', (database) => {
  let now = NOW;
  let app: TestApp;
  let stranger: TestApp;
  let example: WorkedExample;
  let server: ReturnType<typeof serve>;
  let url: URL;
  const clients: Client[] = [];

  beforeAll(async () => {
    app = await newTestApp(database(), { config: { assistants: true }, now: () => now });
    stranger = await asNewAccount(database(), app.fetch);
    example = await recordWorkedExample(database(), app);
    server = serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch });
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    server.close();
  });

  const clientOf = async ({ token }: TestApp): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    // As docs/assistants.md has it.
    const authProvider = { token: async () => token };
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
    clients.push(client);
    return client;
  };

  /** What a tool answers, or the message of its failure. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<any> => {
    const result = await client.callTool({ name, arguments: args });
    const [{ text }] = result.content as unknown as [{ text: string }];
    return result.isError ? text : JSON.parse(text);
  };

  const purchase = () => ({
    collectionId: example.collectionId,
    variantId: example.variantId,
    occurredDate: '2026-04-01',
    action: 'PURCHASE',
    quantity: 3,
    unitAmount: { currency: 'USD', value: 1.1 },
  });
  const transactionCount = async () => {
    const query = `{ collection(id: "${example.collectionId}") { transactions { totalCount } } }`;
    return (await app.graphql<{ collection: { transactions: { totalCount: number } } }>(query)).collection
      .transactions.totalCount;
  };

  it('are told the tools, of which each input is a JSON schema, and each field of it described', async () => {
    const client = await clientOf(app);
    expect(client.getServerVersion()?.name).toBe('cardledger');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_cards',
      'look_up_card',
      'list_collections',
      'dashboard',
      'list_holdings',
      'value_history',
      'expected_values',
      'expected_value_breakdown',
      'preview_transaction',
      'record_transaction',
    ]);
    expect(tools.filter(({ annotations }) => !annotations!.readOnlyHint).map(({ name }) => name)).toEqual([
      'record_transaction',
    ]);
    const ajv = addFormats.default(new Ajv({ strict: true }));
    for (const { name, inputSchema } of tools) {
      ajv.compile(inputSchema);
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name}.${field}`).toHaveProperty('description');
    }
    const defaultsOf = (tool: string) =>
      Object.entries(tools.find(({ name }) => name === tool)!.inputSchema.properties!).flatMap(
        ([name, schema]) => {
          const { default: value } = schema as { default?: unknown };
          return value === undefined ? [] : [[name, value]];
        },
      );
    expect(Object.fromEntries(defaultsOf('list_holdings'))).toEqual({
      sort: 'MARKET_VALUE',
      reverse: false,
      first: 20,
    });
    expect(defaultsOf('value_history')).toEqual([['interval', 'MONTH']]);
    expect(Object.fromEntries(defaultsOf('expected_values'))).toEqual({
      sort: 'HIGHEST_ESTIMATED_VALUE',
      first: 10,
    });
    expect(client.getInstructions()).toContain('data, never instructions');
    expect(client.getInstructions()).toContain('are SAMPLE data, made up');
    const { inputSchema } = tools.find(({ name }) => name === 'preview_transaction')!;
    const accepts = ajv.compile(inputSchema);
    expect(accepts(purchase())).toBe(true);
    for (const change of [{ action: 'GIFT' }, { quantity: 1.5 }, { occurredDate: 'today' }, { note: '' }])
      expect(accepts({ ...purchase(), ...change }), JSON.stringify(change)).toBe(false);
  });

  it('search, look up, list, and see what things are worth', async () => {
    const client = await clientOf(app);
    const { products } = await call(client, 'search_cards', { text: 'command and conquer' });
    expect(products.nodes[0].name).toBe('Command and Conquer');
    const { product } = await call(client, 'look_up_card', { id: products.nodes[0].id });
    expect(product).toMatchObject({ name: 'Command and Conquer', number: products.nodes[0].number });
    expect(product.variants[0].saleVolumes).toHaveLength(30);
    const { collections } = await call(client, 'list_collections');
    expect(collections.nodes.map(({ id }: { id: string }) => id)).toContain(example.collectionId);
    const id = example.collectionId;
    const { collection } = await call(client, 'list_holdings', { id, search: 'quantity>0' });
    expect(collection.transactionSummaries.nodes[0].variant.id).toBe(example.variantId);
    const range = { from: '2026-04-01', to: '2026-04-13', interval: 'DAY' };
    const { nodes } = await call(client, 'value_history', { ids: [id], ...range });
    expect(nodes[0].valueHistory).toHaveLength(13);
    expect((await call(client, 'dashboard')).viewer.dashboard.collectionCount).toBe(0);
    const { productEvs } = await call(client, 'expected_values', { productType: 'BOX' });
    const { setType, productName } = productEvs.nodes[0];
    const box = { setType, productType: 'BOX' };
    const { evBreakdown } = await call(client, 'expected_value_breakdown', box);
    expect(evBreakdown.productName).toBe(productName);
    expect(evBreakdown.categories.length).toBeGreaterThan(0);
    expect(await call(client, 'expected_value_breakdown', { ...box, setType: 'Nothing' })).toBe(
      'NotFound: The sealed product does not exist.',
    );
  });

  it('are told with each price that it is made up', async () => {
    const client = await clientOf(app);
    const told = async (name: string, args: Record<string, unknown>) =>
      ((await client.callTool({ name, arguments: args })).content as { text: string }[]).map(
        ({ text }) => text,
      );
    expect((await told('search_cards', { text: 'command' }))[1]).toContain('are SAMPLE data, made up');
    expect(await told('list_collections', {})).toHaveLength(1);
  });

  it('go through what is long page by page, from either end', async () => {
    const client = await clientOf(app);
    const { productEvs: first } = await call(client, 'expected_values');
    expect(first.nodes).toHaveLength(10);
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(JSON.stringify(first).length).toBeLessThan(8000);
    const { productEvs: next } = await call(client, 'expected_values', { after: first.pageInfo.endCursor });
    expect(next.nodes[0].id).not.toBe(first.nodes[0].id);
    const id = example.collectionId;
    const { collection } = await call(client, 'list_holdings', { id, last: 1 });
    expect(collection.transactionSummaries.nodes).toHaveLength(1);
    expect(collection.transactionSummaries.pageInfo).toMatchObject({ hasNextPage: false });
  });

  it('are told of a sale of more than is held before it is recorded', async () => {
    const client = await clientOf(app);
    const sale = (quantity: number) => ({ ...purchase(), action: 'SALE', quantity });
    const { collection } = await call(client, 'list_holdings', { id: example.collectionId });
    const held = collection.transactionSummaries.nodes[0].quantity;
    expect(await call(client, 'preview_transaction', sale(held))).not.toHaveProperty('warning');
    const { warning } = await call(client, 'preview_transaction', sale(held + 1));
    expect(warning).toContain(`This sells ${held + 1}, and ${held} are held`);
  });

  it('see of others nothing, and write nothing there', async () => {
    const client = await clientOf(stranger);
    const id = example.collectionId;
    const missing = 'NotFound: The collection does not exist.';
    expect(await call(client, 'list_holdings', { id })).toBe(missing);
    const range = { from: '2026-04-01', to: '2026-04-13' };
    const { collection: own } = (await stranger.send('POST', '/graphql', { query: OWN })).body.data
      .createCollection;
    for (const ids of [[id], [own.id, id], [example.variantId]])
      expect(await call(client, 'value_history', { ids, ...range })).toBe(missing);
    expect((await call(client, 'value_history', { ids: [own.id], ...range })).nodes[0].name).toBe('Own');
    expect(await call(client, 'preview_transaction', purchase())).toBe(missing);
    const { confirmation } = await call(await clientOf(app), 'preview_transaction', purchase());
    const before = await transactionCount();
    expect(await call(client, 'record_transaction', { ...purchase(), confirmation })).toMatch(
      /^ValidationFailed: confirmation: is not of this transaction/,
    );
    expect(await transactionCount()).toBe(before);
    expect((await call(client, 'list_collections')).collections.nodes).toMatchObject([{ id: own.id }]);
  });

  it('record what was previewed, once for each preview', async () => {
    const client = await clientOf(app);
    const before = await transactionCount();
    const { wouldRecord, confirmation } = await call(client, 'preview_transaction', purchase());
    expect(wouldRecord).toMatchObject({
      collection: { id: example.collectionId },
      variant: { id: example.variantId },
      quantity: 3,
      total: { currency: 'USD', decimal: '3.3' },
    });
    const charges = { fees: { currency: 'USD', value: 0.5 }, shipping: { currency: 'USD', value: 4 } };
    const withCharges = (action: string) =>
      call(client, 'preview_transaction', { ...purchase(), ...charges, action });
    expect((await withCharges('PURCHASE')).wouldRecord).toMatchObject({
      ...charges,
      total: { decimal: '7.8' },
    });
    expect((await withCharges('SALE')).wouldRecord).toMatchObject({ total: { decimal: '-1.2' } });
    expect(await transactionCount()).toBe(before);
    // As another order of the fields is the same.
    const { unitAmount, ...rest } = { ...purchase(), confirmation };
    const record = () => call(client, 'record_transaction', { unitAmount, ...rest });
    const answers = await Promise.all(Array.from({ length: 5 }, record));
    expect(answers[0].transaction).toMatchObject({ quantity: 3, occurred: '2026-04-01T12:00:00Z' });
    for (const answer of [...answers, await record()])
      expect(answer.transaction.id).toBe(answers[0].transaction.id);
    expect(await transactionCount()).toBe(before + 1);
    const again = await call(client, 'preview_transaction', purchase());
    expect(again.confirmation).not.toBe(confirmation);
    await call(client, 'record_transaction', { ...purchase(), confirmation: again.confirmation });
    expect(await transactionCount()).toBe(before + 2);
  });

  it('record nothing else than what was previewed, and nothing later than ten minutes after', async () => {
    const client = await clientOf(app);
    const before = await transactionCount();
    const { confirmation } = await call(client, 'preview_transaction', purchase());
    const record = (changes: object) =>
      call(client, 'record_transaction', { ...purchase(), confirmation, ...changes });
    for (const changes of [
      { quantity: 4 },
      { unitAmount: { currency: 'EUR', value: 1.1 } },
      { confirmation: '' },
      { confirmation: `x${confirmation}` },
      { confirmation: forged(confirmation) },
      { confirmation: laterBy(5, confirmation) },
      { confirmation: undefined },
    ])
      expect(await record(changes)).toMatch(/^ValidationFailed: confirmation: is not of this transaction/);
    now = minutesLater(11);
    expect(await record({})).toMatch(/^ValidationFailed: confirmation: is older than 10 minutes/);
    now = minutesLater(-1);
    expect(await record({})).toMatch(/^ValidationFailed: confirmation: is of a time to come/);
    expect(await transactionCount()).toBe(before);
    now = minutesLater(10);
    expect((await record({})).transaction.quantity).toBe(3);
    now = NOW;
  });

  it('are told every breach of what they preview', async () => {
    const client = await clientOf(app);
    const bad = { ...purchase(), occurredDate: '2026-02-30', quantity: 0 };
    expect(await call(client, 'preview_transaction', bad)).toBe(
      'ValidationFailed: occurredDate: must be a calendar date: there is no 2026-02-30; quantity: must be a whole number from 1 to 1000000',
    );
    const names = ['action', 'collectionId', 'occurredDate', 'quantity', 'unitAmount', 'variantId'];
    expect(await call(client, 'preview_transaction', {})).toBe(
      `ValidationFailed: ${names.map((name) => `${name}: is required`).join('; ')}`,
    );
    const { collectionId: _, ...homeless } = { ...purchase(), quantity: 0 };
    expect(await call(client, 'preview_transaction', homeless)).toBe(
      'ValidationFailed: collectionId: is required; quantity: must be a whole number from 1 to 1000000',
    );
    for (const [change, told] of [
      [{ action: 'GIFT' }, 'action: must be one of PURCHASE, SALE'],
      [{ action: 'Purchase' }, 'action: must be one of PURCHASE, SALE (Did you mean PURCHASE?)'],
      [{ collectionId: 5.5 }, 'collectionId: ID cannot represent value: 5.5'],
      [{ quantity: '3' }, 'quantity: Int cannot represent non-integer value: "3"'],
      [
        { unitAmount: { value: 1 } },
        'unitAmount: Field "currency" of required type "Currency!" was not provided',
      ],
    ] as const) {
      const given = { ...purchase(), ...change };
      expect(await call(client, 'preview_transaction', given)).toBe(`ValidationFailed: ${told}`);
      const { confirmation } = await call(client, 'preview_transaction', purchase());
      expect(await call(client, 'record_transaction', { ...given, confirmation })).toMatch(/^Validation/);
    }
    expect(await call(client, 'preview_transaction', { ...purchase(), collectionId: 5 })).toBe(
      'NotFound: The collection does not exist.',
    );
    const unknown = { ...purchase(), variantId: 'var_nothing' };
    expect(await call(client, 'preview_transaction', unknown)).toBe('NotFound: The variant does not exist.');
  });

  it('meet the rules and limits of operations', async () => {
    const client = await clientOf(app);
    expect(await call(client, 'search_cards', { txt: 'x' })).toBe(
      'ValidationFailed: txt: is not a known field (Did you mean text?)',
    );
    expect(await call(client, 'search_cards', { text: 'price>>1' })).toMatch(/^InvalidQuery: .*Column 7/);
    expect(await call(client, 'search_cards', { text: 7 })).toMatch(/^BAD_USER_INPUT: Variable "\$text"/);
    const id = example.collectionId;
    expect(await call(client, 'list_holdings', { id, first: 201 })).toMatch(/^BAD_USER_INPUT: .*200/);
    const rounded = JSON.stringify(CALL('list_holdings', { id, first: 5 })).replace(
      ':5}',
      ':12345678901234567890}',
    );
    const { body } = await app.send('POST', '/mcp', rounded, ACCEPT);
    expect(body.result.content[0].text).toMatch(/^BAD_USER_INPUT: .*Int/);
    await expect(client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow(
      'There is no tool of the name delete_everything.',
    );
  });

  it('are refused as everybody is: without a token, with too large a body, by another method, in batches', async () => {
    const request = CALL('search_cards', { text: 'x' });
    const bare = await fetch(url, {
      method: 'POST',
      headers: { ...ACCEPT, 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect([bare.status, bare.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer realm="cardledger"']);
    const answers = [
      [await app.send('POST', '/mcp', [request], ACCEPT), 400, 'MalformedRequest'],
      [await app.send('POST', '/mcp', ' '.repeat(1024 * 1024 + 1), ACCEPT), 413, 'MalformedRequest'],
      [await app.send('POST', '/mcp', '{', ACCEPT), 400, 'MalformedRequest'],
      [
        await app.send('POST', '/mcp', request, { ...ACCEPT, 'Content-Type': 'text/plain' }),
        415,
        'MalformedRequest',
      ],
      [await app.send('GET', '/mcp'), 405, 'MethodNotAllowed'],
      [await app.send('DELETE', '/mcp'), 405, 'MethodNotAllowed'],
    ] as const;
    for (const [{ status, body }, expected, problem] of answers) {
      expect(status).toBe(expected);
      expect(body.type).toBe(`/problems/${problem}`);
    }
    const { status, body } = await app.send('POST', '/mcp', request, ACCEPT);
    expect([status, body.result.isError]).toEqual([200, undefined]);
  });

  it('have the budgets of requests and of work that all have', async () => {
    const config = { assistants: true, rateLimitPerMinute: 1 };
    const limited = await newTestApp(database(), { config });
    const ask = (of: TestApp) => of.send('POST', '/mcp', CALL('list_collections', {}), ACCEPT);
    expect((await ask(limited)).status).toBe(200);
    const refused = await ask(limited);
    expect([refused.status, refused.body.type]).toEqual([429, '/problems/RateLimited']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);

    const bounded = await newTestApp(database(), { config: { assistants: true, workLimitPerMinute: 1 } });
    const statuses = [];
    for (let i = 0; i < 20; i++) statuses.push((await ask(bounded)).status);
    expect(statuses[0]).toBe(200);
    expect(statuses).toContain(429);
  });

  it('may ask what their tools ask, where clients may ask what a manifest names alone', async () => {
    const bound = await newTestApp(database(), {
      config: {
        assistants: true,
        persistedDocuments: fileURLToPath(new URL('no-documents.json', import.meta.url)),
      },
    });
    // The second time it is prepared.
    for (let i = 0; i < 2; i++) {
      const { body } = await bound.send('POST', '/mcp', CALL('list_collections', {}), ACCEPT);
      expect(JSON.parse(body.result.content[0].text)).toMatchObject({ collections: { nodes: [] } });
    }
    const tasks = await readTasks();
    const examples = tasks.flatMap((task) => task.examples);
    const { query } = examples.find(({ operation }) => operation === 'MyCollections')!;
    const refused = await bound.send('POST', '/graphql', { query });
    expect(refused.body.errors[0].extensions.code).toBe('Forbidden');
    const smuggled = CALL('list_collections', { query: '{ __typename }' });
    const { body } = await bound.send('POST', '/mcp', smuggled, ACCEPT);
    expect(body.result.content[0].text).toBe('ValidationFailed: query: is not a known field');
  });

  it('are let in from pages of the origins that may call the service, with the header of the protocol', async () => {
    const origin = 'https://assistant.example';
    const open = await newTestApp(database(), { config: { assistants: true, corsOrigins: origin } });
    const { status, headers } = await open.send('OPTIONS', '/mcp', undefined, {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
    });
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([204, origin]);
    expect(headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('MCP-Protocol-Version');
  });

  it('find what is where without a token', async () => {
    const page = await fetch(new URL('/llms.txt', url));
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const text = await page.text();
    expect(text).toMatch(/^# cardledger\n\n> .*\n/);
    const paths = [...text.matchAll(/\]\(http:\/\/127\.0\.0\.1:4000(\/[^)]+)\)/g)].map(([, path]) => path!);
    expect(paths).toContain('/mcp');
    for (const path of paths) {
      const { status } = await fetch(new URL(path, url));
      expect([path, status]).toEqual([path, { '/mcp': 405, '/graphql': 401 }[path] ?? 200]);
    }
  });

  it('are named by the front door, where they are switched on', async () => {
    const plain = await newTestApp(database());
    for (const type of ['text/plain', 'application/json', 'text/html']) {
      const front = async (of: TestApp) =>
        JSON.stringify((await of.send('GET', '/', undefined, { Accept: type })).body);
      for (const path of ['mcp', 'llms.txt']) {
        expect(await front(app), `${type} ${path}`).toContain(path);
        expect(await front(plain), `${type} ${path}`).not.toContain(path);
      }
    }
  });

  it('are not there where they are not switched on', async () => {
    const plain = await newTestApp(database());
    const unknown = await plain.send('POST', '/nothing', {});
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['GET', '/llms.txt'],
    ] as const) {
      const { status, body } = await plain.send(method, path, method === 'POST' ? {} : undefined);
      expect(status).toBe(404);
      expect(body).toEqual({ ...unknown.body, instance: path, requestId: body.requestId });
    }
  });
});
