import type { Database } from '../../db/client.ts';
import {
  IMPORT_AGES,
  type ImportAgeRow,
  MARKET_DATA,
  type MarketDataRow,
} from '../../db/queries/market-data.ts';

/** Whether any of the loaded market data is made up. */
export async function hasSampleData(db: Database): Promise<boolean> {
  return (await db.query<MarketDataRow>(MARKET_DATA)).some(({ isSample }) => isSample);
}

/** Resolves when the database answers. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.query('select 1');
}

/** Seconds since the last import of each kind of market data. */
export function importAges(db: Database): Promise<ImportAgeRow[]> {
  return db.query<ImportAgeRow>(IMPORT_AGES);
}
