import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Database } from './db/client.ts';
import { MARKET_DATA, type MarketDataRow, type MarketKind } from './db/queries/market-data.ts';
import { readCatalogueFile } from './importers/catalogue-file.ts';
import { readEcbRates } from './importers/ecb-rates.ts';
import type { ByteSource } from './importers/import-file.ts';
import { readPullRatesFile } from './importers/pull-rates-file.ts';
import { type SampleMarketRow, sampleMarket } from './importers/sample-market.ts';
import { projectPath } from './paths.ts';
import { importExchangeRates, importPullRates, importSaleVolumes } from './services/market/import.ts';
import { importCatalogue } from './services/market/import-catalogue.ts';
import type { Progress } from './services/market/progress.ts';
import { importSamplePrices } from './services/market/sample-past.ts';

type ShippedKind = Extract<MarketKind, 'catalogue' | 'pull-rates' | 'rates' | 'sales' | 'prices'>;

/** Marks a catalogue or rates of ours, which newer ones of ours replace; what an operator imported stays. */
const SHIPPED = 'shipped';

/** Its version names the kind of sample, so that a later release can load another one. */
const SAMPLE = { version: 'sample-1', isSample: true };

/**
 * What of the shipped data the database lacks, in the order of loading: the catalogue, pull rates and exchange rates
 * where it has none, or an older catalogue or older rates of ours; and with `samples` the made-up market data where it has no
 * market data at all.
 */
export async function lackingData(db: Database, samples: boolean): Promise<ShippedKind[]> {
  const present = new Map((await db.query<MarketDataRow>(MARKET_DATA)).map((row) => [row.kind, row.version]));
  const lacking: ShippedKind[] = [];
  for (const [kind, file] of [
    ['catalogue', CATALOGUE],
    ['pull-rates', null],
    ['rates', EXCHANGE_RATES],
  ] as const) {
    const version = present.get(kind);
    const isOlder = async () =>
      file && version?.startsWith(SHIPPED) && version !== (await shippedVersion(file));
    if (version === undefined || (await isOlder())) lacking.push(kind);
  }
  // A first start that was ended behind the sales has left prices to load.
  const hasOtherSales = present.has('sales') && present.get('sales') !== SAMPLE.version;
  if (samples && !present.has('prices') && !hasOtherSales)
    lacking.push(...(present.has('sales') ? [] : ['sales' as const]), 'prices');
  return lacking;
}

/**
 * Loads what `lackingData` says; made-up prices have a past from `samplesSince` on (`YYYY-MM-DD`, today's for none), null is no samples.
 */
export async function loadShippedData(
  db: Database,
  { samplesSince, today, progress }: { samplesSince: string | null; today: string; progress: Progress },
): Promise<void> {
  let read: ReturnType<typeof readCatalogueFile> | undefined;
  const shippedCatalogue = () => {
    read ??= readCatalogueFile(CATALOGUE);
    return read;
  };
  let samples: SampleMarketRow[] | undefined;
  const samplesOfToday = async () => {
    samples ??= [...sampleMarket((await shippedCatalogue()).products, today)];
    return samples;
  };
  const load: Record<ShippedKind, () => Promise<unknown>> = {
    catalogue: async () => {
      const { products } = await shippedCatalogue();
      return importCatalogue(db, { products, version: await shippedVersion(CATALOGUE) }, progress);
    },
    'pull-rates': async () => {
      const sets = await readPullRatesFile(projectPath('data/pull-rates.json'));
      return importPullRates(db, sets, { version: SHIPPED, isSample: false }, progress);
    },
    rates: async () => {
      const rates = await readEcbRates(await shippedRates());
      const version = await shippedVersion(EXCHANGE_RATES);
      return importExchangeRates(db, rates, { version, isSample: false }, progress);
    },
    sales: async () => {
      const rows = (await samplesOfToday()).map(({ variantId, saleVolumes }) => ({
        variantId,
        daily: saleVolumes,
      }));
      return importSaleVolumes(db, rows, today, SAMPLE, progress);
    },
    prices: async () => {
      const { products } = await shippedCatalogue();
      const rows = (await samplesOfToday()).map(({ variantId, marketPrice }) => ({
        variantId,
        currency: 'USD',
        amount: marketPrice,
      }));
      const releases = new Map(
        products.flatMap(({ variants, releaseDate }) =>
          variants.map(({ variantId }) => [variantId, releaseDate]),
        ),
      );
      const past = { day: today, since: samplesSince ?? today, releases };
      return importSamplePrices(db, rows, past, SAMPLE, progress);
    },
  };
  for (const kind of await lackingData(db, samplesSince !== null)) await load[kind]();
}

const CATALOGUE = projectPath('data/catalogue.json.gz');
const EXCHANGE_RATES = projectPath('data/exchange-rates.csv.gz');

async function shippedVersion(path: string): Promise<string> {
  return `${SHIPPED} ${createHash('sha256')
    .update(await readFile(path))
    .digest('base64url')}`;
}

async function shippedRates(): Promise<ByteSource> {
  const content = await promisify(gunzip)(await readFile(EXCHANGE_RATES));
  return { name: EXCHANGE_RATES, bytes: () => Readable.from([content]) };
}
