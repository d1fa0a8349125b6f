/**
 * Builds data/exchange-rates.csv.gz from the European Central Bank's history of its euro reference rates: the CSV file, or
 * the ZIP archive that the bank offers of it.
 *
 *     npx tsx scripts/build-exchange-rates.ts eurofxref-hist.zip
 */

import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type ExchangeRateRow, readEcbRates } from '../src/importers/ecb-rates.ts';
import type { ByteSource } from '../src/importers/import-file.ts';

const EXCHANGE_RATES = new URL('../data/exchange-rates.csv.gz', import.meta.url);

/** The last rates before 2019, the year of the game's first set: they count until the next ones. */
const FIRST_DAY = '2018-12-31';

/** In the bank's layout, newest first, without the columns of currencies that have no rate in all that time. */
export async function buildRates(history: string | ByteSource): Promise<string> {
  const days = new Map<string, Map<string, string>>();
  const currencies = new Set<string>();
  for await (const row of await readEcbRates(history)) {
    if (!isShipped(row)) continue;
    currencies.add(row.currency);
    const rates = days.get(row.day) ?? new Map<string, string>();
    days.set(row.day, rates.set(row.currency, row.per_euro));
  }
  const columns = [...currencies];
  const lines = [...days]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([day, rates]) => [day, ...columns.map((currency) => rates.get(currency) ?? '')]);
  return [['Date', ...columns], ...lines].map((fields) => `${fields.join(',')},\n`).join('');
}

function isShipped(row: object): row is ExchangeRateRow {
  return 'per_euro' in row && (row as ExchangeRateRow).day >= FIRST_DAY;
}

async function main(history: string | undefined): Promise<void> {
  if (history === undefined) throw new Error('name the file of the history, such as eurofxref-hist.zip');
  const content = await buildRates(history);
  const packed = gzipSync(content, { level: 9 });
  await writeFile(EXCHANGE_RATES, packed);
  process.stdout.write(
    `data/exchange-rates.csv.gz: ${content.length} characters, ${packed.length} bytes packed\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv[2]);
