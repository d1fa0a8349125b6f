import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { isCurrency } from '../domain/currencies.ts';
import { isCalendarDate } from '../domain/dates.ts';

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
 * is none, and a trailing comma. Currencies outside ISO 4217's present ones are left out. Throws an error with the line
 * for anything else.
 */
export async function readEcbRates(path: string): Promise<ExchangeRateRow[]> {
  const [header, ...lines] = parse(await readFile(path, 'utf8'), {
    bom: true,
    relax_column_count: true,
    trim: true,
  }) as string[][];
  if (header?.[0] !== 'Date' || !header.includes('USD')) {
    throw new Error(`${path}, line 1: expected the ECB's header "Date,USD,JPY,…".`);
  }
  const columns = header.map((name, i) => ({ name, i })).filter(({ name }) => isCurrency(name));
  return lines.flatMap((line, i) => {
    const day = line[0] ?? '';
    if (!isCalendarDate(day))
      throw new Error(`${path}, line ${i + 2}: expected a date of the form YYYY-MM-DD, found "${day}".`);
    return columns.flatMap((column) =>
      rateOf(line[column.i] ?? '', column.name, day, `${path}, line ${i + 2}`),
    );
  });
}

function rateOf(text: string, currency: string, day: string, where: string): ExchangeRateRow[] {
  if (text === 'N/A' || text === '') return [];
  if (!RATE.test(text) || Number(text) === 0)
    throw new Error(`${where}: expected a rate above 0 for ${currency}, found "${text}".`);
  return [{ currency, day, per_euro: text }];
}
