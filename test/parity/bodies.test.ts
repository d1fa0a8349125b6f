import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { sendRaw } from '../http/support.ts';

const MUTATION = `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) {
  ... on CreateCollectionPayload { collection { name } } ... on ValidationFailed { message } } }`;

/** Where an input goes, and the body that it is in. */
const REST = { path: '/collection', accept: 'application/json', wrap: (input: string) => input };
const GRAPHQL = {
  path: '/graphql',
  accept: 'application/json',
  wrap: (input: string) => `{"query":${JSON.stringify(MUTATION)},"variables":{"input":${input}}}`,
};
/** What is not answered in JSON goes another way. */
const TRANSPORTS = [REST, GRAPHQL, { ...GRAPHQL, accept: 'text/event-stream' }];

const JSON_TYPE = { 'Content-Type': 'application/json' };
const GOOD = '{"name":"x"}';

type Bytes = (text: string) => BodyInit;
const asBytes: Bytes = (text) => Buffer.from(text);

describeOnDatabases('both transports read bodies alike', (database) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await newTestApp(database());
  });

  const send = async (
    { path, accept, wrap }: typeof REST,
    input: string,
    headers: Record<string, string>,
    bytes: Bytes,
  ) => {
    const all = { Authorization: `Bearer ${app.token}`, Accept: accept, ...headers };
    const { status, body } = await sendRaw(app, 'POST', path, all, bytes(wrap(input)));
    return { status, text: typeof body === 'string' ? body : JSON.stringify(body), body };
  };

  /** What both say of a body that they do not take. */
  const refusals = async (
    input: string,
    status: number,
    { headers = JSON_TYPE, bytes = asBytes }: { headers?: Record<string, string>; bytes?: Bytes } = {},
  ): Promise<string> => {
    const [rest, graphql, others] = await Promise.all(
      TRANSPORTS.map((transport) => send(transport, input, headers, bytes)),
    );
    expect([rest!.status, graphql!.status, others!.status]).toEqual([status, status, status]);
    expect(rest!.body.type).toBe('/problems/MalformedRequest');
    const [{ message, extensions }] = graphql!.body.errors;
    expect(extensions).toEqual({ code: 'MalformedRequest', requestId: expect.any(String) });
    const withoutPlace = (text: string) => text.replace(/position \d+/, 'position …');
    expect(withoutPlace(message)).toBe(withoutPlace(rest!.body.detail));
    expect(others!.text).toContain(JSON.stringify(message));
    return withoutPlace(message);
  };

  const expectTaken = async (
    input: string,
    name: string,
    { headers = JSON_TYPE, bytes = asBytes }: { headers?: Record<string, string>; bytes?: Bytes } = {},
  ) => {
    const expected = [{ name }, { data: { createCollection: { collection: { name } } } }];
    for (const [i, transport] of [REST, GRAPHQL].entries()) {
      const { status, body } = await send(transport, input, headers, bytes);
      expect(status).toBe(200);
      expect(body).toMatchObject(expected[i]!);
    }
  };

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; x=y',
  ])('take the content type %s', (type) => expectTaken(GOOD, 'x', { headers: { 'Content-Type': type } }));

  it.each([
    undefined,
    '',
    'json',
    'text/plain',
    'text/plain; application/json',
    'text/plain, application/json',
    'application/json, text/plain',
    'application/jsonx',
    'application/graphql',
    'application/graphql+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('refuse the content type %s', async (type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    const message = await refusals(GOOD, 415, { headers });
    expect(message).toBe('The body must be JSON, with "Content-Type: application/json".');
  });

  it.each(['utf-16', 'UTF-16LE', '"iso-8859-1"', 'us-ascii', 'utf-80', ''])(
    'refuse the charset %s',
    async (charset) => {
      const headers = { 'Content-Type': `application/json; x=y; Charset=${charset}` };
      expect(await refusals(GOOD, 415, { headers })).toMatch(/UTF-8.*charset/);
    },
  );

  it('refuse what is compressed, or says that it is', async () => {
    for (const encoding of ['gzip', 'BR', 'deflate', 'identity, gzip', 'x']) {
      const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
      expect(await refusals(GOOD, 415, { headers })).toMatch(/compressed/);
      const bytes: Bytes = (text) => gzipSync(text);
      expect(await refusals(GOOD, 415, { headers, bytes })).toMatch(/compressed/);
    }
    for (const encoding of ['identity', 'Identity', '']) {
      await expectTaken(GOOD, 'x', { headers: { ...JSON_TYPE, 'Content-Encoding': encoding } });
    }
  });

  it('refuse bytes that are no UTF-8', async () => {
    for (const wrong of [[0xff], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const bytes: Bytes = (text) => {
        const [before, after] = text.split('…') as [string, string];
        return Buffer.concat([Buffer.from(before), Buffer.from(wrong), Buffer.from(after)]);
      };
      expect(await refusals('{"name":"…"}', 400, { bytes })).toBe('The body is not JSON: it is not UTF-8.');
    }
    await expectTaken('{"name":"é€😀\ufffd"}', 'é€😀\ufffd');
  });

  it('take a byte order mark, and no second one', async () => {
    await expectTaken(GOOD, 'x', { bytes: (text) => Buffer.from(`\ufeff${text}`) });
    await refusals(GOOD, 400, { bytes: (text) => Buffer.from(`\ufeff\ufeff${text}`) });
  });

  it('say where the text stops to be JSON, and repeat none of it', async () => {
    for (const [text, detail] of [
      ['{name:"secret"}', 'it cannot be read from position … on.'],
      ['{"name":"secret"}}}', 'it cannot be read from position … on.'],
      ["{'name':'secret'}", 'it cannot be read from position … on.'],
      ['{"name":"secret\u0001"}', 'it cannot be read from position … on.'],
      ['{"name":secret 1234567890123456}', 'it has an unexpected character.'],
      ['{"name":"secret"', /^it /],
    ] as const) {
      const message = await refusals(text, 400);
      expect(message.replace('The body is not JSON: ', '')).toMatch(detail);
      expect(message).not.toContain('secret');
    }
    expect(await refusals('', 400, { bytes: () => '' })).toBe('The body is not JSON: it ends too early.');
  });

  it('refuse a key that stands twice in one object, however it is written', async () => {
    for (const text of [
      '{"name":"x","name":"y"}',
      '{"name":"x","name":"x"}',
      '{"name":"x","n\\u0061me":"y"}',
      '{"name":"a\\": b","name" :"y"}',
      '{"name" :"x", "other":{"a":1,"a"\n:2}}',
      '{"name":"x","list":[{"a":1},{"b":1,"b":2}]}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      const message = await refusals(text, 400);
      expect(message).toBe('An object of the body has a key twice; each may stand once.');
    }
    for (const name of ['"name":"x","name":"y"', 'a": 1', '\\', 'x:', '":', '{"a":1,"a":2}']) {
      await expectTaken(JSON.stringify({ name }), name);
    }
  });

  it('take as many bytes as a body may have, and no byte more, of a stated length or none', async () => {
    const padded =
      (bytes: number): Bytes =>
      (text) =>
        text + ' '.repeat(bytes - text.length);
    const inChunks =
      (bytes: Bytes): Bytes =>
      (text) =>
        new Blob([bytes(text) as string]).stream();
    const most = padded(LIMITS.bodyBytes);
    const tooMany = padded(LIMITS.bodyBytes + 1);
    const stated = (length: number) => ({ ...JSON_TYPE, 'Content-Length': String(length) });
    const message = `The body must have at most ${LIMITS.bodyBytes} bytes.`;
    await expectTaken(GOOD, 'x', { bytes: most, headers: stated(LIMITS.bodyBytes) });
    await expectTaken(GOOD, 'x', { bytes: inChunks(most) });
    expect(await refusals(GOOD, 413, { bytes: tooMany })).toBe(message);
    expect(await refusals(GOOD, 413, { bytes: inChunks(tooMany) })).toBe(message);
    expect(await refusals(GOOD, 413, { headers: stated(LIMITS.bodyBytes + 1) })).toBe(message);
  });

  it('round no number', async () => {
    const { accept } = REST;
    const headers = { Authorization: `Bearer ${app.token}`, Accept: accept, ...JSON_TYPE };
    const { body: collection } = await sendRaw(app, 'POST', REST.path, headers, GOOD);
    const id = collection.collectionId;
    const rest = async (image: string) => {
      const text = `{"name":"x","valued":false,"description":"","pinned":false,"image":${image}}`;
      return (await sendRaw(app, 'PUT', `/collection/${id}`, headers, text)).status;
    };
    const graphql = async (image: string) => {
      const query =
        'mutation ($input: UpdateCollectionInput!) { updateCollection(input: $input) { __typename } }';
      const text = `{"query":"${query}","variables":{"input":{"id":"${id}","image":${image}}}}`;
      const { body } = await sendRaw(app, 'POST', '/graphql', headers, text);
      return body.errors ? 400 : 200;
    };
    for (const image of ['7', '7.0', '7e0', '70e-1', '7.000000000000000', '0.7e1']) {
      expect([await rest(image), await graphql(image), image]).toEqual([200, 200, image]);
    }
    for (const image of ['7.0000000000000001', '7.00000000000000000000001', '6.9999999999999999', '1e-400']) {
      expect([await rest(image), await graphql(image), image]).toEqual([400, 400, image]);
    }
  });
});
