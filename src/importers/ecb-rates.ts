import { Readable } from 'node:stream';
import { isCurrency } from '../domain/currencies.ts';
import { isCalendarDate } from '../domain/dates.ts';
import { type CsvRecord, csvRecords } from './csv-file.ts';
import {
  type ByteSource,
  checkedRows,
  ImportFileError,
  RejectedRow,
  type RowPlace,
  type Rows,
  sourceOf,
} from './import-file.ts';
import { onlyFileOfZip } from './zip.ts';

export interface ExchangeRateRow {
  currency: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** Units of the currency for one euro, decimal text. */
  per_euro: string;
}

const RATE = /^\d{1,12}(\.\d{1,12})?$/;

/**
 * The ECB's `eurofxref-hist.csv`: a row a day, newest first, a column a currency, units for one euro, `N/A` where there
 * is none, and a trailing comma; also in the ZIP archive that the ECB offers. A currency that this service does not know is rejected, once. Throws an
 * `ImportFileError` for anything else, and for a day after `today`, where that is given.
 */
export async function readEcbRates(
  input: string | ByteSource,
  today?: string,
): Promise<Rows<ExchangeRateRow>> {
  const source = await unpacked(sourceOf(input));
  return checkedRows(() => rates(source, today));
}

/** The ECB offers the file in a ZIP archive, of 0.6 MB in 2026. */
const MOST_ARCHIVE_BYTES = 64 * 1024 * 1024;
const ZIP_MAGIC = 'PK';

async function unpacked(source: ByteSource): Promise<ByteSource> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let isZip = false;
  for await (const bytes of source.bytes()) {
    parts.push(bytes);
    size += bytes.length;
    if (size < ZIP_MAGIC.length) continue;
    if (!isZip && !Buffer.concat(parts).toString('latin1').startsWith(ZIP_MAGIC)) return source;
    isZip = true;
    if (size > MOST_ARCHIVE_BYTES) break;
  }
  if (size < ZIP_MAGIC.length) return source;
  try {
    const content = await onlyFileOfZip(Buffer.concat(parts), MOST_ARCHIVE_BYTES);
    return { name: source.name, bytes: () => Readable.from([content]) };
  } catch (error) {
    throw new ImportFileError(source.name, 1, (error as Error).message, { cause: error });
  }
}

async function* rates(
  source: ByteSource,
  today: string | undefined,
): AsyncGenerator<ExchangeRateRow | RejectedRow> {
  let currencies: string[] | undefined;
  const unknown = new Set<string>();
  const days = new DayOrder();
  for await (const record of csvRecords(source, { delimiter: ',' })) {
    if (currencies === undefined) {
      currencies = currenciesOf(source, record);
      continue;
    }
    const place = { file: source.name, line: record.line };
    const day = dayOf(place, record, today);
    days.assertNext(place, day);
    for (const [column, currency] of currencies.entries()) {
      const per_euro = rateOf(record.fields[column]!.trim(), currency, place);
      if (per_euro === null || unknown.has(currency)) continue;
      if (isCurrency(currency)) {
        yield { currency, day, per_euro };
        continue;
      }
      unknown.add(currency);
      const reason = `${currency} is not a currency of this service, its rates are left out`;
      yield new RejectedRow(place, 'unknown currency', reason);
    }
  }
}

/** By column; the day's column and the one after the trailing comma are empty. */
function currenciesOf(source: ByteSource, { line, fields }: CsvRecord): string[] {
  const [first, ...names] = fields.map((name) => name.trim());
  const isHeader =
    first === 'Date' && names.includes('USD') && names.every((name) => /^([A-Z]{3})?$/.test(name));
  if (!isHeader) throw new ImportFileError(source.name, line, `expected the ECB's header "Date,USD,JPY,…"`);
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated) throw new ImportFileError(source.name, line, `the header has the column ${repeated} twice`);
  return ['', ...names];
}

function dayOf({ file, line }: RowPlace, { fields }: CsvRecord, today: string | undefined): string {
  const day = fields[0]!.trim();
  if (!isCalendarDate(day))
    throw new ImportFileError(file, line, `expected a date of the form YYYY-MM-DD, found "${day}"`);
  if (today !== undefined && day > today) throw new ImportFileError(file, line, `${day} has not come yet`);
  return day;
}

/** Days go one way, so that one that is there twice is seen without keeping them all. */
class DayOrder {
  private last: string | undefined;
  private isNewestFirst: boolean | undefined;

  assertNext({ file, line }: RowPlace, day: string): void {
    if (day === this.last) throw new ImportFileError(file, line, `${day} is there twice`);
    if (this.last !== undefined) {
      this.isNewestFirst ??= day < this.last;
      if (day < this.last !== this.isNewestFirst) {
        throw new ImportFileError(file, line, `${day} is out of order, or there twice`);
      }
    }
    this.last = day;
  }
}

function rateOf(text: string, currency: string, { file, line }: RowPlace): string | null {
  if (text === 'N/A' || text === '' || currency === '') return null;
  if (RATE.test(text) && Number(text) > 0) return text;
  throw new ImportFileError(file, line, `expected a rate above 0 for ${currency}, found "${text}"`);
}
