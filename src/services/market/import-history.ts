import type { Database } from '../../db/client.ts';
import {
  DELETE_PRICE_YEARS,
  PRICE_HISTORY_AROUND,
  type PriceHistoryRow,
  UPSERT_PRICE_YEARS,
} from '../../db/queries/prices.ts';
import {
  SALE_VOLUMES_OF,
  type StoredSaleVolumes,
  UPSERT_SALE_VOLUMES,
} from '../../db/queries/sale-volumes.ts';
import { addDays, yearOf } from '../../domain/dates.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import { RejectedRow, type Rows } from '../../importers/import-file.ts';
import type { HistoryBucket, VariantHistory } from '../../importers/price-history.ts';
import {
  countRejected,
  countWritten,
  type ImportSummary,
  inBatches,
  upsertRows,
  type Written,
} from './batches.ts';
import { saleVolumesRecord } from './import.ts';
import { type VendorCatalogue, vendorCatalogue } from './import-matching.ts';
import {
  endSamples,
  type ImportOptions,
  type ImportSource,
  inOneTransaction,
  knownThrough,
  recordImport,
} from './import-run.ts';
import { type FreshPrices, mergedSteps, type PriceStep } from './import-steps.ts';
import type { Progress } from './progress.ts';

/** Days of sale volumes that are kept (docs/decisions.md#products-and-variants). */
const SALE_DAYS = 30;
/** Histories are long: fewer of them make a batch. */
const BATCH_VARIANTS = 100;

export interface HistorySummary {
  saleVolumes: ImportSummary;
  priceHistory: Written;
}

type MatchedHistory = VariantHistory & { variantId: string };

/**
 * Loads sale volumes and the prices of the past. A day that a file has replaces what was known of that day; other days
 * stay. Sale volumes need daily buckets; longer ones count for the prices only.
 */
export function importHistories(
  db: Database,
  histories: Rows<VariantHistory>,
  source: ImportSource,
  progress: Progress,
  options: ImportOptions = {},
): Promise<HistorySummary> {
  return inOneTransaction(db, progress, options, async (tx) => {
    const writer = new HistoryWriter(tx, source, await knownThrough(tx));
    const catalogue = await vendorCatalogue(tx, new Map());
    const batches = {
      label: 'histories',
      progress,
      keyOf: ({ variantId }: MatchedHistory) => variantId,
      size: BATCH_VARIANTS,
    };
    const saleVolumes = await inBatches(matched(histories, catalogue), batches, (batch) =>
      writer.write(batch),
    );
    for (const row of writer.rejected) countRejected(saleVolumes, row);
    await writer.record();
    return { saleVolumes, priceHistory: writer.priceHistory };
  });
}

function matched(histories: Rows<VariantHistory>, catalogue: VendorCatalogue): Rows<MatchedHistory> {
  return {
    length: histories.length,
    async *[Symbol.asyncIterator]() {
      for await (const history of histories) {
        const variantId = history instanceof RejectedRow ? history : catalogue.variantIdOf(history);
        if (variantId instanceof RejectedRow) yield variantId;
        else yield { ...(history as VariantHistory), variantId };
      }
    },
  };
}

class HistoryWriter {
  readonly priceHistory: Written = { added: 0, changed: 0, unchanged: 0 };
  readonly rejected: RejectedRow[] = [];
  private readonly tx: Database;
  private readonly source: ImportSource;
  private readonly knownThrough: string | null;
  private newestSale: string | null = null;
  private newestPrice: string | null = null;

  constructor(tx: Database, source: ImportSource, knownThrough: string | null) {
    this.tx = tx;
    this.source = source;
    this.knownThrough = knownThrough;
  }

  async write(batch: readonly MatchedHistory[]): Promise<Written> {
    await this.writePrices(batch);
    const daily = batch.filter(({ bucketDays }) => bucketDays === 1);
    for (const { place, bucketDays, vendorProductId, variantName } of batch) {
      if (bucketDays === 1) continue;
      const reason = `product ${vendorProductId}, ${variantName}: sale volumes need daily buckets, these are of ${bucketDays} days`;
      this.rejected.push(new RejectedRow(place, 'no daily sales', reason));
    }
    return this.writeSales(daily);
  }

  async record(): Promise<void> {
    if (this.newestSale !== null) await recordImport(this.tx, 'sales', this.source, this.newestSale);
    if (this.newestPrice !== null)
      await recordImport(this.tx, 'price-history', this.source, this.newestPrice);
  }

