import type { Database } from '../../db/client.ts';
import {
  IMPORT_AGES,
  type ImportAgeRow,
  MARKET_DATA,
  type MarketDataRow,
  type MarketKind,
} from '../../db/queries/market-data.ts';
import { addDays } from '../../domain/dates.ts';

/** What of the loaded market data is made up, in words, such as `prices and expected values`; null where nothing is. */
export async function sampleData(db: Database): Promise<string | null> {
  const rows = await db.query<MarketDataRow>(MARKET_DATA);
  const isSample = (kind: MarketKind) => rows.some((row) => row.kind === kind && row.isSample);
  const sales = isSample('sales');
  if (isSample('prices'))
    return sales ? 'prices, sale volumes and expected values' : 'prices and expected values';
  return sales ? 'sale volumes' : null;
}

/** As the exchange rates of a week's holidays (docs/decisions.md#currencies-and-rates): who imports weekly is never warned. */
const PRICES_LAST_DAYS = 10;

/** That no prices are loaded, or old ones, in words; null where they are new, or samples, which are told of anyway. */
export async function priceWarning(db: Database, today: string): Promise<string | null> {
  const rows = await db.query<MarketDataRow>(MARKET_DATA);
  const prices = rows.find(({ kind }) => kind === 'prices');
  const advice = '`cardledger pull prices` or `cardledger import prices` loads them.';
  if (!prices) return `No market prices are loaded, so market values count as 0: ${advice}`;
  const { isSample, newestDay } = prices;
  const isNew = newestDay === null || newestDay >= addDays(today, -PRICES_LAST_DAYS);
  return isSample || isNew ? null : `The newest market prices are those of ${newestDay}: ${advice}`;
}

/** Seconds since the last import of each kind of market data. */
export function importAges(db: Database): Promise<ImportAgeRow[]> {
  return db.query<ImportAgeRow>(IMPORT_AGES);
}
