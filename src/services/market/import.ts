import type { Database } from '../../db/client.ts';
import { UPSERT_PULL_RATES } from '../../db/queries/ev-sources.ts';
import {
  PRICES_ON_DAY,
  RECORD_PRICE_DAY,
  RECORD_PRICE_HISTORY,
  UPSERT_PRICES,
} from '../../db/queries/prices.ts';
import {
  type ChangedRates,
  DELETE_RATE_GAPS,
  INSERT_RATE_GAPS,
  NOTE_RATE_CHANGE,
  UPSERT_RATES,
  type WrittenRatesRow,
} from '../../db/queries/rates.ts';
import { UPSERT_SALE_VOLUMES } from '../../db/queries/sale-volumes.ts';
import { addDays } from '../../domain/dates.ts';
import type { PullRateSet } from '../../domain/expected-value.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import type { Rows } from '../../importers/import-file.ts';
import { barConvertedWrites } from './bar.ts';
import { type ImportSummary, inBatches, upsertRows, type Written } from './batches.ts';
import {
  assertNotBefore,
  endSamples,
  type ImportOptions,
  type ImportSource,
  inOneTransaction,
  knownThrough,
  recordImport,
} from './import-run.ts';
import type { Progress } from './progress.ts';

export type { ImportSource } from './import-run.ts';

/** Rates are short: more of them make a batch. */
const BATCH_RATES = 10_000;

export interface PriceRow {
  variantId: string;
  currency: string;
  /** Decimal text; null where no price is known. */
  amount: string | null;
}

/** As the table has it. */
export interface ExchangeRateRow {
  currency: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** Units of the currency for one euro, decimal text. */
  per_euro: string;
}

export interface SaleVolumesRow {
  variantId: string;
  /** Sales per day, oldest first. */
  daily: number[];
}

const DAYS_IN_ORDER = 'import days in their order, or the past from price-history files with "import sales"';

/** Removes made-up prices, and their history, before the first real ones are written. */
export async function endPriceSamples(tx: Database, source: ImportSource): Promise<boolean> {
  await endSamples(tx, 'price-history', source);
  return endSamples(tx, 'prices', source);
}

/** Prices as the table has them. */
export type PriceRecord = ReturnType<typeof priceRecord>;

/** Writes the prices of a day and what they change in the history. Refuses a day before the newest that is loaded. */
export async function writePrices(
  tx: Database,
  rows: Rows<PriceRow>,
  day: string,
  source: ImportSource,
  progress: Progress,
  recordHistory = recordPriceHistory,
): Promise<ImportSummary> {
  await assertNotBefore(tx, 'prices', day, source, DAYS_IN_ORDER);
  const known = await knownThrough(tx);
  const options = { label: 'prices', progress, keyOf: ({ variantId }: PriceRow) => variantId };
  const summary = await inBatches(rows, options, async (batch) => {
    const records = batch.map((row) => priceRecord(row, day));
    // Each, whether or not it is another one than the latest: the history may have been imported apart.
    await recordHistory(tx, records, day, known);
    return upsertRows(tx, UPSERT_PRICES, records);
  });
  await tx.query(RECORD_PRICE_DAY, [day]);
  await recordImport(tx, 'prices', source, day);
  return summary;
}

function priceRecord({ variantId, currency, amount }: PriceRow, day: string) {
  return { variant_id: variantId, source: PRICE_SOURCE, currency, amount, as_of: day };
}

/** @param known the last day of which prices are known; on the one behind `day` each goes on as it was, if that is known */
async function recordPriceHistory(
  tx: Database,
  records: readonly PriceRecord[],
  day: string,
  known: string | null,
): Promise<void> {
  const next = addDays(day, 1);
  const isWithin = known !== null && next <= known;
  const ofNext = isWithin ? await tx.query(PRICES_ON_DAY, [JSON.stringify(records), next]) : [];
  await tx.query(RECORD_PRICE_HISTORY, [JSON.stringify(records), day]);
  if (isWithin) await tx.query(RECORD_PRICE_HISTORY, [JSON.stringify(ofNext), next]);
}

