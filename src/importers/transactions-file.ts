import { type ColumnNames, type TransactionFormat, withoutShield } from '../domain/transaction-file.ts';
import type { DecimalSign } from '../domain/written-values.ts';
import { turnOf } from '../lib/in-turns.ts';
import type { Payer } from '../lib/processor-time.ts';
import { readDetails } from './card-details.ts';
import { cardList, isHeading, isLineOfList } from './card-list.ts';
import { type CsvRecord, csvRecords } from './csv-file.ts';
import { type ByteSource, ImportFileError } from './import-file.ts';
import {
  dialectOfColumns,
  type ReadRow,
  type SkippedRow,
  TRANSACTION_DIALECTS,
  type TransactionDialect,
} from './transaction-dialects.ts';

/** A row that cannot be read at all. */
export interface BrokenRow {
  detail: string;
}

export interface TransactionFile {
  dialect: TransactionDialect;
  rows: { line: number; row: ReadRow | SkippedRow | BrokenRow }[];
}

/** What is known of a file before it is read; else it is told by its beginning. */
export interface FileForm {
  format?: TransactionFormat | undefined;
  /** What its columns hold, where it is of no format. */
  columns?: ColumnNames | undefined;
  decimalSign?: DecimalSign | undefined;
}

/**
 * Reads a file of transactions, by what is said of it or else by its header. Columns may stand in any order, and
 * others beside them; commas, semicolons and tabs separate them. Throws an `ImportFileError` for what no row is to
 * blame for: another encoding, an unknown header, a quote without end, row upon row of another length than the header.
 * @param payer for whom it is read, beside all others
 */
export async function readTransactionsFile(
  text: string,
  { format, columns, decimalSign }: FileForm = {},
  payer?: Payer,
): Promise<TransactionFile> {
  if (format === 'List' || (!format && !columns && isList(text)))
    return { dialect: cardList, rows: await listRows(text, payer) };
  const source = sourceOfText(text, payer);
  const delimiter = delimiterOf(text);
  let reader: { dialect: TransactionDialect; header: string[] } | undefined;
  const rows: TransactionFile['rows'] = [];
  let raggedCount = 0;
  for await (const { line, fields } of csvRecords(source, { delimiter, ragged: true })) {
    if (reader && fields.length !== reader.header.length && ++raggedCount > MOST_RAGGED_ROWS) {
      const problem = `more than ${MOST_RAGGED_ROWS} rows do not have as many columns as the header; the file is damaged`;
      throw new ImportFileError(source.name, line, problem);
    }
    if (fields.every((field) => field.trim() === '')) continue;
    if (!reader) {
      if (isSeparatorLine(fields)) continue;
      const header = fields.map((name) => name.trim());
      const problem = (text: string) => new ImportFileError(source.name, line, text);
      const dialect = columns ? dialectOfColumns(columns) : dialectOf(header, format, problem);
      assertHasColumns(header, dialect, problem);
      reader = { dialect, header };
      continue;
    }
    const row = readRow(reader, fields, delimiter);
    if (delimiter === ';' && decimalSign === undefined) takeDecimalComma(row);
    rows.push({ line, row });
  }
  if (!reader) throw new ImportFileError(source.name, 1, 'there is no header');
  return { dialect: reader.dialect, rows };
}

function readRow(
  { dialect, header }: { dialect: TransactionDialect; header: string[] },
  fields: CsvRecord['fields'],
  delimiter: string,
): ReadRow | SkippedRow | BrokenRow {
  const extra = fields.slice(header.length).some((field) => field.trim() !== '');
  if (extra || fields.length < header.length) {
    const detail = `has ${fields.length} columns, and the header ${header.length}; put texts with a "${delimiter}" in quotes`;
    return { detail };
  }
  const cells = (column: string) => fields[header.indexOf(column)]?.trim() ?? '';
  const row = dialect.read(cells);
  const { details } = dialect.columns;
  return 'card' in row && details
    ? { ...row, details: readDetails(details, unshielded(dialect, cells)) }
    : row;
}

/** Our exports have shields, and so what people make of them; what is another program's stands as it is. */
function unshielded({ format }: TransactionDialect, cells: (column: string) => string) {
  return format === 'Cardledger' || format === 'Columns'
    ? (column: string) => withoutShield(cells(column))
    : cells;
}

/** Spreadsheets separate by semicolons where the comma is the decimal sign. */
function takeDecimalComma(row: ReadRow | SkippedRow | BrokenRow): void {
  if (!('entry' in row)) return;
  for (const name of ['unitAmount', 'fees', 'shipping'] as const) {
    const text = row.entry[name];
    if (text !== undefined) row.entry[name] = text.replace(/^(\d+),(\d+)$/, '$1.$2');
  }
}

