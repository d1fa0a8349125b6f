import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CardledgerError, createClient } from '../../../packages/client/src/index.ts';

const URL_OF_SERVICE = 'http://cardledger.test';
const QUERY = '{ viewer { name } }';
const CREATE = 'mutation($input: CreateCollectionInput!) { createCollection(input: $input) { __typename } }';
const INLINE = 'mutation { createCollection(input: { name: "A" }) { __typename } }';
const DONE = { data: { createCollection: { __typename: 'CreateCollectionPayload' } } };

const answer = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
const problem = (name: string, status: number, headers: Record<string, string> = {}) =>
  answer(
    { type: `/problems/${name}`, title: '', status, detail: name, instance: '/', requestId: 'r1' },
    status,
    headers,
  );
const lost = () => new TypeError('fetch failed');

/** A client whose requests meet these answers, one after the other. */
function clientOf(answers: (Response | Error)[], options: { retries?: number } = {}) {
  const sent: Request[] = [];
  const client = createClient({
    url: `${URL_OF_SERVICE}/`,
    token: () => 'good',
    ...options,
    fetch: async (input, init) => {
      sent.push(new Request(input as string, init));
      const next = answers.shift();
      if (!next) throw new Error('not expected');
      if (next instanceof Error) throw next;
      return next;
    },
  });
  return { client, sent };
}

/** The result or the error of a call, and the milliseconds that it waited. */
async function waited<T>(call: Promise<T>): Promise<{ value?: T; error?: CardledgerError; millis: number }> {
  const from = Date.now();
  const settled = call.then(
    (value) => ({ value, millis: Date.now() - from }),
    (error) => ({ error, millis: Date.now() - from }),
  );
  await vi.runAllTimersAsync();
  return settled;
}

