import { LIMITS } from '../domain/limits.ts';
import {
  type ColumnNames,
  cellOf,
  hasShields,
  isOwnValue,
  OWN_COLUMNS,
  shielded,
  type TransactionFormat,
  withoutShield,
} from '../domain/transaction-file.ts';
import type { DecimalSign } from '../domain/written-values.ts';
import { PART } from '../lib/parts.ts';
import type { Payer } from '../lib/processor-time.ts';
import { begun, type FileContent } from './begun-file.ts';
import { readDetails } from './card-details.ts';
import { cardList, isHeading, isLineOfList } from './card-list.ts';
import { type CsvOptions, type CsvRecord, csvRecords } from './csv-file.ts';
import { type ByteSource, ImportFileError, MOST_ROW_BYTES, textOf } from './import-file.ts';
import {
  dialectOfColumns,
  dialectOfExport,
  HOLDS_NONE,
  ownDialect,
  type ReadRow,
  type SkippedRow,
  TRANSACTION_DIALECTS,
  type TransactionDialect,
} from './transaction-dialects.ts';

type Delimiter = CsvOptions['delimiter'];

/** A row that cannot be read at all. */
export interface BrokenRow {
  detail: string;
}

/** A row of a file, with its cells as they are written. */
export interface FileRow<Row> {
  line: number;
  cells: string[];
  row: Row;
}

export interface TransactionFile {
  dialect: TransactionDialect;
  /** The names of its columns. */
  header: string[];
  delimiter: Delimiter;
  /** Rows below the header that are not empty. */
  rowCount: number;
  /** Those that are to be a transaction each, or cannot be read. */
  rows: FileRow<ReadRow | BrokenRow>[];
  /** Those that stand for none: how many, by the reason, and the first of those that do hold something. */
  skipped: Map<string, number>;
  skippedRows: FileRow<SkippedRow>[];
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
 * blame for: another encoding, an unknown header, a quote without end, row upon row of another length than the header,
 * more rows than one import takes.
 * @param file bytes are as `textOf` reads them
 * @param payer for whom it is read, beside all others
 * @param onRows told now and then how many rows were read
 */
export async function readTransactionsFile(
  file: FileContent,
  form: FileForm = {},
  payer?: Payer,
  onRows: OnRows = () => {},
): Promise<TransactionFile> {
  const { source, beginning } = await begun(file, payer);
  const { format, columns } = form;
  const isListed = format === 'List' || (!format && !columns && isList(beginning));
  if (isListed) return readList(source, onRows);
  if (JSON_LIST.test(beginning))
    throw new ImportFileError(
      source.name,
      1,
      'it is a list of JSON; put each object on a line of its own, without brackets and commas around them',
    );
  const isOwn = !columns && (!format || format === 'Cardledger');
  if (isOwn && JSON_LINE.test(beginning)) return readJson(source, onRows);
  return readColumns(source, delimiterOf(beginning), form, onRows);
}

type OnRows = (count: number) => void;

async function readColumns(
  source: ByteSource,
  delimiter: Delimiter,
  { format, columns, decimalSign }: FileForm,
  onRows: OnRows,
): Promise<TransactionFile> {
  let reader: { dialect: TransactionDialect; header: string[]; rows: Collected } | undefined;
  let raggedCount = 0;
  for await (const { line, fields } of csvRecords(source, {
    delimiter,
    ragged: true,
    mostRecordBytes: MOST_ROW_BYTES,
  })) {
    if (reader && fields.length !== reader.header.length && ++raggedCount > MOST_RAGGED_ROWS) {
      const problem = `more than ${MOST_RAGGED_ROWS} rows do not have as many columns as the header; the file is damaged`;
      throw new ImportFileError(source.name, line, problem);
    }
    if (fields.every((field) => field.trim() === '')) continue;
    if (!reader) {
      if (isSeparatorLine(fields)) continue;
      const header = fields.map((name) => name.trim());
      const problem = (text: string) => new ImportFileError(source.name, line, text);
      const dialect = columns
        ? dialectOfColumns(columns)
        : dialectOfExport(dialectOf(header, format, problem), header);
      assertHasColumns(header, dialect, problem);
      reader = { dialect, header, rows: new Collected(source.name, onRows) };
      continue;
    }
    const row = readRow(reader, fields, delimiter);
    if (delimiter === ';' && decimalSign === undefined) takeDecimalComma(row);
    reader.rows.add(line, fields, row);
  }
  if (!reader) throw new ImportFileError(source.name, 1, 'there is no header');
  const { dialect, header, rows } = reader;
  return { dialect, header, delimiter, ...rows.all() };
}

/** The rows of a file as they are read; what stands for no transaction is counted, and few of it are kept. */
class Collected {
  readonly #file: string;
  readonly #onRows: OnRows;
  readonly #rows: TransactionFile['rows'] = [];
  readonly #skipped: TransactionFile['skipped'] = new Map();
  readonly #skippedRows: TransactionFile['skippedRows'] = [];
  #count = 0;

  constructor(file: string, onRows: OnRows) {
    this.#file = file;
    this.#onRows = onRows;
  }

