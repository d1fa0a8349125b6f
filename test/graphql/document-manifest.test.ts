import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/graphql/document-manifest.ts';
import { createPreparation } from '../../src/graphql/prepare.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { projectPath } from '../../src/paths.ts';
import { CollectionsDocument } from '../generated/graphql.ts';
import { describeOnDatabases, newTestApp } from '../harness.ts';

const GENERATED = projectPath('test/generated/persisted-documents.json');
const preparation = createPreparation(createSchema());
const directory = mkdtempSync(join(tmpdir(), 'manifest-'));
afterAll(() => rmSync(directory, { recursive: true }));

function manifestFile(content: unknown): string {
  const path = join(directory, 'documents.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const idOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const textAndId = (text: string) => ({ [idOf(text)]: text });
const costly = (size: string) =>
  `{ collections(${size}) { nodes { transactions(${size}) { nodes { variant { id } } } } } }`;

describe('the manifest of documents', () => {
  it('is the one that codegen.ts writes', () => {
    expect(readManifest(GENERATED, preparation).size).toBeGreaterThan(0);
  });

  it.each([
    ['no JSON', '{', 'cannot be read'],
    ['a list', [], 'is a JSON object of document ids'],
    [
      'a text without its hash',
      { 'sha256:00': '{ viewer { id } }' },
      '"sha256:00" does not have the SHA-256',
    ],
    ['an id without its prefix', { [idOf('{ a }').slice(7)]: '{ a }' }, 'does not have the SHA-256'],
    ['no text', { 'sha256:00': 7 }, '"sha256:00" has no text'],
    ['what is not GraphQL', { [idOf('{')]: '{' }, 'is none that can be answered: Syntax Error'],
    [
      'an unknown field',
      { [idOf('{ nope }')]: '{ nope }' },
      'is none that can be answered: Cannot query field "nope"',
    ],
    [
      'more tokens than a document may have',
      textAndId(`{ ${'__typename '.repeat(2000)}}`),
      'at most 2000 are allowed',
    ],
    ['what costs more than an operation may', textAndId(costly('first: 200')), 'at most 10000 are allowed'],
    [
      'what costs more than an operation may, beside a variable',
      textAndId(costly('first: 200').replace('{', 'query ($id: ID!) { collection(id: $id) { id }')),
      'at most 10000 are allowed',
    ],
    ['pages larger than there are', textAndId(costly('first: 201')), 'must be a whole number from 1 to 200'],
  ])('is refused with %s', (_name, content, message) => {
    expect(() => readManifest(manifestFile(content), preparation)).toThrow(message);
  });

  it.each([200, 201])('takes what costs as much as is asked for, of which %i is the default', (size) => {
    const document = textAndId(costly('first: $n').replace('{', `query ($n: Int = ${size}) {`));
    expect(readManifest(manifestFile(document), preparation).size).toBe(1);
  });

  it('is refused where there is none', () => {
    expect(() => readManifest(join(directory, 'none.json'), preparation)).toThrow('none.json');
  });
});

describeOnDatabases('a server with a manifest', (database) => {
  it('answers its documents and no others', async () => {
    const app = await newTestApp(database(), { config: { persistedDocuments: GENERATED } });
    const documentId = (CollectionsDocument as { __meta__?: { hash: string } }).__meta__?.hash;
    const known = await app.send('POST', '/graphql', { documentId });
    expect(known.body.data).toMatchObject({ collections: { nodes: [] } });
    const other = await app.send('POST', '/graphql', { query: '{ viewer { id } }' });
    expect([other.status, other.body.errors[0].extensions.code]).toEqual([403, 'Forbidden']);
    expect(other.body.errors[0].message).toBe('This server takes only the documents of its manifest.');
  });
});
