import type { Database } from '../../db/client.ts';
import { ImportFileError, RejectedRow, type Rows } from '../../importers/import-file.ts';
import type { SealedName } from '../../importers/sealed-names.ts';
import type { VendorPrice } from '../../importers/tcgcsv.ts';
import type { ImportSummary } from './batches.ts';
import { endPriceSamples, type PriceRow, writePrices } from './import.ts';
import { type VendorCatalogue, vendorCatalogue } from './import-matching.ts';
import { type ImportOptions, type ImportSource, inOneTransaction } from './import-run.ts';
import type { Progress } from './progress.ts';

export interface VendorPrices {
  prices: Rows<VendorPrice>;
  /** Sealed products by the vendor's product id. */
  sealed: ReadonlyMap<number, SealedName>;
  day: string;
}

/**
 * Loads the vendor's prices of one day in US dollars, then expected values.
 * Variants that the file does not have keep their prices, but for made-up ones: those go with the first real prices.
 * Throws an `ImportFileError` for a variant that is there twice, and refuses a day before the newest that is loaded, and
 * files without a price for any variant: they would make a day of prices, and take the made-up ones away, for nothing.
 */
export function importVendorPrices(
  db: Database,
  { prices, sealed, day }: VendorPrices,
  source: ImportSource,
  progress: Progress,
  options: ImportOptions = {},
): Promise<ImportSummary & { samplesRemoved: boolean }> {
  return inOneTransaction(db, progress, options, async (tx) => {
    const samplesRemoved = await endPriceSamples(tx, source);
    const catalogue = await vendorCatalogue(tx, sealed);
    const summary = await writePrices(tx, matched(prices, catalogue), day, source, progress);
    if (summary.added + summary.changed + summary.unchanged === 0) throw nothingTaken(summary);
    return { ...summary, samplesRemoved };
  });
}

function nothingTaken({ rejectedCount, rejected: [first] }: ImportSummary): Error {
  const reason = first
    ? `all ${rejectedCount} rows are left out, the first as ${first.reason}`
    : 'they have no row';
  return new Error(`the files have no price of a variant of the catalogue: ${reason}`);
}

function matched(prices: Rows<VendorPrice>, catalogue: VendorCatalogue): Rows<PriceRow> {
  return { length: prices.length, [Symbol.asyncIterator]: () => matchedRows(prices, catalogue) };
}

async function* matchedRows(
  prices: Rows<VendorPrice>,
  catalogue: VendorCatalogue,
): AsyncGenerator<PriceRow | RejectedRow> {
  // Of known variants only, so that it does not grow with the file.
  const seen = new Map<string, string>();
  for await (const price of prices) {
    const variantId = price instanceof RejectedRow ? price : catalogue.variantIdOf(price);
    if (variantId instanceof RejectedRow) {
      yield variantId;
      continue;
    }
    const { place, vendorProductId, variantName, amount } = price as VendorPrice;
    const known = seen.get(variantId);
    if (known === variantName) {
      throw new ImportFileError(
        place.file,
        place.line,
        `product ${vendorProductId}, ${variantName} is there twice`,
      );
    }
    if (known !== undefined) {
      const reason = `product ${vendorProductId} is one variant here, and has a price as "${known}" already`;
      yield new RejectedRow(place, 'unknown variant', reason);
      continue;
    }
    seen.set(variantId, variantName);
    yield { variantId, currency: 'USD', amount };
  }
}
