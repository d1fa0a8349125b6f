import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { Hono, type Context as HonoContext } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { PROBLEMS } from '../../src/domain/errors.ts';
import { assetOf, sendAsset } from '../../src/http/assets.ts';
import { compressed, encodingFor, MAX_BYTES_AT_ONCE } from '../../src/http/compression.ts';
import { describeOnDatabases, newTestApp, responseOf, type TestApp } from '../harness.ts';
import { expectProblem, newCollection, ORIGIN, sendRaw } from './support.ts';

const MIN_BYTES = 1024;
const UPDATE = { name: 'Vault', valued: false, pinned: false, image: 0 };
const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

describeOnDatabases('Conventions of HTTP', (database) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await newTestApp(database());
  });
  const bytesOf = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const init = { method, headers: { Authorization: `Bearer ${app.token}`, ...headers } };
    const request = new Request(`${ORIGIN}${path}`, body === undefined ? init : { ...init, body });
    const response = await app.fetch(request);
    return { ...response, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  describe('compression', () => {
    const query = JSON.stringify({ query: '{ products(query: "ninja", first: 50) { nodes { id name } } }' });
    const GRAPHQL = { 'Content-Type': 'application/json' };
    const large: [string, string, Record<string, string>?, string?][] = [
      ['GET', '/ev/list'],
      ['GET', '/metrics'],
      ['POST', '/graphql', GRAPHQL, query],
      ['POST', '/graphql', { ...GRAPHQL, Accept: 'application/graphql-response+json' }, query],
    ];
    for (const [method, path, headers = {}, body] of large) {
      it(`packs the answer of ${method} ${path} ${headers.Accept ?? ''}`, async () => {
        const plain = await bytesOf(method, path, headers, body);
        expect(plain.headers.get('Content-Encoding')).toBeNull();
        expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
        for (const encoding of ['br', 'gzip'] as const) {
          const packed = await bytesOf(method, path, { ...headers, 'Accept-Encoding': encoding }, body);
          expect(packed.headers.get('Content-Encoding')).toBe(encoding);
          expect(packed.headers.get('Vary')).toBe('Accept-Encoding');
          expect(packed.headers.get('Content-Type')).toBe(plain.headers.get('Content-Type'));
          expect(packed.headers.get('Content-Length')).toBe(String(packed.bytes.length));
          expect(packed.headers.get('X-Request-Id')).toMatch(/\S/);
          expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
          const unpacked = UNPACK[encoding](packed.bytes).toString();
          if (path !== '/metrics') expect(unpacked).toBe(plain.bytes.toString());
        }
      });
    }

    it('packs the OpenAPI document once, and tells that it is the same', async () => {
      const plain = await bytesOf('GET', '/openapi.json', {});
      const packed = await bytesOf('GET', '/openapi.json', { 'Accept-Encoding': 'gzip' });
      expect(packed.headers.get('Content-Encoding')).toBe('gzip');
      expect(packed.headers.get('Content-Type')).toBe('application/json');
      expect(UNPACK.gzip(packed.bytes).toString()).toBe(plain.bytes.toString());
      const etag = packed.headers.get('ETag')!;
      const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag };
      const again = await app.fetch(new Request(`${ORIGIN}/openapi.json`, { headers }));
      expect(again.status).toBe(304);
    });

    it('unpacks a file once, for all who do not take it packed', async () => {
      const asset = assetOf('openapi.json', new Uint8Array(gzipSync('{}')));
      const sent: unknown[] = [];
      const body = (bytes: unknown) => sent.push(bytes);
      const context = { req: { header: () => undefined }, body } as unknown as HonoContext;
      for (let i = 0; i < 2; i++) await sendAsset(context, asset);
      expect(String(sent[0])).toBe('{}');
      expect(sent[1]).toBe(sent[0]);
    });

    it('packs so many bytes at a time, or one answer of more, and sends the others as they are', async () => {
      const ask = (length: number) => {
        const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(length) };
        const request = new Request(ORIGIN, { headers: { 'Accept-Encoding': 'gzip' } });
        return compressed(request, new Response('x'.repeat(length), { headers }));
      };
      const packedOf = async (lengths: number[]) => {
        const answers = await Promise.all(lengths.map(ask));
        return answers.map(({ headers }) => headers.get('Content-Encoding') === 'gzip');
      };
      const half = MAX_BYTES_AT_ONCE / 2;
      expect(await packedOf([half, half, MIN_BYTES])).toEqual([true, true, false]);
      expect(await packedOf([half, half + 1, half])).toEqual([true, false, true]);
      expect(await packedOf([8 * MAX_BYTES_AT_ONCE, MIN_BYTES])).toEqual([true, false]);
      expect(await packedOf([MIN_BYTES])).toEqual([true]);
    });

    it('leaves answers below 1 KiB, empty ones and streams as they are', async () => {
      const hono = new Hono();
      const text = (length: number) => (c: HonoContext) =>
        c.body('x'.repeat(length), 200, { 'Content-Type': 'text/plain', 'Content-Length': String(length) });
      hono.get('/below', text(MIN_BYTES - 1)).get('/at', text(MIN_BYTES));
      hono.get('/image', (c) => {
        const bytes = new Uint8Array(MIN_BYTES);
        return c.body(bytes, 200, { 'Content-Type': 'image/png', 'Content-Length': String(bytes.length) });
      });
      let pulled = 0;
      hono.get('/stream', (c) => {
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled++;
            controller.enqueue(Buffer.from(`data: ${'x'.repeat(MIN_BYTES)}\n\n`));
          },
        });
        return c.body(body, 200, { 'Content-Type': 'text/event-stream' });
      });
      const encodingOf = async (path: string) => {
        const request = new Request(`${ORIGIN}${path}`, { headers: { 'Accept-Encoding': 'gzip, br' } });
        const answer = await compressed(request, await hono.fetch(request));
        return [answer.headers.get('Content-Encoding'), answer];
      };
      expect((await encodingOf('/below'))[0]).toBeNull();
      expect((await encodingOf('/at'))[0]).toBe('br');
      expect((await encodingOf('/image'))[0]).toBeNull();
      const [encoding, stream] = (await encodingOf('/stream')) as [string | null, Response];
      expect(encoding).toBeNull();
      const reader = stream.body!.getReader();
      expect((await reader.read()).done).toBe(false);
      await reader.cancel();
      expect(pulled).toBeLessThan(4);
    });

    it('has an ETag of its own for each encoding, which the conditions know', async () => {
      const id = await newCollection(app);
      const path = `/collection/${id}`;
      await app.send('PUT', path, { ...UPDATE, description: 'x'.repeat(2000) });
      const tagOf = async (encoding: string) =>
        (await bytesOf('GET', path, { 'Accept-Encoding': encoding })).headers.get('ETag')!;
      const [plain, br, gzip] = [await tagOf('identity'), await tagOf('br'), await tagOf('gzip')];
      expect([br, gzip]).toEqual([`${plain.slice(0, -1)}-br"`, `${plain.slice(0, -1)}-gzip"`]);
      const known = (tag: string, encoding: string) =>
        app.send('GET', path, undefined, { 'If-None-Match': tag, 'Accept-Encoding': encoding });
      for (const [tag, encoding] of [
        [br, 'br'],
        [gzip, 'gzip'],
        [plain, 'identity'],
        [plain, 'br'],
      ] as const) {
        const answer = await known(tag, encoding);
        expect([answer.status, answer.headers.get('ETag')]).toEqual([304, tag]);
        expect(answer.headers.get('Vary')).toBe('Accept-Encoding');
      }
      // Who asks for another encoding has not got that representation.
      for (const encoding of ['gzip', 'identity']) {
        const answer = await bytesOf('GET', path, { 'If-None-Match': br, 'Accept-Encoding': encoding });
        expect(answer.bytes.length).toBeGreaterThan(0);
      }
      const put = await app.send('PUT', path, { ...UPDATE, description: '' }, { 'If-Match': br });
      expect(put.status).toBe(200);
      expectProblem(await app.send('DELETE', path, undefined, { 'If-Match': gzip }), 'PreconditionFailed');
    });

    it('chooses what the client likes best', () => {
      for (const [header, encoding] of [
        [undefined, null],
        ['', null],
        ['identity', null],
        ['deflate', null],
        ['gzip', 'gzip'],
        ['gzip, deflate, br, zstd', 'br'],
        ['GZIP;q=1, BR;q=0.5', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
        ['br; q=0.5 , gzip ; q=0.5', 'br'],
        ['*', 'br'],
        ['*;q=0', null],
        ['br;q=0, *', 'gzip'],
        ['gzip;q=x', 'gzip'],
      ] as const) {
        expect([header, encodingFor(header)]).toEqual([header, encoding]);
      }
      expect(encodingFor('br, gzip;q=0.1', ['gzip'])).toBe('gzip');
      expect(encodingFor('br, gzip;q=0', ['gzip'])).toBeNull();
    });
  });

  describe('security headers', () => {
    const DATA = "default-src 'none'; frame-ancestors 'none'";
    const HTML = { Accept: 'text/html' };
    const cases: [string, Record<string, string>, RegExp | string][] = [
      ['/collection', {}, DATA],
      ['/nothing', {}, DATA],
      ['/healthz', {}, DATA],
      ['/', {}, DATA],
      [
        '/',
        HTML,
        /^default-src 'none'; script-src 'self';.*img-src 'self' https:\/\/\S+; .*frame-ancestors 'none'$/,
      ],
      ['/problems/NotFound', HTML, /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/],
      ['/docs', HTML, /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/],
      ['/docs/start.js', {}, DATA],
      ['/graphql', HTML, /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/],
      ['/graphql', {}, DATA],
    ];
    for (const [path, given, policy] of cases) {
      it(`are on ${path} ${given.Accept ?? ''}`, async () => {
        const { headers } = await sendRaw(app, 'GET', path, given);
        expect(headers.get('Content-Security-Policy')).toMatch(
          policy instanceof RegExp ? policy : new RegExp(`^${policy}$`),
        );
        expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
        expect(headers.get('Referrer-Policy')).toBe('no-referrer');
        expect(headers.get('Cache-Control')).toMatch(/\S/);
        expect(headers.get('Strict-Transport-Security')).toBeNull();
        expect(headers.get('X-Request-Id')).toMatch(/\S/);
        expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
      });
    }

    it('keep to https where the service is reached by it', async () => {
      const secure = await newTestApp(database(), { config: { publicUrl: 'https://cards.example' } });
      for (const path of ['/healthz', '/collection', '/graphql']) {
        const { headers } = await sendRaw(secure, 'GET', path);
        expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
      }
    });

    it('keep what belongs to an account out of shared caches', async () => {
      const { headers } = await app.send('GET', '/collection');
      expect(headers.get('Cache-Control')).toBe('private, no-cache');
    });
  });

  describe('CORS', () => {
    const PAGE = 'https://app.example';
    const PATHS = ['/collection', '/graphql', '/oauth2/token', '/healthz', '/nothing'];
    const fromPage = (to: TestApp, method: string, path: string, headers: Record<string, string> = {}) =>
      sendRaw(to, method, path, { Origin: PAGE, ...headers });
    const preflight = (to: TestApp, path: string, headers: Record<string, string> = {}) =>
      fromPage(to, 'OPTIONS', path, { 'Access-Control-Request-Method': 'POST', ...headers });
    const corsOf = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => name.startsWith('access-control-'));

    it('is closed unless it is opened', async () => {
      for (const path of PATHS) {
        expect(corsOf(await fromPage(app, 'GET', path))).toEqual([]);
        const answer = await preflight(app, path);
        expect(corsOf(answer)).toEqual([]);
        expect(answer.headers.get('Vary') ?? '').not.toContain('Origin');
      }
    });

    it('lets the pages of the named origins in, and no others', async () => {
      const open = await newTestApp(database(), {
        config: { corsOrigins: 'https://other.example, https://app.example' },
      });
      for (const path of PATHS) {
        const answer = await fromPage(open, 'GET', path);
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
        expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
        const exposed = answer.headers.get('Access-Control-Expose-Headers')!.split(', ');
        expect(exposed).toEqual(
          expect.arrayContaining(['ETag', 'Link', 'RateLimit-Remaining', 'X-Request-Id']),
        );
        expect(answer.headers.get('Vary')).toContain('Origin');
        for (const Origin of ['https://evil.example', 'null', 'http://app.example', `${PAGE}.evil.example`]) {
          const refused = await fromPage(open, 'GET', path, { Origin });
          expect(corsOf(refused)).toEqual([]);
          expect(refused.headers.get('Vary')).toContain('Origin');
          expect(corsOf(await preflight(open, path, { Origin }))).toEqual([]);
        }
      }
    });

    it('answers a preflight with what the path takes', async () => {
      const open = await newTestApp(database(), { config: { corsOrigins: PAGE } });
      for (const [path, methods] of [
        ['/collection', 'POST, GET, HEAD, OPTIONS'],
        ['/graphql', 'GET, HEAD, POST, OPTIONS'],
        ['/oauth2/token', 'POST, OPTIONS'],
      ] as const) {
        const { status, headers, body } = await preflight(open, path);
        expect([status, body]).toEqual([204, '']);
        expect(headers.get('Access-Control-Allow-Methods')).toBe(methods);
        const allowed = headers.get('Access-Control-Allow-Headers')!.split(', ');
        expect(allowed).toEqual(
          expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match']),
        );
        expect(headers.get('Access-Control-Max-Age')).toBe('3600');
      }
      // An OPTIONS that is no preflight asks for nothing of the kind.
      const { headers } = await fromPage(open, 'OPTIONS', '/collection');
      expect(headers.get('Access-Control-Allow-Methods')).toBeNull();
    });

    it('lets all in with *', async () => {
      const open = await newTestApp(database(), { config: { corsOrigins: '*' } });
      const answer = await fromPage(open, 'GET', '/collection');
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('Vary') ?? '').not.toContain('Origin');
    });

    it('takes origins only as browsers write them', () => {
      const setting = (CORS_ORIGINS: string) => () => loadConfig({ CORS_ORIGINS }).corsOrigins;
      for (const good of ['', '*', PAGE, `${PAGE}, http://localhost:5173`])
        expect(setting(good)()).toBe(good);
      for (const bad of ['app.example', `${PAGE}/`, `${PAGE}/x`, 'https://App.example', `${PAGE},`, 'null']) {
        expect(setting(bad)).toThrow(/CORS_ORIGINS must be origins such as https:\/\/app.example/);
      }
    });
  });

  it.each([
    ['/caf\u00e9', '/caf%C3%A9'],
    ['/caf%C3%A9/%20%22', '/caf%C3%A9/%20%22'],
    ['/a%2Fb%25c%ff', '/a%2Fb%25c%ff'],
    ['/collection/col_%7B%7D', '/collection/col_%7B%7D'],
    ['/a|b^c[d]`{}', '/a%7Cb%5Ec%5Bd%5D%60%7B%7D'],
    ["/-._~!$&'()*+,;=:@/", "/-._~!$&'()*+,;=:@/"],
    ['/100%', '/100%25'],
    ['//other.example/x', '/.//other.example/x'],
    ['/x?q=1', '/x'],
  ])('names the path %s in a problem as the URI reference %s', async (path, instance) => {
    const answer = await app.send('GET', path);
    expectProblem(answer, 'NotFound');
    expect(answer.body.instance).toBe(instance);
    expect(new URL(instance, ORIGIN).origin).toBe(ORIGIN);
  });

  it('has an ETag that does not depend on the token', async () => {
    const id = await newCollection(app);
    const first = await app.send('GET', `/collection/${id}`);
    const [product] = await database().query<{ id: string }>('select id from product order by id limit 1');
    const other = await newTestApp(database());
    for (const path of [`/product/${product!.id}`, '/ev/breakdown?setType=Wtr1stEdition&productType=Box']) {
      const tags = [await app.send('GET', path), await other.send('GET', path)].map(({ headers }) =>
        headers.get('ETag'),
      );
      expect(tags[0]).toBe(tags[1]);
    }
    expect(first.headers.get('ETag')).toBe('"1"');
  });

  describe('the front door', () => {
    it('says in a line each what is where, and that samples are samples', async () => {
      const text = await sendRaw(app, 'GET', '/', { Accept: '*/*' });
      expect(text.headers.get('Content-Type')).toMatch(/^text\/plain/);
      expect(text.body).toMatch(/^cardledger: .*\n.*SAMPLE data.*\n\n\/graphql +the GraphQL API/);
      const page = await sendRaw(app, 'GET', '/', { Accept: 'text/html,*/*;q=0.8' });
      expect(page.headers.get('Content-Type')).toMatch(/^text\/html/);
      expect(page.body).toContain('SAMPLE data');
      const paths = [...text.body.matchAll(/^(\/\S+) {2,}\S/gm)].map(([, path]) => path);
      const [, list] = page.body.split('<details>');
      expect(paths).toEqual([...list.matchAll(/href="([^"]+)"/g)].map(([, path]) => `/${path}`));
      const json = await sendRaw(app, 'GET', '/', { Accept: 'application/json' });
      expect(json.headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(json.body).toMatchObject({
        description: expect.stringMatching(/^cardledger: /),
        notice: expect.stringMatching('SAMPLE'),
      });
      expect(json.body.links.map(({ href }: { href: string }) => href)).toEqual(paths);
      expect(paths.length).toBeGreaterThan(Object.keys(PROBLEMS).length);
      for (const path of paths) {
        const { status } = await sendRaw(app, 'OPTIONS', path);
        expect([path, status]).toEqual([path, 204]);
      }
    });
  });
});

