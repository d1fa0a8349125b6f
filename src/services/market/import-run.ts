import type { Database } from '../../db/client.ts';
import {
  IS_IMPORT_TURN_FREE,
  MARKET_DATA,
  type MarketDataRow,
  type MarketKind,
  RECORD_IMPORT,
  TAKE_IMPORT_TURN,
} from '../../db/queries/market-data.ts';
import {
  DELETE_PRICE_DAYS,
  DELETE_PRICE_HISTORY,
  DELETE_PRICE_MOVES,
  DELETE_PRICES,
  INSERT_PRICE_MOVES,
} from '../../db/queries/prices.ts';
import { DELETE_SALE_VOLUMES } from '../../db/queries/sale-volumes.ts';
import { DELETE_EV_HISTORY } from '../../db/queries/stored-evs.ts';
import { marketChanged } from '../../memory/memory.ts';
import { recomputeEvs } from './evs.ts';
import { recomputeIndexes } from './indexes.ts';
import type { Progress } from './progress.ts';
import { type OnFailure, settleMarket } from './settle.ts';

/** Where the data comes from, and whether it is made up. */
export interface ImportSource {
  version: string;
  isSample: boolean;
}

export interface ImportOptions {
  /** Does it all, and undoes it. What is done for each account is left out: that is a transaction of its own. */
  dryRun?: boolean;
  /** Told of what fails for accounts after the import, which does not undo it. */
  onFailure?: OnFailure | undefined;
}

/**
 * Runs an import in one database transaction, when no other import is under way, at the end of which the expected values
 * and the market indexes are computed again; then what it leaves to be done for accounts is done.
 *
 * @param last the last of the transaction
 */
export async function inOneTransaction<Result>(
  db: Database,
  progress: Progress,
  { dryRun = false, onFailure }: ImportOptions,
  write: (tx: Database) => Promise<Result>,
  last: (tx: Database) => Promise<unknown> = async () => {},
): Promise<Result> {
  const undo = new Error('the transaction of a dry run is undone');
  let done: { result: Result } | undefined;
  try {
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await takeImportTurn(tx, progress);
      done = { result: await write(tx) };
      await recomputeEvs(tx);
      await recomputeIndexes(tx);
      if (dryRun) throw undo;
      await last(tx);
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  if (!dryRun) {
    marketChanged(db);
    // It is written whatever becomes of this, which servers take up.
    await settleMarket(db, onFailure).catch((error) => onFailure?.(null, error));
  }
  return done!.result;
}

/** To the end of the transaction, nobody else changes the market. */
export async function takeImportTurn(tx: Database, progress: Progress): Promise<void> {
  const [turn] = await tx.query<{ free: boolean }>(IS_IMPORT_TURN_FREE);
  if (turn!.free) return;
  progress('waiting for another import to end', 0, 0);
  await tx.query(TAKE_IMPORT_TURN);
}

/**
 * Throws for data of a day before the newest that is loaded, unless that is made up, and for made-up data where real ones are
 * loaded. In the turn of the import, so that none comes between.
 */
export async function assertNotBefore(
  tx: Database,
  kind: MarketKind,
  day: string,
  { isSample }: ImportSource,
  advice: string,
): Promise<void> {
  const loaded = await marketDataOf(tx, kind);
  if (isSample && loaded && !loaded.isSample)
    throw new Error(`${kind} of ${day} are made up, and real ones are loaded`);
  if (!loaded?.newestDay || (loaded.isSample && !isSample) || day >= loaded.newestDay) return;
  throw new Error(
    `${kind} of ${day} are older than those that are loaded, of ${loaded.newestDay}; ${advice}`,
  );
}

/** What is loaded of a kind. */
export async function marketDataOf(tx: Database, kind: MarketKind): Promise<MarketDataRow | undefined> {
  return (await tx.query<MarketDataRow>(MARKET_DATA)).find((row) => row.kind === kind);
}

/** The newest day of which real prices are known. */
export async function knownThrough(tx: Database): Promise<string | null> {
  const loaded = [await marketDataOf(tx, 'prices'), await marketDataOf(tx, 'price-history')];
  const days = loaded.flatMap((data) => (data && !data.isSample && data.newestDay ? [data.newestDay] : []));
  return days.sort().at(-1) ?? null;
}

export async function recordImport(
  tx: Database,
  kind: MarketKind,
  { version, isSample }: ImportSource,
  newestDay: string | null,
): Promise<void> {
  await tx.query(RECORD_IMPORT, [kind, version, isSample, newestDay]);
  if (kind === 'prices' || kind === 'price-history') await derivePriceMoves(tx);
}

/** After each change of prices and of their history, so that movers never go through it. */
export async function derivePriceMoves(tx: Database): Promise<void> {
  await tx.query(DELETE_PRICE_MOVES);
  await tx.query(INSERT_PRICE_MOVES);
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