describe('What passes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is waited for, twice as long each time', async () => {
    const { client, sent } = clientOf([
      lost(),
      lost(),
      problem('Unavailable', 503),
      answer({ data: { viewer: 1 } }),
    ]);
    expect(await waited(client.query(QUERY))).toEqual({ value: { viewer: 1 }, millis: 250 + 500 + 1000 });
    expect(sent).toHaveLength(4);
  });

  it.each([
    ['7', 7000],
    ['Sun, 22 Nov 2026 12:00:09 GMT', 9000],
    ['soon', 250],
  ])('is waited for as Retry-After says: %s', async (value, millis) => {
    vi.setSystemTime('2026-11-22T12:00:00Z');
    const { client } = clientOf([
      problem('RateLimited', 429, { 'Retry-After': value }),
      answer({ data: {} }),
    ]);
    expect(await waited(client.query(QUERY))).toEqual({ value: {}, millis });
  });

  it.each([
    ['60', 60_000, undefined],
    ['61', 0, 'RateLimited'],
    ['3600', 0, 'RateLimited'],
    ['Sun, 22 Nov 2026 13:00:00 GMT', 0, 'RateLimited'],
  ])('is the error at once where Retry-After is more than a minute: %s', async (value, millis, code) => {
    vi.setSystemTime('2026-11-22T12:00:00Z');
    const { client, sent } = clientOf([
      problem('RateLimited', 429, { 'Retry-After': value }),
      answer({ data: {} }),
    ]);
    const { error, millis: taken } = await waited(client.query(QUERY));
    expect([error?.code, taken, sent.length]).toEqual([code, millis, code ? 1 : 2]);
  });

  it('is waited for no more often than retries says, and is then the error', async () => {
    const { client, sent } = clientOf(
      [1, 2, 3].map(() => problem('Unavailable', 503)),
      { retries: 2 },
    );
    const { error } = await waited(client.rest('GET', '/collection'));
    expect(error).toMatchObject({
      code: 'Unavailable',
      status: 503,
      requestId: 'r1',
      message: 'Unavailable',
    });
    expect(sent).toHaveLength(3);
    const unreached = await waited(clientOf([lost()], { retries: 0 }).client.query(QUERY));
    expect(unreached.error).toMatchObject({ code: 'Network', cause: { message: 'fetch failed' } });
  });

  it('may be in a field beside an answer', async () => {
    const errors = [{ message: 'No database.', extensions: { code: 'Unavailable' } }];
    const { client } = clientOf([
      answer({ data: { viewer: null }, errors }),
      answer({ data: { viewer: 1 } }),
    ]);
    expect((await waited(client.query(QUERY))).value).toEqual({ viewer: 1 });
  });

  it('has the key of the first time each time', async () => {
    const { client, sent } = clientOf([lost(), problem('Unavailable', 503), answer(DONE)]);
    await waited(client.mutate(CREATE, { input: { name: 'A' } }));
    const keys = await Promise.all(
      sent.map(async (request) => (await request.json()).variables.input.idempotencyKey),
    );
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const rest = clientOf([lost(), answer({ collectionId: 'col_1' })]);
    await waited(rest.client.rest('POST', '/collection', { body: { name: 'A' } }));
    const headers = rest.sent.map((request) => request.headers.get('Idempotency-Key'));
    expect(headers).toHaveLength(2);
    expect(new Set(headers).size).toBe(1);
  });

  it('tells of a write that may have been done by which key it is known', async () => {
    for (const failure of [lost, () => problem('Unavailable', 503), () => answer('a proxy', 504)]) {
      const { client, sent } = clientOf([lost(), failure()], { retries: 1 });
      const { error } = await waited(client.mutate(CREATE, { input: { name: 'A' } }));
      expect(error!.message).toMatch(/ It may have been done: send it again with its idempotencyKeys/);
      const { variables } = await sent[0]!.json();
      expect(error!.idempotencyKeys).toEqual([variables.input.idempotencyKey]);
      const rest = clientOf([lost(), failure()], { retries: 1 });
      const refused = await waited(rest.client.rest('POST', '/collection', { body: { name: 'A' } }));
      expect(refused.error!.idempotencyKeys).toEqual([rest.sent[0]!.headers.get('Idempotency-Key')]);
      expect(refused.error!.message).toMatch(/ It may have been done/);
    }
    // What was not begun, and what is refused for good, is not done.
    for (const answers of [[problem('RateLimited', 429)], [lost(), problem('ValidationFailed', 422)]]) {
      const { client } = clientOf(answers, { retries: answers.length - 1 });
      const { error } = await waited(client.rest('POST', '/collection', { body: { name: 'A' } }));
      expect(error!.idempotencyKeys).toBeUndefined();
      expect(error!.message).not.toMatch(/may have been done/);
    }
    const reading = await waited(clientOf([lost()], { retries: 0 }).client.query(QUERY));
    expect(reading.error!.idempotencyKeys).toBeUndefined();
  });

  it('is not sent again where it might be done twice', async () => {
    for (const failure of [lost(), problem('Unavailable', 503)]) {
      const { client, sent } = clientOf([failure]);
      const { error } = await waited(client.mutate(INLINE));
      expect(error!.code).toBe(failure instanceof Error ? 'Network' : 'Unavailable');
      expect(sent).toHaveLength(1);
    }
    const { client, sent } = clientOf([lost()]);
    const change = client.rest('DELETE', '/collection/{collectionId}', {
      path: { collectionId: 'col_1' },
      ifMatch: '"1"',
    });
    expect((await waited(change)).error!.message).toMatch(/Whether it was done is not known/);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.headers.get('If-Match')).toBe('"1"');
  });

  it('is sent again after 429 all the same, as nothing was done', async () => {
    const { client, sent } = clientOf([problem('RateLimited', 429, { 'Retry-After': '1' }), answer(DONE)]);
    expect((await waited(client.mutate(INLINE))).value).toEqual(DONE.data);
    expect(sent).toHaveLength(2);
  });

  it('is done where a deletion of which the answer was lost finds nothing', async () => {
    const path = { collectionId: 'col_1' };
    const errorOf = async (...answers: Parameters<typeof clientOf>[0]) => {
      const { client } = clientOf([...answers, problem('NotFound', 404)]);
      return (await waited(client.rest('DELETE', '/collection/{collectionId}', { path }))).error?.code;
    };
    const [busy, away] = [() => problem('RateLimited', 429), () => problem('Unavailable', 503)];
    for (const answers of [[lost()], [away()], [lost(), busy()], [busy(), away()]])
      expect(await errorOf(...answers)).toBeUndefined();
    // What was refused was not begun.
    for (const answers of [[], [busy()], [busy(), busy()]])
      expect(await errorOf(...answers)).toBe('NotFound');
  });

  it('is no longer waited for when the signal of the call says so', async () => {
    const stop = new AbortController();
    const { client, sent } = clientOf([lost(), lost()]);
    const call = waited(client.query(QUERY, {}, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect((await call).error).toMatchObject({ message: 'enough' });
    expect(sent.length).toBeLessThan(2);
  });

  it('is not what answers in the place of the service', async () => {
    const page = () => new Response('<html>', { status: 200 });
    expect((await waited(clientOf([page()]).client.query(QUERY))).error!.code).toBe('Network');
    expect((await waited(clientOf([page()]).client.rest('GET', '/collection'))).error!.code).toBe('Network');
    const refused = new Response('<html>', { status: 404 });
    expect((await waited(clientOf([refused]).client.query(QUERY))).error).toMatchObject({
      code: 'Network',
      status: 404,
    });
  });
});

