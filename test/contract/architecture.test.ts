import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { blocksOf } from '../support/readme-blocks.ts';

const SRC = projectPath('src');

/** What any room may import, so that the picture does not draw it. */
const FOR_ALL = ['domain', 'lib', 'paths'];

/** A folder of src, or a file beside them. */
const roomOf = (path: string) => path.split('/')[0]!.replace(/\.ts$/, '');

/** An import of our own: what is between the words, and from where; `import('…')` has nothing between. */
const IMPORT = /\b(?:import|export)\s*(?:([^'"();]*?)\s*from\s*)?\(?\s*'(\.[^']+)'/g;

function isOfTypes(clause: string | undefined): boolean {
  if (clause === undefined) return false;
  if (/^type\b/.test(clause)) return true;
  const names = /^\{([\s\S]*)\}$/
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  return names?.every((name) => name === '' || name.startsWith('type ')) === true;
}

/** `a --> b` where a room imports from another one, `a -.-> b` where it takes no more than types. */
function arrowsOf(files: Record<string, string>): string[] {
  const kinds = new Map<string, boolean>();
  for (const [file, text] of Object.entries(files)) {
    for (const [, clause, target] of text.matchAll(IMPORT)) {
      const [from, to] = [roomOf(file), roomOf(normalize(join(file, '..', target!)))];
      if (from === to || FOR_ALL.includes(to)) continue;
      const pair = `${from} ${to}`;
      kinds.set(pair, (kinds.get(pair) ?? true) && isOfTypes(clause));
    }
  }
  return [...kinds].map(([pair, isTypes]) => pair.replace(' ', isTypes ? ' -.-> ' : ' --> ')).sort();
}

function sources(): Record<string, string> {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return Object.fromEntries(
    files.map((file) => [relative(SRC, join(SRC, file)), readFileSync(join(SRC, file), 'utf8')]),
  );
}

/** The arrows of the picture: `a --> b & c` is two of them. */
function drawn(): string[] {
  const picture = blocksOf('docs/architecture.md').find(({ language }) => language === 'mermaid')!.text;
  return [...picture.matchAll(/^ *(\w[\w-]*) (-->|-\.->) (.+)$/gm)]
    .flatMap(([, from, arrow, to]) => to!.split(' & ').map((room) => `${from} ${arrow} ${room}`))
    .sort();
}

describe('the picture of the rooms', () => {
  it('has the imports between them, and no others', () => {
    expect(drawn()).toEqual(arrowsOf(sources()));
  });

  it('tells types from what runs', () => {
    const files = {
      'a/x.ts': [
        `import type { T } from '../b/y.ts';`,
        `import { type U, type V } from '../b/z.ts';`,
        `import { v, type W } from '../c.ts';`,
        `const later = await import('../d/x.ts');`,
        `export {\n  one,\n  two,\n} from '../e/x.ts';`,
        `import { money } from '../domain/money.ts';`,
      ].join('\n'),
      'a/deep/y.ts': `import { x } from '../x.ts';`,
    };
    expect(arrowsOf(files)).toEqual(['a --> c', 'a --> d', 'a --> e', 'a -.-> b']);
  });

  it('has no circle', () => {
    const next = new Map<string, string[]>();
    for (const arrow of drawn().filter((one) => one.includes(' --> '))) {
      const [from, to] = arrow.split(' --> ') as [string, string];
      next.set(from, [...(next.get(from) ?? []), to]);
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (next.get(from) ?? []).some((room) => {
        if (room === to) return true;
        if (seen.has(room)) return false;
        return reaches(room, to, seen.add(room));
      });
    expect([...next.keys()].filter((room) => reaches(room, room))).toEqual([]);
  });
});
