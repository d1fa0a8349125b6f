import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { anchorsOf, DOCUMENTS, readDocument } from '../support/readme-blocks.ts';

/** Where code lives that people read; not what is generated, nor packages. */
const FOLDERS = ['src', 'test', 'scripts', 'pages', 'web'];
const LEFT_OUT = /(^|\/)(node_modules|generated|fixtures)(\/|$)/;

const HERE = 'test/contract/citations.test.ts';

const OTHER_DOCUMENTS = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

/** A path in backticks, and nothing else in them. */
const PATH = /`((?:src|test|scripts|deploy|pages|web|schema|migrations|bin|docs)\/[\w./-]*)`/g;

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => /\.(tsx?|mjs|js)$/.test(file) && !LEFT_OUT.test(file) && file !== HERE),
);

interface Citation {
  place: string;
  file: string;
  anchor: string | undefined;
}

function citationsIn(place: string, text: string): Citation[] {
  return [...text.matchAll(/\bdocs\/([\w-]+\.md)(?:#([\w-]+))?/g)].map(([, name, anchor]) => ({
    place,
    file: `docs/${name}`,
    anchor,
  }));
}

const isThere = ({ file, anchor }: Citation) =>
  existsSync(projectPath(file)) && (anchor === undefined || anchorsOf(file).includes(anchor));

describe('what comments cite', () => {
  it('is a page, and a heading, of docs/', () => {
    const citations = FILES.flatMap((file) => citationsIn(file, readFileSync(projectPath(file), 'utf8')));
    const ofRules = citations.filter(({ file, anchor }) => file === 'docs/decisions.md' && anchor);
    expect(ofRules.length).toBeGreaterThan(30);
    expect(citations.filter((citation) => !isThere(citation))).toEqual([]);
  });

  it('is found missing where it is', () => {
    const [page, heading, good] = citationsIn(
      'x.ts',
      'docs/nothing.md, docs/rest.md#nothing, docs/rest.md#pages',
    );
    expect([page, heading, good].map((citation) => isThere(citation!))).toEqual([false, false, true]);
  });

  it('is a file or a folder, where a document names its path', () => {
    const named = [...DOCUMENTS, ...OTHER_DOCUMENTS].flatMap((document) =>
      [...readDocument(document).matchAll(PATH)].map(([, path]) => ({ document, path: path! })),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ path }) => !existsSync(projectPath(path)))).toEqual([]);
  });

  it('is no text by number that is not here', () => {
    const numbered = /\b(decisions|design|contract) §|\binterface\.md/i;
    const texts = [...FILES, ...DOCUMENTS, ...OTHER_DOCUMENTS];
    expect(texts.filter((file) => numbered.test(readFileSync(projectPath(file), 'utf8')))).toEqual([]);
  });
});