describe('The token', () => {
  const token = (text: string) =>
    answer({ access_token: text, token_type: 'Bearer', expires_in: 3600, scope: 'default' });
  const secretClient = (respond: (request: Request) => Response) => {
    const sent: Request[] = [];
    const client = createClient({
      url: URL_OF_SERVICE,
      clientId: 'cli_1',
      clientSecret: 'cls_secret',
      fetch: async (input, init) => {
        const request = new Request(input as string, init);
        sent.push(request);
        return respond(request);
      },
    });
    return { client, sent, tokens: () => sent.filter(({ url }) => url.endsWith('/oauth2/token')).length };
  };
  const isToken = (request: Request) => request.url.endsWith('/oauth2/token');

  afterEach(() => {
    vi.useRealTimers();
  });

  it('is asked for once by many calls, and a minute before it expires again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { client, tokens } = secretClient((request) =>
      isToken(request) ? token('t') : answer({ data: {} }),
    );
    await Promise.all(Array.from({ length: 5 }, () => client.query(QUERY)));
    expect(tokens()).toBe(1);
    vi.setSystemTime(Date.now() + 3539_000);
    await client.query(QUERY);
    expect(tokens()).toBe(1);
    vi.setSystemTime(Date.now() + 1000);
    await Promise.all([client.query(QUERY), client.query(QUERY)]);
    expect(tokens()).toBe(2);
  });

  it('is another one after it was refused, for all calls together', async () => {
    let issued = 0;
    const { client, tokens } = secretClient((request) => {
      if (isToken(request)) return token(`t${++issued}`);
      return request.headers.get('Authorization') === 'Bearer t1'
        ? problem('Unauthorized', 401)
        : answer({ data: { viewer: 1 } });
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.query(QUERY)));
    expect(answers).toEqual(Array(5).fill({ viewer: 1 }));
    expect(tokens()).toBe(2);
  });

  it('is asked for again by the next call where it could not be had', async () => {
    let isKnown = false;
    const refused = {
      error: 'invalid_client',
      error_description: 'The client is not known, or its secret is wrong.',
    };
    const { client } = secretClient((request) => {
      if (!isToken(request)) return answer({ data: {} });
      return isKnown ? token('t') : answer(refused, 401);
    });
    const error = await client.query(QUERY).catch((error: CardledgerError) => error);
    expect(error).toMatchObject({ code: 'invalid_client', status: 401, message: refused.error_description });
    expect(JSON.stringify(error) + (error as CardledgerError).stack).not.toContain('cls_secret');
    isKnown = true;
    expect(await client.query(QUERY)).toEqual({});
  });

  it('may come from a function, which is told which one was refused', async () => {
    const told: (string | undefined)[] = [];
    const sent: (string | null)[] = [];
    const client = createClient({
      url: URL_OF_SERVICE,
      token: (refused) => {
        told.push(refused);
        return refused === undefined ? 'old' : 'new';
      },
      fetch: async (input) => {
        sent.push((input as Request).headers.get('Authorization'));
        return sent.at(-1) === 'Bearer old' ? problem('Unauthorized', 401) : answer({ data: {} });
      },
    });
    expect(await client.query(QUERY)).toEqual({});
    expect({ told, sent }).toEqual({ told: [undefined, 'old'], sent: ['Bearer old', 'Bearer new'] });
  });

  it('is given up where there is no other one, or none at all', async () => {
    const { client, sent } = clientOf([problem('Unauthorized', 401)]);
    await expect(client.rest('GET', '/collection')).rejects.toMatchObject({
      code: 'Unauthorized',
      status: 401,
    });
    expect(sent).toHaveLength(1);
    const cause = new Error('signed out');
    const signedOut = createClient({ url: URL_OF_SERVICE, token: () => Promise.reject(cause) });
    await expect(signedOut.query(QUERY)).rejects.toMatchObject({ code: 'Token', cause });
    const events = signedOut.subscribe('subscription { priceAlertTriggered { id } }', {});
    await expect(events.next()).rejects.toMatchObject({ code: 'Token', cause });
  });

  it('goes with the fetch of the client, and to no other origin', async () => {
    const { client, sent } = clientOf([answer({})]);
    await client.fetch('/collection?pageSize=1', { headers: { 'X-Request-Id': 'mine' } });
    expect(sent[0]!.url).toBe(`${URL_OF_SERVICE}/collection?pageSize=1`);
    expect(Object.fromEntries(sent[0]!.headers)).toMatchObject({
      authorization: 'Bearer good',
      'x-request-id': 'mine',
    });
    await expect(client.fetch('http://other.test/')).rejects.toThrow(
      /A token is sent to http:\/\/cardledger.test alone/,
    );
  });
});