/** The parser takes ten times as long for one as for a sound row. */
const MOST_RAGGED_ROWS = 1000;

/** A piece is parsed at once, while all other requests wait; it may have 500 rows, each of another length than the header. */
const PIECE_CHARACTERS = 1024;

/** Of the first line, by which columns are known to be separated. */
const FIRST_CHARACTERS = 8192;

function sourceOfText(text: string, payer: Payer | undefined): ByteSource {
  return {
    name: 'csv',
    async *bytes() {
      for (let at = 0; at < text.length; ) {
        // A pair of surrogates is not cut.
        await turnOf(payer);
        const isPair = (text.codePointAt(at + PIECE_CHARACTERS - 1) ?? 0) > 0xffff;
        const end = at + PIECE_CHARACTERS + (isPair ? 1 : 0);
        yield Buffer.from(text.slice(at, end));
        at = end;
      }
    },
  };
}

/** Excel's own first line, `sep=;`, which it may put in quotes. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=([,;\t])"?\r?$/i;

function isSeparatorLine(fields: readonly string[]): boolean {
  return /^sep=/i.test(fields[0]!);
}

function delimiterOf(text: string): ',' | ';' | '\t' {
  const line = /^\s*(.*)/.exec(text.slice(0, FIRST_CHARACTERS))![1]!;
  const stated = SEPARATOR_LINE.exec(line)?.[1];
  if (stated !== undefined) return stated as ',' | ';' | '\t';
  const count = (delimiter: string) => line.split(delimiter).length;
  if (count(';') > count(',')) return ';';
  return count('\t') > count(',') ? '\t' : ',';
}

const SHOWN_COLUMNS = 8;

function dialectOf(
  header: readonly string[],
  format: TransactionFormat | undefined,
  problem: (text: string) => ImportFileError,
): TransactionDialect {
  const candidates = TRANSACTION_DIALECTS.filter((dialect) => !format || dialect.format === format);
  const missingOf = ({ required }: TransactionDialect) => required.filter((name) => !header.includes(name));
  const dialect = candidates.find((candidate) => missingOf(candidate).length === 0);
  if (dialect) return dialect;
  if (format) {
    const [fewest] = candidates.map(missingOf).sort((a, b) => a.length - b.length);
    throw problem(`the header has no column ${fewest!.join(', ')}`);
  }
  const shown = header.slice(0, SHOWN_COLUMNS).join(', ').slice(0, 200);
  const known = TRANSACTION_DIALECTS.map(({ name }) => name).join(', ');
  throw problem(
    `the header is of none of ${known}; it begins with ${shown}. Say by columns what each column holds`,
  );
}

function assertHasColumns(
  header: readonly string[],
  { required }: TransactionDialect,
  problem: (text: string) => ImportFileError,
): void {
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0) throw problem(`the header has no column ${missing.join(', ')}`);
  const twice = required.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice !== undefined) throw problem(`the header has the column ${twice} twice`);
}

/** Before the first card of a list, empty lines counted. */
const MOST_HEADINGS = 100;

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Known by its first line that is no heading. */
function isList(text: string): boolean {
  const lines = text.slice(0, FIRST_CHARACTERS).replace(BYTE_ORDER_MARK, '').split('\n', MOST_HEADINGS);
  const line = lines.map((line) => line.trim()).find((line) => line !== '' && !isHeading(line));
  return line !== undefined && isLineOfList(line);
}

/** Lines of a list are read as rows of one column. */
async function listRows(text: string, payer: Payer | undefined): Promise<TransactionFile['rows']> {
  const rows: TransactionFile['rows'] = [];
  let line = 0;
  for await (const content of linesOf(text, payer)) {
    line++;
    if (content !== '') rows.push({ line, row: cardList.read(() => content) });
  }
  return rows;
}

/** The lines of a piece are read at once, while all other requests wait; there may be 2,000. */
const LINES_AT_ONCE_CHARACTERS = 4096;

async function* linesOf(text: string, payer: Payer | undefined): AsyncGenerator<string> {
  for (let at = 0; at < text.length; ) {
    await turnOf(payer);
    const newline = text.indexOf('\n', at + LINES_AT_ONCE_CHARACTERS);
    const end = newline < 0 ? text.length : newline;
    const lines = text.slice(at, end).replace(BYTE_ORDER_MARK, '').split('\n');
    for (const line of lines) yield line.trim();
    at = end + 1;
  }
}
