import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import { unavailable } from '../db/errors.ts';
import { HELD_EVS, type HeldEvRow } from '../db/queries/evs.ts';
import {
  CATALOGUE_REVISION,
  type CatalogueRevision,
  HELD_ORDER,
  HELD_PRICES,
  HELD_PRODUCTS,
  HELD_RATES,
  HELD_SALES,
  HELD_VARIANTS,
  type HeldPriceRow,
  type HeldRateRow,
  type HeldSalesRow,
  type HeldVariantRow,
  VARIANT_COUNT,
} from '../db/queries/held-catalogue.ts';
import type { ProductRow } from '../db/queries/products.ts';
import { ONE_SNAPSHOT } from '../db/queries/snapshot.ts';
import { CURRENCIES } from '../domain/currencies.ts';
import { inTurns } from '../lib/in-turns.ts';
import { Catalogue, type CatalogueParts, HeldVariants } from './catalogue.ts';
import { type NamedVariant, Names } from './names.ts';
import { Prices, Pricing, Rates } from './pricing.ts';
import { Sales } from './sales.ts';

/** Rows are read in batches, so that others get their turns. */
const BATCH = 1000;

/** The market as a node knows it, as of one revision. */
export interface Market {
  revisions: CatalogueRevision;
  variantCount: number;
  /** Null where there are too many variants. */
  catalogue: Catalogue | null;
}

const MOST_READINGS = 3;

/**
 * What of the market is not as it was in `known`, all of it of one state. Whether there are too many variants is counted with new names.
 *
 * A transaction of the embedded database is all of it, and others would wait, in vain, until the last row is read: there each batch is
 * read by itself, and what was changed meanwhile once more.
 */
export async function readMarket(
  db: Database,
  known: Market | undefined,
  maxVariants: number,
): Promise<Market> {
  if (db.kind === 'postgres') {
    return db.transaction(async (tx) => {
      await tx.query(ONE_SNAPSHOT);
      return readState(tx, await readRevisions(tx), known, maxVariants);
    });
  }
  let revisions = await readRevisions(db);
  let last = known;
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    // What is of two states may not fit together.
    const [market] = await Promise.allSettled([readState(db, revisions, last, maxVariants)]);
    const newest = await readRevisions(db);
    if (isSame(revisions, newest)) {
      if (market.status === 'rejected') throw market.reason;
      return market.value;
    }
    // Parts that have the revision of before they were read are of one state, which is all that is asked of known ones.
    if (market.status === 'fulfilled') last = market.value;
    revisions = newest;
  }
  throw unavailable('The market was changed each time it was read.');
}

async function readState(
  db: Database,
  revisions: CatalogueRevision,
  known: Market | undefined,
  maxVariants: number,
): Promise<Market> {
  const same = known?.revisions.names === revisions.names ? known : undefined;
  const variantCount = same?.variantCount ?? (await countVariants(db));
  if (variantCount > maxVariants) return { revisions, variantCount, catalogue: null };
  const parts = await readParts(db, revisions, same?.catalogue ?? null);
  return { revisions, variantCount, catalogue: new Catalogue(revisions, parts) };
}

export async function readRevisions(db: Database): Promise<CatalogueRevision> {
  const [revisions] = await db.hot<CatalogueRevision>(CATALOGUE_REVISION);
  return revisions!;
}

export function isSame(a: CatalogueRevision, b: CatalogueRevision): boolean {
  return (Object.keys(a) as (keyof CatalogueRevision)[]).every((name) => a[name] === b[name]);
}

async function countVariants(db: Database): Promise<number> {
  const [size] = await db.query<{ count: number }>(VARIANT_COUNT);
  return size!.count;
}

