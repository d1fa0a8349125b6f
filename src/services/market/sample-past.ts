import type { Database } from '../../db/client.ts';
import { PRICE_HISTORY_AROUND, type PriceHistoryRow, UPSERT_PRICE_YEARS } from '../../db/queries/prices.ts';
import { yearOf } from '../../domain/dates.ts';
import { samplePast } from '../../importers/sample-market.ts';
import { upsertRows } from './batches.ts';
import { PRICE_SOURCE } from './import.ts';
import { inOneTransaction, marketDataOf, recordImport } from './import-run.ts';
import { forgetIndexes } from './indexes.ts';
import { noProgress } from './progress.ts';

/**
 * Gives variants made-up prices from `since` (`YYYY-MM-DD`) to the newest ones, so that a first look has something to show. Does
 * nothing where those are real. They go with the other sample prices.
 */
export async function loadSamplePast(
  db: Database,
  variantIds: readonly string[],
  since: string,
): Promise<void> {
  await inOneTransaction(db, noProgress, {}, async (tx) => {
    const loaded = await marketDataOf(tx, 'prices');
    if (!loaded?.isSample || !loaded.newestDay) return;
    const year = yearOf(loaded.newestDay);
    const ranges = variantIds.map((id) => ({
      variant_id: id,
      source: PRICE_SOURCE,
      first: year,
      last: year,
    }));
    const newest = await tx.query<PriceHistoryRow>(PRICE_HISTORY_AROUND, [JSON.stringify(ranges)]);
    const stepsOf = (id: string) => newest.filter(({ variantId }) => variantId === id).length;
    // What has a past already keeps it.
    const alone = newest.filter(({ variantId }) => stepsOf(variantId) === 1);
    const years = alone.flatMap((price) => yearsSince(since, price));
    await upsertRows(tx, UPSERT_PRICE_YEARS, years);
    await recordImport(tx, 'prices', loaded, loaded.newestDay);
    await forgetIndexes(tx);
  });
}

/** The years of a price and of those before it, as the table has them. */
function yearsSince(since: string, { variantId, day, currency, amount }: PriceHistoryRow) {
  if (amount === null) return [];
  const steps = [...samplePast(variantId, amount, day, since), { day, amount }];
  return [...new Set(steps.map((step) => yearOf(step.day)))].map((year) => {
    const inYear = steps.filter((step) => yearOf(step.day) === year);
    return {
      variant_id: variantId,
      source: PRICE_SOURCE,
      year,
      days: inYear.map((step) => step.day),
      currencies: inYear.map(() => currency),
      amounts: inYear.map((step) => step.amount),
    };
  });
}
