import type { Database } from '../../db/client.ts';
import {
  INSERT_PAST,
  INSERT_PAST_EVS,
  PRICES_WITHOUT_PAST,
  type PriceWithoutPast,
} from '../../db/queries/sample-past.ts';
import { yearOf } from '../../domain/dates.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import type { Rows } from '../../importers/import-file.ts';
import { samplePast, samplePastDays } from '../../importers/sample-market.ts';
import { type PriceRecord, type PriceRow, writePrices } from './import.ts';
import { type ImportSource, inOneTransaction, marketDataOf, recordImport } from './import-run.ts';
import { forgetIndexes } from './indexes.ts';
import { noProgress, type Progress } from './progress.ts';

/**
 * Loads made-up prices of a day and of those from `since` on, or from the release of a card's set, so that a first look has something to
 * show. All days `YYYY-MM-DD`.
 *
 * @param releases of the sets, by variant
 */
export function importSamplePrices(
  db: Database,
  rows: Rows<PriceRow>,
  { day, since, releases }: { day: string; since: string; releases: ReadonlyMap<string, string | null> },
  source: ImportSource,
  progress: Progress,
): Promise<void> {
  const days = [...samplePastDays(day, since), day];
  const recordHistory = (tx: Database, records: readonly PriceRecord[]) => {
    const prices = records.flatMap(({ variant_id: variantId, currency, amount }) =>
      amount === null ? [] : [{ variantId, currency, amount, releaseDate: releases.get(variantId) ?? null }],
    );
    return insertPast(tx, prices, days);
  };
  const write = (tx: Database) => writePrices(tx, rows, day, source, progress, recordHistory);
  return inOneTransaction(db, progress, {}, async (tx) => void (await write(tx)), insertPastEvs);
}

/** Gives made-up prices of these variants a past, where they have none: those of an earlier release. */
export async function loadSamplePast(
  db: Database,
  variantIds: readonly string[],
  since: string,
): Promise<void> {
  if (!(await findWithoutPast(db, variantIds))) return;
  let isWritten = false;
  const write = async (tx: Database) => {
    // Again in the turn of the import: real prices may have come meanwhile.
    const found = await findWithoutPast(tx, variantIds);
    isWritten = found !== null;
    if (!found) return;
    const { loaded, newestDay, alone } = found;
    await insertPast(tx, alone, [...samplePastDays(newestDay, since), newestDay]);
    await recordImport(tx, 'prices', loaded, newestDay);
    await forgetIndexes(tx);
  };
  await inOneTransaction(db, noProgress, {}, write, async (tx) => {
    if (isWritten) await insertPastEvs(tx);
  });
}

/** The made-up prices of these variants that have no past, and the day that they are of; null where there are none. */
async function findWithoutPast(db: Database, variantIds: readonly string[]) {
  const loaded = await marketDataOf(db, 'prices');
  if (!loaded?.isSample || !loaded.newestDay) return null;
  const { newestDay } = loaded;
  const params = [PRICE_SOURCE, newestDay, JSON.stringify(variantIds)];
  const alone = await db.query<PriceWithoutPast>(PRICES_WITHOUT_PAST, params);
  return alone.length === 0 ? null : { loaded, newestDay, alone };
}

/** @param days those of the prices, oldest first; the last is the one that they are known of */
async function insertPast(
  tx: Database,
  prices: readonly PriceWithoutPast[],
  days: readonly string[],
): Promise<void> {
  const rows = prices.map(({ variantId, currency, amount, releaseDate }) => {
    const unreleased = days.slice(0, -1).filter((day) => releaseDate !== null && day < releaseDate).length;
    const past = samplePast(variantId, amount, days.length - 1 - unreleased);
    return { variant_id: variantId, currency, since: unreleased + 1, amounts: [...past, amount] };
  });
  await tx.query(INSERT_PAST, [PRICE_SOURCE, JSON.stringify(byYear(days)), JSON.stringify(rows)]);
}

async function insertPastEvs(tx: Database): Promise<void> {
  await tx.query(INSERT_PAST_EVS, [PRICE_SOURCE]);
}

/** Days with their years, and where the days of a year begin and end among all, from 1 on. */
function byYear(days: readonly string[]) {
  return [...new Set(days.map(yearOf))].map((year) => {
    const first = days.findIndex((day) => yearOf(day) === year);
    const ofYear = days.filter((day) => yearOf(day) === year);
    return { year, first: first + 1, last: first + ofYear.length, days: ofYear };
  });
}
