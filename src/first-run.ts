import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Database } from './db/client.ts';
import { MARKET_DATA, type MarketDataRow, type MarketKind } from './db/queries/market.ts';
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

/** Marks a catalogue of ours, which a newer one of ours replaces; one that an operator imported stays. */
const SHIPPED = 'shipped ';

/** Names the kind of sample, so that a later release can load another one. */
const SAMPLE_VERSION = 'sample-1';

/**
 * Loads the catalogue, the pull rates and the day of exchange rates that ship with the product, each where the database
 * has none or an older one of ours, and with `samples` the made-up market data where there is no market data at all.
 * Gives the kinds that were loaded.
 */
export async function loadShippedData(
  db: Database,
  options: { samples: boolean; today: string; progress: Progress },
): Promise<MarketKind[]> {
  const { samples, today, progress } = options;
  const present = new Map((await db.query<MarketDataRow>(MARKET_DATA)).map((row) => [row.kind, row]));
  const loaded: MarketKind[] = [];
  const load = async (kind: MarketKind, work: () => Promise<unknown>) => {
    await work();
    loaded.push(kind);
  };
  const file = projectPath('data/catalogue.json.gz');
  const version = `${SHIPPED}${createHash('sha256').update(await readFile(file)).digest('base64url')}`;
  const known = present.get('catalogue')?.version;
  if (known === undefined || (known.startsWith(SHIPPED) && known !== version)) {
    const { products } = await readCatalogueFile(file);
    await load('catalogue', () => importCatalogue(db, { products, version }, progress));
  }
  if (!present.has('pull-rates')) {
    const sets = await readPullRatesFile(projectPath('data/pull-rates.json'));
    await load('pull-rates', () =>
      importPullRates(db, sets, { version: 'shipped', isSample: false }, progress),
    );
  }
  if (!present.has('rates')) {
    const rates = await readEcbRates(projectPath('data/exchange-rates.csv'));
    await load('rates', () =>
      importExchangeRates(db, rates, { version: 'shipped', isSample: samples }, progress),
    );
  }
  if (samples && !present.has('prices') && !present.has('sales')) {
    const { products } = await readCatalogueFile(file);
    const rows = [...sampleMarket(products, today)];
    const source = { version: SAMPLE_VERSION, isSample: true };
    const prices = rows.map(({ variantId, marketPrice }) => ({
      variantId,
      currency: 'USD',
      amount: marketPrice,
    }));
    await load('sales', () =>
      importSaleVolumes(
        db,
        rows.map(({ variantId, saleVolumes }) => ({ variantId, daily: saleVolumes })),
        today,
        source,
        progress,
      ),
    );
    await load('prices', () => importPrices(db, prices, today, source, progress));
  }
  return loaded;
}
