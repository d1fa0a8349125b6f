import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
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
import { Catalogue, type CatalogueParts } from './catalogue.ts';
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

/** From one snapshot of the database: what is not as it was in `known`. Whether there are too many variants is counted with new names. */
export function readMarket(db: Database, known: Market | undefined, maxVariants: number): Promise<Market> {
  return db.transaction(async (tx) => {
    await tx.query(ONE_SNAPSHOT);
    const revisions = await readRevisions(tx);
    const same = known?.revisions.names === revisions.names ? known : undefined;
    const variantCount = same?.variantCount ?? (await countVariants(tx));
    if (variantCount > maxVariants) return { revisions, variantCount, catalogue: null };
    const parts = await readParts(tx, revisions, same?.catalogue ?? null);
    return { revisions, variantCount, catalogue: new Catalogue(revisions, parts) };
  });
}

export async function readRevisions(db: Database): Promise<CatalogueRevision> {
  const [revisions] = await db.hot<CatalogueRevision>(CATALOGUE_REVISION);
  return revisions!;
}

export function isSame(a: CatalogueRevision, b: CatalogueRevision): boolean {
  return (Object.keys(a) as (keyof CatalogueRevision)[]).every((name) => a[name] === b[name]);
}

async function countVariants(tx: Database): Promise<number> {
  const [size] = await tx.query<{ count: number }>(VARIANT_COUNT);
  return size!.count;
}

/** @param known a catalogue of the same names */
async function readParts(
  tx: Database,
  revisions: CatalogueRevision,
  known: Catalogue | null,
): Promise<CatalogueParts> {
  const unchanged = (part: 'prices' | 'rates' | 'sales' | 'evs') =>
    known?.revisions[part] === revisions[part] ? known.parts : undefined;
  const names = known?.parts.names ?? (await readNames(tx));
  const prices = unchanged('prices')?.pricing.prices ?? (await readPrices(tx, names));
  return {
    names,
    pricing:
      (unchanged('rates') && unchanged('prices'))?.pricing ??
      // Rates are those from the currencies of the prices.
      new Pricing(names.variantCount, prices, await readRates(tx)),
    sales: unchanged('sales')?.sales ?? (await readSales(tx, names, revisions.newestSalesDay)),
    evs: unchanged('evs')?.evs ?? (await tx.query<HeldEvRow>(HELD_EVS)).map(internedTexts()),
  };
}

async function readNames(tx: Database): Promise<Names> {
  const names = new Names(await readProducts(tx));
  const same = internedTexts();
  for await (const variants of batchesOf<HeldVariantRow>(tx, HELD_VARIANTS)) {
    for (const variant of variants) names.addVariant(same(variant));
  }
  const [order] = await tx.query<{ ids: string | null }>(HELD_ORDER);
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

async function readPrices(tx: Database, names: Names): Promise<Prices> {
  const prices = new Prices();
  const same = internedTexts();
  for await (const [{ place }, row] of rowsOfVariants<HeldPriceRow>(tx, HELD_PRICES, names)) {
    const { source, currency, amount } = same(row);
    prices.add(place, source, currency, amount);
  }
  return prices;
}

async function readSales(tx: Database, names: Names, newestDay: string | null): Promise<Sales> {
  const sales = new Sales(names.variantCount, newestDay);
  const same = internedTexts();
  for await (const [{ place }, row] of rowsOfVariants<HeldSalesRow>(tx, HELD_SALES, names)) {
    sales.add(place, same(row));
  }
  return sales;
}

async function readRates(tx: Database): Promise<Rates> {
  const rates = new Rates();
  for (const { from, to, rate } of await tx.query<HeldRateRow>(HELD_RATES, [JSON.stringify(CURRENCIES)])) {
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
  tx: Database,
  text: string,
  names: Names,
): AsyncGenerator<[NamedVariant, Row]> {
  const ids = names.variantIds();
  for (let start = 0; start < ids.length; start += BATCH) {
    const last = ids[Math.min(start + BATCH, ids.length) - 1]!;
    for (const row of await tx.query<Row>(text, [ids[start - 1] ?? '', last])) {
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
