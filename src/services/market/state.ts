import type { Database } from '../../db/client.ts';
import {
  IMPORT_AGES,
  type ImportAgeRow,
  MARKET_DATA,
  type MarketDataRow,
  type MarketKind,
} from '../../db/queries/market-data.ts';

/** What of the loaded market data is made up, in words, such as `prices and expected values`; null where nothing is. */
export async function sampleData(db: Database): Promise<string | null> {
  const rows = await db.query<MarketDataRow>(MARKET_DATA);
  const isSample = (kind: MarketKind) => rows.some((row) => row.kind === kind && row.isSample);
  const sales = isSample('sales');
  if (isSample('prices'))
    return sales ? 'prices, sale volumes and expected values' : 'prices and expected values';
  return sales ? 'sale volumes' : null;
}

/** Seconds since the last import of each kind of market data. */
export function importAges(db: Database): Promise<ImportAgeRow[]> {
  return db.query<ImportAgeRow>(IMPORT_AGES);
}
