import {
  csvLine,
  hasShields,
  type TransactionFormat,
  WHY,
  withoutShield,
} from '../../domain/transaction-file.ts';
import type { RowProblem } from '../../importers/transaction-dialects.ts';
import type { TransactionFile } from '../../importers/transactions-file.ts';
import { CHOSEN, type Settled } from './import-record.ts';

/** What was not imported of a file, as a file of the same form that says why. */

/** How the file is written. */
export interface FileStyle {
  format: TransactionFormat;
  header: string[];
  delimiter: string;
}

export interface RestRow {
  line: number;
  cells: readonly string[];
  why: string;
}

/** The rows of a file that an import has left. */
export function restRowsOf(
  { rows, skippedRows }: TransactionFile,
  { errors, skippedLines }: Pick<Settled, 'errors' | 'skippedLines'>,
): RestRow[] {
  const why = new Map(skippedLines.map((line) => [line, CHOSEN]));
  for (const error of errors) {
    const before = why.get(error.line);
    const own = whyOf([error]);
    why.set(error.line, before === undefined ? own : `${before}; ${own}`);
  }
  const left = rows.flatMap(({ line, cells }) =>
    why.has(line) ? [{ line, cells, why: why.get(line)! }] : [],
  );
  const skipped = skippedRows.map(({ line, cells, row }) => ({ line, cells, why: row.reason }));
  return [...left, ...skipped].sort((a, b) => a.line - b.line);
}

/** All that is wrong with a row, in one text. */
export function whyOf(problems: readonly Pick<RowProblem, 'column' | 'detail'>[]): string {
  return problems.map(({ column, detail }) => (column === null ? detail : `${column} ${detail}`)).join('; ');
}

/** The first line of such a file; a list has none. */
export function restHeader({ format, header, delimiter }: FileStyle): string {
  return format === 'List' ? '' : csvLine([...header, ...(header.at(-1) === WHY ? [] : [WHY])], delimiter);
}

export function restLine({ format, header, delimiter }: FileStyle, { cells, why }: RestRow): string {
  if (format === 'List') return `# ${why}\r\n${cells[0]}\r\n`;
  const columns = header.at(-1) === WHY ? header.length - 1 : header.length;
  // What has a shield gets no other one.
  const plain = hasShields(format, header) ? cells.map(withoutShield) : cells;
  const padded = [...plain, ...Array<string>(Math.max(0, columns - cells.length)).fill('')];
  // Of one that was left before, the reason is told anew.
  const own = padded.length > columns && header.at(-1) === WHY ? padded.slice(0, columns) : padded;
  return csvLine([...own, why], delimiter);
}

/** The whole of such a file. */
export function restOf(style: FileStyle, rows: readonly RestRow[]) {
  return {
    count: rows.length,
    *lines() {
      yield restHeader(style);
      for (const row of rows) yield restLine(style, row);
    },
  };
}
