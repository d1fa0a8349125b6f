import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type ByteSource, ImportFileError, MOST_RECORD_BYTES, newlinesIn, textOf } from './import-file.ts';

export interface CsvOptions {
  delimiter: ',' | '\t' | ';';
  /** Takes records that are shorter or longer than the header. */
  ragged?: boolean;
  /** Of a record, with its line ends in quotes. */
  mostRecordBytes?: number;
}

/** No format has as many; a row may otherwise have as many as bytes. */
const MOST_COLUMNS = 1000;

export interface CsvRecord {
  /** Where the record begins. */
  line: number;
  fields: string[];
}

/**
 * The records of a CSV file, the header first. All have as many fields as the header, as a truncated one has not, unless
 * `ragged` ones are taken too.
 */
export async function* csvRecords(
  source: ByteSource,
  { delimiter, ragged = false, mostRecordBytes = MOST_RECORD_BYTES }: CsvOptions,
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    info: true,
    skip_empty_lines: true,
    max_record_size: mostRecordBytes,
    relax_column_count: ragged,
  });
  // The error of either stream comes out of the loop below.
  pipeline(Readable.from(withPlainNewlines(textOf(source))), parser, () => {});
  let hasHeader = false;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      hasHeader = true;
      if (record.length > MOST_COLUMNS) {
        const problem = `the row has ${record.length} columns, more than ${MOST_COLUMNS}; the file is damaged`;
        throw new ImportFileError(source.name, info.lines, problem);
      }
      const newlines = record.reduce((sum, field) => sum + newlinesIn(field), 0);
      yield { line: info.lines - newlines, fields: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? fileErrorOf(source, error, mostRecordBytes) : error;
  }
  if (!hasHeader) throw new ImportFileError(source.name, 1, 'there is no header');
}

/** The parser counts a carriage return and a newline in quotes as two lines. */
async function* withPlainNewlines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const piece of texts) {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - held.length).replaceAll('\r\n', '\n');
  }
  if (held !== '') yield held;
}

function fileErrorOf(source: ByteSource, error: CsvError, mostRecordBytes: number): ImportFileError {
  const { lines } = error as CsvError & { lines?: number };
  return new ImportFileError(source.name, lines ?? 1, problemOf(error, mostRecordBytes), { cause: error });
}

function problemOf(error: CsvError, mostRecordBytes: number): string {
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return `a line or quoted text goes on for more than ${mostRecordBytes / 1024} KiB; the file is damaged`;
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return 'the row does not have as many columns as the header; the file may have been cut off here';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted text does not end; the file may have been cut off here';
    default:
      return `it is not well-formed CSV (${error.message.replace(/ (at|on) line \d+.*/s, '')})`;
  }
}

export interface CsvRow<Column extends string> {
  line: number;
  values: Record<Column, string>;
}

/**
 * The rows of a CSV file, by the names of its header. Columns may stand in any order, and others beside them; those that
 * are optional and missing are empty.
 */
export async function* csvRows<Required extends string, Optional extends string = never>(
  source: ByteSource,
  options: CsvOptions & { required: readonly Required[]; optional?: readonly Optional[] },
): AsyncGenerator<CsvRow<Required | Optional>> {
  let columns: [Required | Optional, number][] | undefined;
  for await (const { line, fields } of csvRecords(source, options)) {
    if (columns === undefined) {
      columns = columnsOf(source, fields, options.required, options.optional ?? []);
      continue;
    }
    const values = Object.fromEntries(columns.map(([name, position]) => [name, fields[position] ?? '']));
    yield { line, values: values as Record<Required | Optional, string> };
  }
}

function columnsOf<Required extends string, Optional extends string>(
  source: ByteSource,
  header: readonly string[],
  required: readonly Required[],
  optional: readonly Optional[],
): [Required | Optional, number][] {
  const names = header.map((name) => name.trim());
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new ImportFileError(source.name, 1, `the header has no column ${missing.join(', ')}`);
  }
  return [...required, ...optional].map((name) => {
    const position = names.indexOf(name);
    if (names.indexOf(name, position + 1) > position && position >= 0) {
      throw new ImportFileError(source.name, 1, `the header has the column ${name} twice`);
    }
    return [name, position];
  });
}
