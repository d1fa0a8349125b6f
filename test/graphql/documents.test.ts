import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { documentResolver } from '../../src/graphql/documents.ts';
import { answerOf, codeOf, post, sampleYoga } from './plugins/sample-yoga.ts';

const QUERY = '{ name }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const HASH = sha256(QUERY);
const apq = (sha256Hash: string, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

describe('automatic persisted queries', () => {
  it('asks for the document, takes it with its hash, and then answers by the hash alone', async () => {
    const sample = sampleYoga();
    const first = await post(sample, { extensions: apq(HASH) });
    expect(first.status).toBe(400);
    expect(first.body.errors).toEqual([
      {
        message: 'PersistedQueryNotFound',
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', requestId: 'req_1' },
      },
    ]);
    expect((await post(sample, { extensions: apq(HASH) }, 'application/json')).status).toBe(200);

    expect((await post(sample, { query: QUERY, extensions: apq(HASH) })).body.data).toEqual({
      name: 'sample',
    });
    expect((await post(sample, { extensions: apq(HASH) })).body.data).toEqual({ name: 'sample' });
    expect((await post(sample, { documentId: `sha256:${HASH}` })).body.data).toEqual({ name: 'sample' });
  });

  it('passes variables and the name of the operation on', async () => {
    const sample = sampleYoga();
    const query = 'query a { name } query b($t: String!) { echo(text: $t) }';
    const params = { operationName: 'b', variables: { t: 'hi' }, extensions: apq(sha256(query)) };
    await post(sample, { ...params, query });
    expect((await post(sample, params)).body.data).toEqual({ echo: 'hi' });
  });

  it('works by GET, for queries only', async () => {
    const sample = sampleYoga();
    const get = async (search: Record<string, string>) =>
      answerOf(await sample.yoga.fetch(`http://localhost/graphql?${new URLSearchParams(search)}`));
    const extensions = JSON.stringify(apq(HASH));
    expect(codeOf(await get({ extensions }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    await get({ extensions, query: QUERY });
    expect((await get({ extensions })).body.data).toEqual({ name: 'sample' });
    expect((await get({ documentId: `sha256:${HASH}` })).body.data).toEqual({ name: 'sample' });

    const mutation = 'mutation { ping }';
    await post(sample, { query: mutation, extensions: apq(sha256(mutation)) });
    expect((await get({ documentId: `sha256:${sha256(mutation)}` })).status).toBe(405);
    expect(sample.executed()).toBe(4);
  });

  it('cannot be poisoned: another document under the hash is refused and not kept', async () => {
    const sample = sampleYoga();
    const answer = await post(sample, { query: 'mutation { ping }', extensions: apq(HASH) });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('PERSISTED_QUERY_HASH_MISMATCH');
    expect(codeOf(await post(sample, { extensions: apq(HASH) }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(sample.executed()).toBe(0);
  });

  it.each([
    ['another version', { extensions: apq(HASH, 2) }],
    ['no version', { extensions: { persistedQuery: { sha256Hash: HASH } } }],
    ['capital digits', { extensions: apq(HASH.toUpperCase()) }],
    ['a short hash', { extensions: apq('abc') }],
    ['no hash', { extensions: { persistedQuery: {} } }],
    ['no object', { extensions: { persistedQuery: 7 } }],
    ['an id without its prefix', { documentId: HASH }],
    ['an id that is no text', { documentId: 7 }],
    ['an id of another algorithm', { documentId: `md5:${HASH}` }],
    ['an id with a query beside it that is no document id', { query: QUERY, documentId: 'x' }],
  ])('refuses %s', async (_name, params) => {
    const answer = await post(sampleYoga(), params);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
  });

  it('refuses two ids that differ', async () => {
    const params = { documentId: `sha256:${HASH}`, extensions: apq(sha256('{ other }')) };
    expect(codeOf(await post(sampleYoga(), params))).toBe('PERSISTED_QUERY_HASH_MISMATCH');
  });

  it('holds stored documents to the limits of operations', async () => {
    const sample = sampleYoga();
    const query = `{ collections(first: 200) { nodes { summaries(first: 200) { nodes { id } } } } }`;
    const extensions = apq(sha256(query));
    await post(sample, { query, extensions });
    expect(codeOf(await post(sample, { extensions }))).toBe('COST_LIMIT');
  });
});

describe('with a manifest', () => {
  const manifest = new Map([[HASH, QUERY]]);

  it('answers its documents at once, by their ids or their texts', async () => {
    const sample = sampleYoga({ manifest });
    for (const params of [{ documentId: `sha256:${HASH}` }, { extensions: apq(HASH) }, { query: QUERY }]) {
      expect((await post(sample, params)).body.data).toEqual({ name: 'sample' });
    }
  });

  it('takes no other one', async () => {
    const sample = sampleYoga({ manifest });
    const other = '{ self { name } }';
    for (const params of [{ query: other }, { query: other, extensions: apq(sha256(other)) }]) {
      const answer = await post(sample, params);
      expect(answer.status).toBe(403);
      expect(codeOf(answer)).toBe('Forbidden');
    }
    expect(codeOf(await post(sample, { extensions: apq(sha256(other)) }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(sample.executed()).toBe(0);
  });
});

describe('bounds', () => {
  it('forgets the documents used least recently', () => {
    const resolve = documentResolver();
    const store = (text: string) => resolve({ query: text, extensions: apq(sha256(text)) });
    store(QUERY);
    for (let index = 0; index < 1999; index++) store(`{ a${index} }`);
    expect(resolve({ extensions: apq(HASH) }).query).toBe(QUERY);
    store('{ one more }');
    expect(resolve({ extensions: apq(HASH) }).query).toBe(QUERY);
    expect(() => resolve({ extensions: apq(sha256('{ a0 }')) })).toThrow('PersistedQueryNotFound');
  });

  it('does not keep a document that no operation may have', () => {
    const resolve = documentResolver();
    for (const [size, kept] of [
      [64 * 1024, true],
      [64 * 1024 + 1, false],
    ] as const) {
      const text = '#'.repeat(size);
      resolve({ query: text, extensions: apq(sha256(text)) });
      const again = () => resolve({ extensions: apq(sha256(text)) });
      if (kept) expect(again().query).toBe(text);
      else expect(again).toThrow('PersistedQueryNotFound');
    }
  });
});
