import type { Database } from '../../db/client.ts';
import {
  type MarketKind,
  RECORD_IMPORT,
  RECORD_PRICE_HISTORY,
  UPSERT_PRICES,
  UPSERT_PULL_RATES,
  UPSERT_RATES,
  UPSERT_SALE_VOLUMES,
} from '../../db/queries/market.ts';
import type { PullRateSet } from '../../domain/expected-value.ts';
import { type Written, writeInBatches } from './batches.ts';
import { recomputeEvs } from './evs.ts';
import type { Progress } from './progress.ts';
import { repriceAccounts } from './reprice.ts';

const PRICE_SOURCE = 'VendorMarket';

/** Where the data comes from, and whether it is made up. */
export interface ImportSource {
  version: string;
  isSample: boolean;
}

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

/** Loads prices of one day, then expected values, then the market values of every account. */
export async function importPrices(
  db: Database,
  rows: readonly PriceRow[],
  day: string,
  source: ImportSource,
  progress: Progress,
): Promise<Written> {
  const prices = rows.map(({ variantId, currency, amount }) => ({
    variant_id: variantId,
    source: PRICE_SOURCE,
    currency,
    amount,
    as_of: day,
  }));
  const written = await inOneTransaction(db, 'prices', day, source, (tx) =>
    writePrices(tx, prices, day, progress),
  );
  await repriceAccounts(db);
  return written;
}

async function writePrices(
  tx: Database,
  prices: readonly object[],
  day: string,
  progress: Progress,
): Promise<Written> {
  const written = await writeInBatches(tx, UPSERT_PRICES, prices, 'prices', progress);
  await tx.query(RECORD_PRICE_HISTORY, [PRICE_SOURCE, day]);
  return written;
}

/** Loads the sales of the days up to `through`. */
export function importSaleVolumes(
  db: Database,
  rows: readonly SaleVolumesRow[],
  through: string,
  source: ImportSource,
  progress: Progress,
): Promise<Written> {
  const volumes = rows.map(({ variantId, daily }) => ({
    variant_id: variantId,
    through,
    daily,
    total: daily.reduce((sum, sales) => sum + sales, 0),
  }));
  return inOneTransaction(db, 'sales', through, source, (tx) =>
    writeInBatches(tx, UPSERT_SALE_VOLUMES, volumes, 'sale volumes', progress),
  );
}

/** Loads exchange rates, then all that depends on them, as with prices. */
export async function importExchangeRates(
  db: Database,
  rows: readonly ExchangeRateRow[],
  source: ImportSource,
  progress: Progress,
): Promise<Written> {
  const newest = rows.reduce((latest, { day }) => (day > latest ? day : latest), '');
  const written = await inOneTransaction(db, 'rates', newest || null, source, (tx) =>
    writeInBatches(tx, UPSERT_RATES, rows, 'exchange rates', progress),
  );
  await repriceAccounts(db);
  return written;
}

/** Loads the published odds of sealed products, then expected values. */
export function importPullRates(
  db: Database,
  sets: readonly PullRateSet[],
  source: ImportSource,
  progress: Progress,
): Promise<Written> {
  const rows = sets.map((rates) => ({ set_type: rates.setType, rates }));
  return inOneTransaction(db, 'pull-rates', null, source, (tx) =>
    writeInBatches(tx, UPSERT_PULL_RATES, rows, 'pull rates', progress),
  );
}

function inOneTransaction(
  db: Database,
  kind: MarketKind,
  newestDay: string | null,
  source: ImportSource,
  write: (tx: Database) => Promise<Written>,
): Promise<Written> {
  return db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    const written = await write(tx);
    await tx.query(RECORD_IMPORT, [kind, source.version, source.isSample, newestDay]);
    await recomputeEvs(tx);
    return written;
  });
}
