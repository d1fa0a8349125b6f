import { basename } from 'node:path';
import type { Database } from '../../db/client.ts';
import { joinedRows, type Rows } from '../../importers/import-file.ts';
import type { TcgcsvFile } from '../../importers/tcgcsv.ts';
import type { ImportSummary, Written } from './batches.ts';
import { type ExchangeRateRow, importExchangeRates } from './import.ts';
import type { ImportOptions, ImportSource } from './import-run.ts';
import { importVendorPrices } from './import-vendor-prices.ts';
import type { Progress } from './progress.ts';

/** What an import did, by the name of what it wrote (in camel case, as `--json` gives it). */
export type ImportCounts = Record<string, Written | ImportSummary>;

export interface ImportResult {
  counts: ImportCounts;
  /** For people, and in `--json` as `notes`. */
  notes: string[];
}

/** Writes what was read and checked, whole or not at all. */
export type WriteImport = (db: Database, progress: Progress, options: ImportOptions) => Promise<ImportResult>;

/** @param names of the files, for the record of the import */
export function pricesImport(
  files: readonly TcgcsvFile[],
  names: readonly string[],
  day: string,
): WriteImport {
  const prices = joinedRows(files.map((file) => file.prices));
  const sealed = new Map(files.flatMap((file) => [...file.sealed]));
  return async (db, progress, options) => {
    const rows = { prices, sealed, day };
    const source = importSource(names);
    const { samplesRemoved, ...summary } = await importVendorPrices(db, rows, source, progress, options);
    const notes = samplesRemoved ? ['All sample prices were removed: these are the first real ones.'] : [];
    return { counts: { prices: summary }, notes };
  };
}

/** @param names of the files, for the record of the import */
export function ratesImport(files: readonly Rows<ExchangeRateRow>[], names: readonly string[]): WriteImport {
  const rates = joinedRows(files);
  return async (db, progress, options) => ({
    counts: { exchangeRates: await importExchangeRates(db, rates, importSource(names), progress, options) },
    notes: [],
  });
}

const MOST_NAMES = 5;

export function importSource(names: readonly string[]): ImportSource {
  const shown = names.slice(0, MOST_NAMES).map((name) => basename(name));
  const more = names.length - shown.length;
  return { version: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', '), isSample: false };
}
