import type { Database } from '../../db/client.ts';
import {
  DELETE_EV_HISTORY,
  DELETE_PRICE_DAYS,
  DELETE_PRICE_HISTORY,
  DELETE_PRICES,
  DELETE_SALE_VOLUMES,
  MARKET_DATA,
  type MarketDataRow,
  type MarketKind,
  RECORD_IMPORT,
} from '../../db/queries/market.ts';
import { marketChanged } from '../catalogue/held.ts';
import { recomputeEvs } from './evs.ts';

/** Where the data comes from, and whether it is made up. */
export interface ImportSource {
  version: string;
  isSample: boolean;
}

export interface ImportOptions {
  /** Does it all, and undoes it. What is derived for each account is left out: that is a transaction of its own. */
  dryRun?: boolean;
}

/** Runs an import in one database transaction, at the end of which the expected values are computed again. */
export async function inOneTransaction<Result>(
  db: Database,
  { dryRun = false }: ImportOptions,
  write: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const undo = new Error('the transaction of a dry run is undone');
  let done: { result: Result } | undefined;
  try {
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      done = { result: await write(tx) };
      await recomputeEvs(tx);
      if (dryRun) throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  marketChanged(db);
  return done!.result;
}

/** What is loaded of a kind. */
export async function marketDataOf(tx: Database, kind: MarketKind): Promise<MarketDataRow | undefined> {
  return (await tx.query<MarketDataRow>(MARKET_DATA)).find((row) => row.kind === kind);
}

export async function recordImport(
  tx: Database,
  kind: MarketKind,
  { version, isSample }: ImportSource,
  newestDay: string | null,
): Promise<void> {
  await tx.query(RECORD_IMPORT, [kind, version, isSample, newestDay]);
}

/** What holds made-up rows of a kind, or is derived from them by day. */
const SAMPLE_ROWS = {
  prices: [DELETE_PRICES, DELETE_PRICE_DAYS, DELETE_EV_HISTORY],
  'price-history': [DELETE_PRICE_HISTORY],
  sales: [DELETE_SALE_VOLUMES],
} satisfies Partial<Record<MarketKind, string[]>>;

/** Removes the made-up rows of a kind, which must not stand beside real ones. Gives whether there were any. */
export async function endSamples(
  tx: Database,
  kind: keyof typeof SAMPLE_ROWS,
  source: ImportSource,
): Promise<boolean> {
  // The history of made-up prices is made up, until it is imported on its own.
  const loaded =
    (await marketDataOf(tx, kind)) ??
    (kind === 'price-history' ? await marketDataOf(tx, 'prices') : undefined);
  if (source.isSample || !loaded?.isSample) return false;
  for (const statement of SAMPLE_ROWS[kind]) await tx.query(statement);
  return true;
}
