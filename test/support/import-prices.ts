import type { Database } from '../../src/db/client.ts';
import type { Rows } from '../../src/importers/import-file.ts';
import type { ImportSummary } from '../../src/services/market/batches.ts';
import { endPriceSamples, type PriceRow, writePrices } from '../../src/services/market/import.ts';
import { type ImportSource, inOneTransaction } from '../../src/services/market/import-run.ts';
import type { Progress } from '../../src/services/market/progress.ts';

/** Imports the prices of a day, as the import of a vendor's files does once it has matched them with the catalogue. */
export function importPrices(
  db: Database,
  rows: Rows<PriceRow>,
  day: string,
  source: ImportSource,
  progress: Progress,
): Promise<ImportSummary> {
  return inOneTransaction(db, progress, {}, async (tx) => {
    await endPriceSamples(tx, source);
    return writePrices(tx, rows, day, source, progress);
  });
}