/** @param known a catalogue of the same names */
async function readParts(
  db: Database,
  revisions: CatalogueRevision,
  known: Catalogue | null,
): Promise<CatalogueParts> {
  const unchanged = (part: 'prices' | 'rates' | 'sales' | 'evs') =>
    known?.revisions[part] === revisions[part] ? known.parts : undefined;
  const names = known?.parts.names ?? (await readNames(db));
  const prices = unchanged('prices')?.pricing.prices ?? (await readPrices(db, names));
  const sales = unchanged('sales')?.sales ?? (await readSales(db, names, revisions.newestSalesDay));
  return {
    names,
    pricing:
      (unchanged('rates') && unchanged('prices'))?.pricing ??
      // Rates are those from the currencies of the prices.
      new Pricing(names.variantCount, prices, await readRates(db)),
    sales,
    variants: unchanged('sales')?.variants ?? new HeldVariants(names, sales),
    evs: unchanged('evs')?.evs ?? (await db.query<HeldEvRow>(HELD_EVS)).map(internedTexts()),
  };
}

async function readNames(db: Database): Promise<Names> {
  const names = new Names(await readProducts(db));
  const same = internedTexts();
  for await (const variants of batchesOf<HeldVariantRow>(db, HELD_VARIANTS)) {
    for (const variant of variants) names.addVariant(same(variant));
  }
  const [order] = await db.query<{ ids: string | null }>(HELD_ORDER);
  await inTurns(names.arrange(order!.ids ?? ''));
  return names;
}

export async function readProducts(db: Database): Promise<Map<string, ProductRow>> {
  const products = new Map<string, ProductRow>();
  const same = internedTexts();
  for await (const rows of batchesOf<ProductRow>(db, HELD_PRODUCTS)) {
    for (const row of rows) products.set(row.id, same(row));
  }
  return products;
}

async function readPrices(db: Database, names: Names): Promise<Prices> {
  const prices = new Prices();
  const same = internedTexts();
  for await (const [{ place }, row] of rowsOfVariants<HeldPriceRow>(db, HELD_PRICES, names)) {
    const { source, currency, amount } = same(row);
    prices.add(place, source, currency, amount);
  }
  return prices;
}

async function readSales(db: Database, names: Names, newestDay: string | null): Promise<Sales> {
  const sales = new Sales(names.variantCount, newestDay);
  const same = internedTexts();
  for await (const [{ place }, row] of rowsOfVariants<HeldSalesRow>(db, HELD_SALES, names)) {
    sales.add(place, same(row));
  }
  return sales;
}

async function readRates(db: Database): Promise<Rates> {
  const rates = new Rates();
  for (const { from, to, rate } of await db.query<HeldRateRow>(HELD_RATES, [JSON.stringify(CURRENCIES)])) {
    if (rate !== null) rates.add(from, to, rate);
  }
  return rates;
}

/** The rows of a statement that gives a batch after an id. */
export async function* batchesOf<Row extends { id: string }>(
  db: Database,
  text: string,
): AsyncGenerator<Row[]> {
  for (let after = ''; ; ) {
    const rows = await db.query<Row>(text, [after, BATCH]);
    const last = rows.at(-1);
    yield rows;
    // PGlite answers without a turn of the event loop, and all others would wait for the whole.
    await turn();
    if (!last || rows.length < BATCH) return;
    after = last.id;
  }
}

/** The rows of a statement that gives those of a range of variants, each with its variant. */
async function* rowsOfVariants<Row extends { variantId: string }>(
  db: Database,
  text: string,
  names: Names,
): AsyncGenerator<[NamedVariant, Row]> {
  const ids = names.variantIds();
  for (let start = 0; start < ids.length; start += BATCH) {
    const last = ids[Math.min(start + BATCH, ids.length) - 1]!;
    for (const row of await db.query<Row>(text, [ids[start - 1] ?? '', last])) {
      const variant = names.variant(row.variantId);
      if (variant) yield [variant, row];
    }
    await turn();
  }
}

/** Most texts of a catalogue are the same few: classes, names of sets and variants, prices. */
function internedTexts(): <Row extends object>(row: Row) => Row {
  const known = new Map<string, string>();
  return (row) => {
    const values = row as Record<string, unknown>;
    for (const name in values) {
      const value = values[name];
      if (typeof value !== 'string' || value.length > 40) continue;
      const text = known.get(value);
      if (text === undefined) known.set(value, value);
      else values[name] = text;
    }
    return row;
  };
}