/** Loads the sales of the days up to `through`. Refuses a day before the newest that is loaded. */
export function importSaleVolumes(
  db: Database,
  rows: Rows<SaleVolumesRow>,
  through: string,
  source: ImportSource,
  progress: Progress,
): Promise<ImportSummary> {
  return inOneTransaction(db, progress, {}, async (tx) => {
    await endSamples(tx, 'sales', source);
    await assertNotBefore(tx, 'sales', through, source, 'import days in their order');
    const options = { label: 'sale volumes', progress, keyOf: ({ variantId }: SaleVolumesRow) => variantId };
    const summary = await inBatches(rows, options, (batch) =>
      upsertRows(
        tx,
        UPSERT_SALE_VOLUMES,
        batch.map(({ variantId, daily }) => saleVolumesRecord(variantId, through, daily)),
      ),
    );
    await recordImport(tx, 'sales', source, through);
    return summary;
  });
}

/** As the table has it. */
export function saleVolumesRecord(variantId: string, through: string, daily: readonly number[]) {
  return { variant_id: variantId, through, daily, total: daily.reduce((sum, sales) => sum + sales, 0) };
}

/** Loads exchange rates, then expected values, then the ledgers with transactions of the days whose rates have changed. */
export function importExchangeRates(
  db: Database,
  rows: Rows<ExchangeRateRow>,
  source: ImportSource,
  progress: Progress,
  importOptions: ImportOptions = {},
): Promise<ImportSummary> {
  const changed = new Map<string, ChangedRates>();
  const write = async (tx: Database) => {
    let newest = '';
    changed.clear();
    const keyOf = ({ currency, day }: ExchangeRateRow) => `${currency} ${day}`;
    const options = { label: 'exchange rates', progress, keyOf, size: BATCH_RATES };
    const written = await inBatches(rows, options, async (batch) => {
      for (const { day } of batch) if (day > newest) newest = day;
      return writeRates(tx, batch, changed);
    });
    await tx.query(NOTE_RATE_CHANGE, [JSON.stringify([...changed.values()])]);
    const currencies = JSON.stringify([...changed.keys()]);
    await tx.query(DELETE_RATE_GAPS, [currencies]);
    await tx.query(INSERT_RATE_GAPS, [currencies]);
    await recordImport(tx, 'rates', source, newest || null);
    return written;
  };
  return inOneTransaction(db, progress, importOptions, write, async (tx) => {
    if (changed.size > 0) await barConvertedWrites(tx, progress);
  });
}

/** Notes in `changed` the days of each currency that have another rate now. */
async function writeRates(
  tx: Database,
  batch: readonly ExchangeRateRow[],
  changed: Map<string, ChangedRates>,
): Promise<Written> {
  const column = (name: keyof ExchangeRateRow) => `{${batch.map((row) => row[name]).join()}}`;
  const params = [column('currency'), column('day'), column('per_euro')];
  const written = { added: 0, changed: 0, unchanged: batch.length };
  for (const rates of await tx.query<WrittenRatesRow>(UPSERT_RATES, params)) {
    written.added += rates.added;
    written.changed += rates.written - rates.added;
    written.unchanged -= rates.written;
    noteChange(changed, rates);
  }
  return written;
}

function noteChange(changed: Map<string, ChangedRates>, { currency, first, last }: ChangedRates): void {
  const known = changed.get(currency) ?? { currency, first, last };
  changed.set(currency, {
    currency,
    first: first < known.first ? first : known.first,
    last: last > known.last ? last : known.last,
  });
}

/** Loads the published odds of sealed products, then expected values. */
export function importPullRates(
  db: Database,
  sets: Rows<PullRateSet>,
  source: ImportSource,
  progress: Progress,
  importOptions: ImportOptions = {},
): Promise<ImportSummary> {
  return inOneTransaction(db, progress, importOptions, async (tx) => {
    const options = { label: 'pull rates', progress, keyOf: ({ setType }: PullRateSet) => setType };
    const summary = await inBatches(sets, options, (batch) =>
      upsertRows(
        tx,
        UPSERT_PULL_RATES,
        batch.map((rates) => ({ set_type: rates.setType, rates })),
      ),
    );
    await recordImport(tx, 'pull-rates', source, null);
    return summary;
  });
}