  add(line: number, cells: string[], row: ReadRow | SkippedRow | BrokenRow): void {
    this.#count++;
    if (this.#count % PART === 0) this.#onRows(this.#count);
    if ('reason' in row) {
      this.#skipped.set(row.reason, (this.#skipped.get(row.reason) ?? 0) + 1);
      if (row !== HOLDS_NONE && this.#skippedRows.length < LIMITS.importReportItems)
        this.#skippedRows.push({ line, cells, row });
      return;
    }
    // Of rows that cannot be read there is none, but they take as much.
    if (this.#rows.length >= LIMITS.importTransactions) {
      const problem = `there are more than ${LIMITS.importTransactions} transactions up to here, the most that one import takes; split the file`;
      throw new ImportFileError(this.#file, line, problem);
    }
    this.#rows.push({ line, cells, row });
  }

  all(): Pick<TransactionFile, 'rowCount' | 'rows' | 'skipped' | 'skippedRows'> {
    return {
      rowCount: this.#count,
      rows: this.#rows,
      skipped: this.#skipped,
      skippedRows: this.#skippedRows,
    };
  }
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
    ? {
        ...row,
        details: readDetails(
          details,
          hasShields(dialect.format, header) ? (column) => withoutShield(cells(column)) : cells,
        ),
      }
    : row;
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

/** Excel's own first line, `sep=;`, which it may put in quotes. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=([,;\t])"?\r?$/i;

function isSeparatorLine(fields: readonly string[]): boolean {
  return /^sep=/i.test(fields[0]!);
}

function delimiterOf(beginning: string): Delimiter {
  const line = /^\s*(.*)/.exec(beginning)![1]!;
  const stated = SEPARATOR_LINE.exec(line)?.[1];
  if (stated !== undefined) return stated as Delimiter;
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
  const [nearest] = TRANSACTION_DIALECTS.filter((dialect) => !format || dialect.format === format)
    .map((dialect) => ({ dialect, missing: dialect.required.filter((name) => !header.includes(name)) }))
    .sort((a, b) => a.missing.length - b.missing.length);
  const { dialect, missing } = nearest!;
  if (missing.length === 0) return dialect;
  if (format) throw problem(`the header has no column ${missing.join(', ')}`);
  const shown = header.slice(0, SHOWN_COLUMNS).join(', ').slice(0, 200);
  const known = TRANSACTION_DIALECTS.map(({ name }) => name).join(', ');
  const isNear = missing.length < dialect.required.length / 2;
  const lacking = isNear ? `. Of the columns of ${dialect.name} it lacks ${missing.join(', ')}` : '';
  throw problem(
    `the header is of none of ${known}; it begins with ${shown}${lacking}. Say by columns what each column holds`,
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

/** Known by its first line that is no heading. */
function isList(beginning: string): boolean {
  const lines = beginning.split('\n', MOST_HEADINGS).map((line) => line.trim());
  const line = lines.find((line) => line !== '' && !isHeading(line));
  return line !== undefined && isLineOfList(line);
}

/** Lines of a list are read as rows of one column. */
async function readList(source: ByteSource, onRows: OnRows): Promise<TransactionFile> {
  const rows = new Collected(source.name, onRows);
  let line = 0;
  for await (const content of linesOf(source)) {
    line++;
    if (content !== '')
      rows.add(
        line,
        [content],
        cardList.read(() => content),
      );
  }
  return { dialect: cardList, header: ['line'], delimiter: ',', ...rows.all() };
}

/** Our export as JSON has an object on each line; a byte order mark may stand first. */
const JSON_LINE = /^[\uFEFF\s]*\{/;
const JSON_LIST = /^[\uFEFF\s]*\[\s*[{\]]/;

/** Read as rows of our own format, of which they have the names. */
async function readJson(source: ByteSource, onRows: OnRows): Promise<TransactionFile> {
  const rows = new Collected(source.name, onRows);
  const header: string[] = [...OWN_COLUMNS];
  let line = 0;
  for await (const content of linesOf(source)) {
    line++;
    if (content === '') continue;
    const cells = cellsOfJson(content);
    const row = cells ? readRow({ dialect: ownDialect, header }, cells, ',') : NO_OBJECT;
    rows.add(line, cells ?? [], row);
  }
  return { dialect: ownDialect, header, delimiter: ',', ...rows.all() };
}

const NO_OBJECT: BrokenRow = {
  detail: 'is no object of JSON as an export has them on each line, of texts, numbers and tags',
};

function cellsOfJson(text: string): string[] | null {
  const row = objectOf(text);
  const cells = OWN_COLUMNS.map((column) => row?.[column] ?? null);
  return row && cells.every(isOwnValue) ? cells.map((value) => shielded(cellOf(value).trim())) : null;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function* linesOf(source: ByteSource): AsyncGenerator<string> {
  let held = '';
  let line = 1;
  const assertLength = (one: string) => {
    if (one.length <= MOST_ROW_BYTES) return;
    const problem = `a line goes on for more than ${MOST_ROW_BYTES / 1024} KiB; the file is damaged`;
    throw new ImportFileError(source.name, line, problem);
  };
  for await (const text of textOf(source)) {
    const lines = text.split('\n');
    lines[0] = held + lines[0];
    held = lines.pop()!;
    for (const one of lines) {
      assertLength(one);
      yield one.trim();
      line++;
    }
    assertLength(held);
  }
  yield held.trim();
}
