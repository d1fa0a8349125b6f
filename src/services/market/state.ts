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

/** Older prices are told of, and rates that were imported before. */
const LASTS_DAYS = 2;
/** There are none of weekends and holidays (docs/decisions.md#currencies-and-rates). */
const RATES_LAST_DAYS = 10;

/** What is to be told of market data that is missing or old. */
export interface MarketWarning {
  /** For everybody, without the full stop. */
  fact: string;
  /** For the operator. */
  advice: string;
}

const adviceFor = (kind: string, setting: string) =>
  `\`cardledger pull ${kind}\` or \`cardledger import ${kind}\` loads them, and the setting ${setting}=daily does so every day.`;

/** That no prices are loaded, or old prices or exchange rates; nothing where the prices are samples, which are told of anyway. */
export async function marketWarnings(db: Database, today: string): Promise<MarketWarning[]> {
  const rows = await db.query<MarketDataRow>(MARKET_DATA);
  const [prices, rates] = ['prices', 'rates'].map((kind) => rows.find((row) => row.kind === kind));
  if (prices?.isSample) return [];
  const isBefore = (day: string | null, days: number) => day !== null && day < addDays(today, -days);
  const warnings: MarketWarning[] = [];
  const pricesAdvice = adviceFor('prices', 'PULL_PRICES');
  if (!prices) {
    const fact = 'No market prices are loaded, so market values count as 0';
    warnings.push({ fact, advice: pricesAdvice });
  } else if (isBefore(prices.newestDay, LASTS_DAYS)) {
    const fact = `The newest market prices are those of ${prices.newestDay}`;
    warnings.push({ fact, advice: pricesAdvice });
  }
  if (rates && (isBefore(rates.newestDay, RATES_LAST_DAYS) || isBefore(rates.importedDay, LASTS_DAYS))) {
    const fact = `The newest exchange rates are those of ${rates.newestDay}`;
    warnings.push({ fact, advice: adviceFor('exchange-rates', 'PULL_RATES') });
  }
  return warnings;
}

/** What everybody should know of the market data, a sentence each: what is made up, missing or old. */
export async function marketNotices(db: Database, today: string): Promise<string[]> {
  const samples = await sampleData(db);
  const warnings = await marketWarnings(db, today);
  return [
    ...(samples ? [`The ${samples} are SAMPLE data, made up.`] : []),
    ...warnings.map(({ fact }) => `${fact}.`),
  ];
}

/** Whether anything was ever loaded. */
export async function hasMarketData(db: Database): Promise<boolean> {
  return (await db.query<MarketDataRow>(MARKET_DATA)).length > 0;
}

/** Without one no card is known. */
export async function hasCatalogue(db: Database): Promise<boolean> {
  const rows = await db.query<MarketDataRow>(MARKET_DATA);
  return rows.some(({ kind }) => kind === 'catalogue');
}

/** Seconds since the last import of each kind of market data. */
export function importAges(db: Database): Promise<ImportAgeRow[]> {
  return db.query<ImportAgeRow>(IMPORT_AGES);
}
