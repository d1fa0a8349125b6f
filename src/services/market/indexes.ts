import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../db/client.ts';
import { RECORD_IMPORT } from '../../db/queries/market-data.ts';
import {
  DELETE_INDEX_DAYS,
  INDEX_STATE,
  INDEXED_VARIANTS,
  INSERT_INDEX_DAYS,
  type IndexedVariantRow,
  type IndexStateRow,
} from '../../db/queries/market-index.ts';
import { hasPrices, PRICES_OF_DAYS, type PriceYearRow } from '../../db/queries/prices.ts';
import { dateOfDay, dayNumber } from '../../domain/dates.ts';
import { fixedText } from '../../domain/fixed-point.ts';
import { IndexSums } from '../../domain/index-sums.ts';
import { PRICE_SOURCES } from '../../domain/inputs.ts';
import type { IndexScope } from '../../domain/market-index.ts';
import { PriceChanges, type PriceYear } from '../../domain/price-changes.ts';
import { inTurns } from '../../lib/in-turns.ts';

/** Days of prices that are read together: so many of one variant, or some of each of many. */
const PRICE_DAYS_AT_ONCE = 100_000;
const VARIANTS_AT_ONCE = 1000;
/** Rows that are written together. */
const ROWS_AT_ONCE = 500;

/** The days that are made, `YYYY-MM-DD`. */
interface Span {
  since: string;
  last: string;
}

/**
 * Sums the history of prices up for the indexes of all sets, of all rarities and of the game, where an import has changed what they are
 * made of: of a day's prices from the newest day before on, of all else from the first. Called with each import, so
 * that reads never go through the history.
 */
export async function recomputeIndexes(tx: Database): Promise<void> {
  const [state] = await tx.query<IndexStateRow>(INDEX_STATE);
  const { made, now, newestDay, isSample, firstYear, lastYear } = state!;
  if (made === now) return;
  const since = goesOnFrom(state!);
  await tx.query(DELETE_INDEX_DAYS, [since ?? '-infinity']);
  if (firstYear !== null) {
    const span = { since: since ?? `${firstYear}-01-01`, last: `${lastYear}-12-31` };
    for (const source of PRICE_SOURCES) await writeDays(tx, source, await sumUp(tx, source, span));
  }
  await tx.query(RECORD_IMPORT, ['market-index', now, isSample, newestDay]);
}

/** Has the indexes made anew by the end of the import, as days before the newest have other prices. */
export async function forgetIndexes(tx: Database): Promise<void> {
  await tx.query(RECORD_IMPORT, ['market-index', '', false, null]);
}

/** The first day whose prices may be others by now; null for all of them. */
function goesOnFrom({ made, now, through }: IndexStateRow): string | null {
  const allButPrices = (version: string) => version.slice(version.indexOf(' '));
  return made !== null && allButPrices(made) === allButPrices(now) ? through : null;
}

type Sums = Map<IndexScope, Map<string, IndexSums>>;

async function sumUp(tx: Database, source: string, span: Span): Promise<Sums> {
  const opening = dayNumber(span.since) - 1;
  const last = dayNumber(span.last);
  const size = Math.max(1, Math.min(VARIANTS_AT_ONCE, Math.floor(PRICE_DAYS_AT_ONCE / (last - opening))));
  const sums: Sums = new Map();
  for (let after = ''; ; ) {
    const variants = await tx.query<IndexedVariantRow>(INDEXED_VARIANTS, [after, size]);
    const ids = JSON.stringify(variants.map(({ id }) => id));
    const params = [ids, source, dateOfDay(opening), span.last];
    const rows = await tx.query<PriceYearRow>(PRICES_OF_DAYS, params);
    await inTurns(added(sums, variants, rows.filter(hasPrices), () => new IndexSums(opening, last)));
    // PGlite answers without a turn of the event loop.
    await nextTurn();
    if (variants.length < size) return sums;
    after = variants.at(-1)!.id;
  }
}

function* added(
  sums: Sums,
  variants: readonly IndexedVariantRow[],
  years: readonly PriceYear[],
  create: () => IndexSums,
): Generator<void, void, void> {
  const prices = new PriceChanges();
  let row = 0;
  for (const { id, setCode, rarity } of variants) {
    prices.clear();
    for (; years[row]?.variantId === id; row++) prices.add(years[row]!);
    if (prices.count === 0) continue;
    const indexes: [IndexScope, string | null][] = [
      ['All', ''],
      ['Set', setCode],
      ['Rarity', rarity],
    ];
    for (const [scope, key] of indexes) if (key !== null) sumsOf(sums, scope, key, create).add(prices);
    yield;
  }
}

function sumsOf(sums: Sums, scope: IndexScope, key: string, create: () => IndexSums): IndexSums {
  const ofScope = sums.get(scope) ?? new Map<string, IndexSums>();
  sums.set(scope, ofScope);
  const known = ofScope.get(key) ?? create();
  ofScope.set(key, known);
  return known;
}

async function writeDays(tx: Database, source: string, sums: Sums): Promise<void> {
  let rows: object[] = [];
  const flush = async () => {
    if (rows.length > 0) await tx.query(INSERT_INDEX_DAYS, [JSON.stringify(rows)]);
    rows = [];
    await nextTurn();
  };
  for (const [scope, ofScope] of sums) {
    for (const [key, ofKey] of ofScope) {
      for (const { day, total, entered, departed, ...counts } of ofKey.changes()) {
        rows.push({
          source,
          scope,
          key,
          day: dateOfDay(day),
          currency: counts.currency,
          total: fixedText(total),
          priced: counts.priced,
          entered: fixedText(entered),
          entered_count: counts.enteredCount,
          departed: fixedText(departed),
          departed_count: counts.departedCount,
          log_growth: counts.logGrowth,
        });
        if (rows.length === ROWS_AT_ONCE) await flush();
      }
    }
  }
  await flush();
}
