import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Database } from './db/client.ts';
import { MARKET_DATA, type MarketDataRow, type MarketKind } from './db/queries/market-data.ts';
import { readCatalogueFile } from './importers/catalogue-file.ts';
import { readEcbRates } from './importers/ecb-rates.ts';
import { readPullRatesFile } from './importers/pull-rates-file.ts';
import { sampleMarket } from './importers/sample-market.ts';
import { projectPath } from './paths.ts';
import {
  importExchangeRates,
  importPrices,
  importPullRates,
  importSaleVolumes,
} from './services/market/import.ts';
import { importCatalogue } from './services/market/import-catalogue.ts';
import type { Progress } from './services/market/progress.ts';

type ShippedKind = Extract<MarketKind, 'catalogue' | 'pull-rates' | 'rates' | 'sales' | 'prices'>;

/** Marks a catalogue of ours, which a newer one of ours replaces; one that an operator imported stays. */
const SHIPPED = 'shipped ';

/** Its version names the kind of sample, so that a later release can load another one. */
const SAMPLE = { version: 'sample-1', isSample: true };

/**
 * What of the shipped data the database lacks, in the order of loading: the catalogue, pull rates and a day of exchange
 * rates where it has none, or an older catalogue of ours; and with `samples` the made-up market data where it has no
 * market data at all.
 */
export async function lackingData(db: Database, samples: boolean): Promise<ShippedKind[]> {
  const present = new Map((await db.query<MarketDataRow>(MARKET_DATA)).map((row) => [row.kind, row.version]));
  const catalogue = present.get('catalogue');
  const isOld = catalogue?.startsWith(SHIPPED) && catalogue !== (await shippedCatalogueVersion());
  const lacking: ShippedKind[] = catalogue === undefined || isOld ? ['catalogue'] : [];
  for (const kind of ['pull-rates', 'rates'] as const) if (!present.has(kind)) lacking.push(kind);
  if (samples && !present.has('prices') && !present.has('sales')) lacking.push('sales', 'prices');
  return lacking;
}

/** Loads what `lackingData` says. */
export async function loadShippedData(
  db: Database,
  { samples, today, progress }: { samples: boolean; today: string; progress: Progress },
): Promise<void> {
  let read: ReturnType<typeof readCatalogueFile> | undefined;
  const shippedCatalogue = () => {
    read ??= readCatalogueFile(CATALOGUE);
    return read;
  };
  const samplesOfToday = async () => [...sampleMarket((await shippedCatalogue()).products, today)];
  const load: Record<ShippedKind, () => Promise<unknown>> = {
    catalogue: async () => {
      const { products } = await shippedCatalogue();
      return importCatalogue(db, { products, version: await shippedCatalogueVersion() }, progress);
    },
    'pull-rates': async () => {
      const sets = await readPullRatesFile(projectPath('data/pull-rates.json'));
      return importPullRates(db, sets, { version: 'shipped', isSample: false }, progress);
    },
    rates: async () => {
      const rates = await readEcbRates(projectPath('data/exchange-rates.csv'));
      return importExchangeRates(db, rates, { version: 'shipped', isSample: samples }, progress);
    },
    sales: async () => {
      const rows = (await samplesOfToday()).map(({ variantId, saleVolumes }) => ({
        variantId,
        daily: saleVolumes,
      }));
      return importSaleVolumes(db, rows, today, SAMPLE, progress);
    },
    prices: async () => {
      const rows = (await samplesOfToday()).map(({ variantId, marketPrice }) => ({
        variantId,
        currency: 'USD',
        amount: marketPrice,
      }));
      return importPrices(db, rows, today, SAMPLE, progress);
    },
  };
  for (const kind of await lackingData(db, samples)) await load[kind]();
}

const CATALOGUE = projectPath('data/catalogue.json.gz');

async function shippedCatalogueVersion(): Promise<string> {
  return `${SHIPPED}${createHash('sha256')
    .update(await readFile(CATALOGUE))
    .digest('base64url')}`;
}
