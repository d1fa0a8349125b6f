import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '../../src/paths.ts';

/** A fenced block of a document. */
export interface Block {
  /** `README.md:42` */
  place: string;
  language: string;
  /** What stands behind the language, such as `variables`. */
  meta: string;
  text: string;
}

/** In the order of reading: what the commands of the README and of the tutorial set is used by those of the others. */
export const DOCUMENTS = [
  ...new Set([
    'README.md',
    'docs/tutorial.md',
    ...readdirSync(projectPath('docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]),
];

export function readDocument(file: string): string {
  return readFileSync(projectPath(file), 'utf8');
}

const FENCE = /^```(\S*) *(.*)$/;

export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const [i, line] of readDocument(file).split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (open && line === '```') {
      blocks.push(open);
      open = null;
    } else if (open) {
      open.text += `${line}\n`;
    } else if (fence) {
      open = { place: `${file}:${i + 1}`, language: fence[1]!, meta: fence[2]!, text: '' };
    }
  }
  if (open) throw new Error(`The block at ${open.place} is not closed.`);
  return blocks;
}

/** The cells of the first table below a heading, without its head. */
export function tableUnder(file: string, heading: string): string[][] {
  const [, below] = readDocument(file).split(`\n${heading}\n`);
  const table = /^\|.*(?:\n\|.*)+/m.exec(below ?? '')?.[0];
  if (!table) throw new Error(`${file} has no table under "${heading}".`);
  const cells = (row: string) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return table.split('\n').slice(2).map(cells);
}

/** What stands in backticks in a cell. */
export function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

/** What a link may name in a document: its headings, as GitHub makes an anchor of each. */
export function anchorsOf(file: string): string[] {
  return [...readDocument(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