describeOnDatabases('Link headers', (database) => {
  /** The addresses by their rel. */
  const linksOf = (headers: Headers) =>
    Object.fromEntries(
      [...headers.get('Link')!.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, to, rel]) => [rel!, to!]),
    );

  it('lead through each of the five lists and back', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    for (let i = 0; i < 2; i++) await newCollection(app);
    const variants = await database().query<{ id: string }>('select id from variant order by id limit 3');
    for (const { id: variantId } of variants) {
      const body = { variantId, occurredDate: '2026-01-31', action: 'Purchase', quantity: 1 };
      const unitAmount = { currency: 'USD', value: 1 };
      await app.send('POST', `/collection/${id}/transaction`, { ...body, unitAmount });
    }
    for (const list of [
      '/collection?sort=Alphabetical',
      `/collection/${id}/transaction?sortOrder=Alphabetical`,
      `/collection/${id}/transaction-summary?sort=MarketValue`,
      '/product/search?q=scar+for+a+scar',
      '/ev/list?productType=Box',
    ]) {
      const all = (await app.send('GET', `${list}&pageSize=200`)).body.results;
      expect(all.length).toBeGreaterThan(2);
      const first = await app.send('GET', `${list}&pageSize=2`);
      expect(Object.keys(linksOf(first.headers))).toEqual(['first', 'next']);
      expect(linksOf(first.headers).next).toContain(`cursor=${first.body.nextCursor}`);
      const found = [...first.body.results];
      let page = first;
      while (linksOf(page.headers).next) {
        page = await app.send('GET', linksOf(page.headers).next!);
        found.push(...page.body.results);
      }
      expect(found).toEqual(all);
      expect('nextCursor' in page.body).toBe(false);
      expect((await app.send('GET', linksOf(page.headers).first!)).body).toEqual(first.body);
      const third = await app.send('GET', `${list}&pageSize=2&cursor=1`);
      const before = await app.send('GET', linksOf(third.headers).prev!);
      expect(before.body.results).toEqual(all.slice(0, 1));
    }
  });

  it('keep the rest of the request, written for a URL', async () => {
    const app = await newTestApp(database());
    const { headers } = await app.send('GET', '/product/search?q=%22command+and%22&pageSize=1');
    const [link] = Object.values(linksOf(headers));
    expect(new URL(link!, ORIGIN).searchParams.get('q')).toBe('"command and"');
  });

  it('are on lists alone', async () => {
    const app = await newTestApp(database());
    const id = await newCollection(app);
    expect((await app.send('GET', `/collection/${id}`)).headers.get('Link')).toBeNull();
    const failed = await app.send('GET', '/collection?cursor=99');
    expect(failed.headers.get('Link')).toBeNull();
    expect(
      (await responseOf(await app.fetch(new Request(`${ORIGIN}/healthz`)))).headers.get('Link'),
    ).toBeNull();
  });
});
