import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/graphql/document-manifest.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { projectPath } from '../../src/paths.ts';
import { CollectionsDocument } from '../generated/graphql.ts';
import { describeOnDatabases, newTestApp } from '../harness.ts';

const GENERATED = projectPath('test/generated/persisted-documents.json');
const schema = createSchema();
const directory = mkdtempSync(join(tmpdir(), 'manifest-'));
afterAll(() => rmSync(directory, { recursive: true }));

function manifestFile(content: unknown): string {
  const path = join(directory, 'documents.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const idOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('the manifest of documents', () => {
  it('is the one that codegen.ts writes', () => {
    expect(readManifest(GENERATED, schema).size).toBeGreaterThan(0);
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
    ['what is not GraphQL', { [idOf('{')]: '{' }, 'is not GraphQL: Syntax Error'],
    [
      'an unknown field',
      { [idOf('{ nope }')]: '{ nope }' },
      'does not fit the schema: Cannot query field "nope"',
    ],
  ])('is refused with %s', (_name, content, message) => {
    expect(() => readManifest(manifestFile(content), schema)).toThrow(message);
  });

  it('is refused where there is none', () => {
    expect(() => readManifest(join(directory, 'none.json'), schema)).toThrow('none.json');
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
