import { readFileSync } from 'node:fs';

/** The rows of each table of a section of a file in docs/, without their heads. */
export function documentTables(file: string, heading: string): string[][][] {
  const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
  const section = text.slice(text.indexOf(`${heading}\n`)).split(/\n## /)[0]!;
  const tables = section.split('\n\n').filter((part) => part.startsWith('|'));
  const cellsOf = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  return tables.map((table) => table.trim().split('\n').slice(2).map(cellsOf));
}