  private async writeSales(batch: readonly MatchedHistory[]): Promise<Written> {
    if (batch.length === 0) return { added: 0, changed: 0, unchanged: 0 };
    if (this.newestSale === null) await endSamples(this.tx, 'sales', this.source);
    const ids = JSON.stringify(batch.map(({ variantId }) => variantId));
    const stored = await this.tx.query<StoredSaleVolumes>(SALE_VOLUMES_OF, [ids]);
    const byVariant = new Map(stored.map((volumes) => [volumes.variantId, volumes]));
    const rows = batch.map(({ variantId, buckets }) => {
      const { through, daily } = mergedVolumes(byVariant.get(variantId), buckets);
      this.newestSale = later(this.newestSale, through);
      return saleVolumesRecord(variantId, through, daily);
    });
    return upsertRows(this.tx, UPSERT_SALE_VOLUMES, rows);
  }

  private async writePrices(batch: readonly MatchedHistory[]): Promise<void> {
    const fresh = batch.flatMap((history) => freshPrices(history) ?? []);
    if (fresh.length === 0) return;
    if (this.newestPrice === null) await endSamples(this.tx, 'price-history', this.source);
    const old = await this.stepsAround(fresh);
    const years = fresh.flatMap((prices) => {
      this.newestPrice = later(this.newestPrice, prices.last);
      const { steps, written } = mergedSteps(old.get(prices.variantId) ?? [], prices, this.knownThrough);
      countWritten(this.priceHistory, written);
      return yearRecords(prices, steps);
    });
    const isEmpty = ({ days }: { days: string[] }) => days.length === 0;
    await this.tx.query(DELETE_PRICE_YEARS, [JSON.stringify(years.filter(isEmpty))]);
    await upsertRows(
      this.tx,
      UPSERT_PRICE_YEARS,
      years.filter((year) => !isEmpty(year)),
    );
  }

  /** What is known of the years that the fresh prices touch, and the last step before, by variant. */
  private async stepsAround(fresh: readonly VariantPrices[]): Promise<Map<string, PriceStep[]>> {
    const ranges = fresh.map((prices) => {
      const { first, last } = yearsOf(prices);
      return { variant_id: prices.variantId, source: PRICE_SOURCE, first, last };
    });
    const steps = new Map<string, PriceStep[]>(fresh.map(({ variantId }) => [variantId, []]));
    const rows = await this.tx.query<PriceHistoryRow>(PRICE_HISTORY_AROUND, [JSON.stringify(ranges)]);
    for (const { variantId, ...step } of rows) steps.get(variantId)!.push(step);
    return steps;
  }
}

type VariantPrices = FreshPrices & { variantId: string };

function freshPrices({ variantId, bucketDays, buckets }: MatchedHistory): VariantPrices | undefined {
  const steps = buckets.flatMap(({ day, price }) =>
    price === null ? [] : [{ day, currency: 'USD', amount: price }],
  );
  const [first, last] = [steps[0]?.day, steps.at(-1)?.day];
  if (first === undefined || last === undefined) return undefined;
  return { variantId, steps, first, last: addDays(last, bucketDays - 1) };
}

/** The years in which fresh prices may change something: the price goes on as it was on the day after them. */
function yearsOf({ first, last }: FreshPrices): { first: number; last: number } {
  return { first: yearOf(first), last: yearOf(addDays(last, 1)) };
}

/** As the table has them: a row for each year that fresh prices touch, also where it has no day any more. */
function yearRecords(prices: VariantPrices, steps: readonly PriceStep[]) {
  const { first, last } = yearsOf(prices);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const year = first + i;
    const inYear = steps.filter(({ day }) => yearOf(day) === year);
    return {
      variant_id: prices.variantId,
      source: PRICE_SOURCE,
      year,
      days: inYear.map(({ day }) => day),
      currencies: inYear.map(({ currency }) => currency),
      amounts: inYear.map(({ amount }) => amount),
    };
  });
}

function later(a: string | null, b: string): string {
  return a !== null && a > b ? a : b;
}

/** The sales of the 30 days up to the newest that is known; a bucket replaces what was known of its day. */
export function mergedVolumes(
  stored: Pick<StoredSaleVolumes, 'through' | 'daily'> | undefined,
  buckets: readonly HistoryBucket[],
): { through: string; daily: number[] } {
  const sold = new Map<string, number>();
  stored?.daily.forEach((sales, i) => {
    sold.set(addDays(stored.through, i + 1 - stored.daily.length), sales);
  });
  for (const { day, sold: sales } of buckets) sold.set(day, sales);
  const through = later(stored?.through ?? null, buckets.at(-1)!.day);
  const daily = Array.from(
    { length: SALE_DAYS },
    (_, i) => sold.get(addDays(through, i + 1 - SALE_DAYS)) ?? 0,
  );
  return { through, daily };
}
