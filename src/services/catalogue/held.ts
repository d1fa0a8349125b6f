import { setImmediate as turn } from 'node:timers/promises';
import type { Database, OpenDatabase, StopListening } from '../../db/client.ts';
import { HELD_EVS, type HeldEvRow } from '../../db/queries/evs.ts';
import {
  CATALOGUE_REVISION,
  type CatalogueRevision,
  HELD_ORDER,
  HELD_PRICES,
  HELD_PRODUCTS,
  HELD_RATES,
  HELD_VARIANTS,
  type HeldPriceRow,
  type HeldRateRow,
  type HeldVariantRow,
  VARIANT_COUNT,
} from '../../db/queries/held-catalogue.ts';
import { CURRENCIES } from '../../domain/currencies.ts';
import type { Context } from '../context.ts';
import type { Product } from '../products/model.ts';
import { Catalogue } from './catalogue.ts';

/**
 * The catalogue of each node, in memory. It is used for a second from the moment at which the database was last seen
 * to have no newer one: so no answer is made of prices that were replaced more than a second ago, whatever becomes of
 * notifications, which only make it quicker. While a newer one is read, and where there is none, statements are sent.
 */
const TRUSTED_MILLIS = 1000;

/** From this age on the database is asked again, beside the requests. */
const CHECKED_AFTER_MILLIS = 300;

/** What has more is not held: at some 1.5 kB each, products and search included, this is 400 MB. */
const MAX_VARIANTS = 250_000;

/** Rows are read in batches, so that others get their turns. */
const BATCH = 1000;

/** Where nodes tell each other that the market has changed. */
export const MARKET_CHANNEL = 'market';

/** Who reads. */
type Reader = Pick<Context, 'db' | 'now'>;

interface Holder {
  /** Undefined before the first reading, for which readers wait; null where statements are to serve in its place. */
  catalogue: Catalogue | null | undefined;
  /** When the database was last seen to have nothing newer. */
  confirmedAtMillis: number;
  /** By this process: what was begun before the last one confirms nothing. */
  changes: number;
  checking: Promise<void> | undefined;
  reading: Promise<void> | undefined;
}

const holders = new WeakMap<object, Holder>();

function holderOf({ identity }: Database): Holder {
  let holder = holders.get(identity);
  if (!holder) {
    holder = {
      catalogue: undefined,
      confirmedAtMillis: -Infinity,
      changes: 0,
      checking: undefined,
      reading: undefined,
    };
    holders.set(identity, holder);
  }
  return holder;
}

/** The catalogue where it is at hand and not too old, or null. Never sends a statement. */
export function catalogueAtHand({ db, now }: Reader): Catalogue | null {
  if (db.isTransaction) return null;
  const holder = holderOf(db);
  return ageOf(holder, now) < TRUSTED_MILLIS ? (holder.catalogue ?? null) : null;
}

/** The catalogue where it can be had without much waiting, or null: then what is needed is to be asked of the database. */
export async function heldCatalogue(ctx: Reader): Promise<Catalogue | null> {
  const wait = untilChecked(ctx);
  if (wait) await wait;
  return catalogueAtHand(ctx);
}

/** What is held of each id, or else what `load` finds for those that are not. */
export async function heldOr<T>(
  ids: readonly string[],
  held: (id: string) => T | undefined,
  load: (missing: readonly string[]) => Promise<(id: string) => T>,
): Promise<T[]> {
  const found = ids.map(held);
  const missing = [...new Set(ids.filter((_, i) => found[i] === undefined))];
  if (missing.length === 0) return found as T[];
  const loaded = await load(missing);
  return found.map((value, i) => (value === undefined ? loaded(ids[i]!) : value));
}

/** Sees to it that the catalogue is checked in time; what is to be waited for before it can be used, if anything. */
export function untilChecked(ctx: Reader): Promise<void> | undefined {
  if (ctx.db.isTransaction) return undefined;
  const holder = holderOf(ctx.db);
  const age = ageOf(holder, ctx.now);
  // While a newer one is read, nobody waits: what is needed is asked of the database.
  if (age < CHECKED_AFTER_MILLIS || (holder.reading && holder.catalogue !== undefined)) return undefined;
  const checked = check(holder, ctx);
  return age < TRUSTED_MILLIS ? undefined : checked;
}

/** For the process that has changed the market: the next reader sees it. All others are told. */
export function marketChanged(db: Database): void {
  const holder = holderOf(db);
  holder.confirmedAtMillis = -Infinity;
  holder.changes++;
  db.notify(MARKET_CHANNEL, 'changed');
}

/** Reads the catalogue beside the requests, which do not wait for it, and again as soon as a node says that it has changed. */
export function keepCatalogue(db: OpenDatabase, now: () => Date): StopListening {
  const holder = holderOf(db);
  holder.catalogue ??= null;
  const look = () => void check(holder, { db, now });
  look();
  return db.listen(MARKET_CHANNEL, look, look);
}

/** The distance, since the clock may have been set back. */
function ageOf({ confirmedAtMillis }: Holder, now: () => Date): number {
  return Math.abs(now().getTime() - confirmedAtMillis);
}

/** Never fails: where the database cannot be asked, the catalogue grows too old to be used. */
function check(holder: Holder, ctx: Reader): Promise<void> {
  holder.checking ??= confirmed(holder, ctx)
    .catch(() => {})
    .finally(() => {
      holder.checking = undefined;
    });
  return holder.checking;
}

async function confirmed(holder: Holder, { db, now }: Reader): Promise<void> {
  const confirm = confirmation(holder, now);
  const [newest] = await db.hot<CatalogueRevision>(CATALOGUE_REVISION);
  if (holder.catalogue?.revision === newest!.revision) {
    confirm();
    return;
  }
  holder.reading ??= renew(holder, db, now).finally(() => {
    holder.reading = undefined;
  });
  // Only who comes first waits for the reading; later the old one serves until it is too old, and then statements do.
  if (holder.catalogue === undefined) await holder.reading;
  else holder.reading.catch(() => {});
}

async function renew(holder: Holder, db: Database, now: () => Date): Promise<void> {
  const confirm = confirmation(holder, now);
  holder.catalogue = await readCatalogue(db);
  confirm();
}

/** For what is asked of the database from now on. */
function confirmation(holder: Holder, now: () => Date): () => void {
  const atMillis = now().getTime();
  const { changes } = holder;
  return () => {
    if (holder.changes === changes) holder.confirmedAtMillis = atMillis;
  };
}

/** All of it from one snapshot of the database; null where it has too many variants. */
export function readCatalogue(db: Database, maxVariants = MAX_VARIANTS): Promise<Catalogue | null> {
  return db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const [size] = await tx.query<{ count: number }>(VARIANT_COUNT);
    if (size!.count > maxVariants) return null;
    const [revision] = await tx.query<CatalogueRevision>(CATALOGUE_REVISION);
    const catalogue = new Catalogue(revision!);
    const same = internedTexts();
    for await (const products of batchesOf<Product>(tx, HELD_PRODUCTS)) {
      for (const product of products) catalogue.addProduct(same(product));
    }
    const positions = new Map<string, number>();
    for await (const variants of batchesOf<HeldVariantRow>(tx, HELD_VARIANTS)) {
      for (const variant of variants) {
        positions.set(variant.id, variant.position);
        catalogue.addVariant(same(variant), revision!.newestSalesDay ?? variant.through);
      }
    }
    catalogue.arrange(positions);
    for await (const prices of batchesOf<HeldPriceRow>(tx, HELD_PRICES, [...positions.keys()])) {
      for (const { variantId, source, currency, amount } of prices.map(same)) {
        catalogue.addPrice(variantId, source, currency, amount);
      }
    }
    const ordered = await tx.query<{ id: string }>(HELD_ORDER);
    catalogue.rank(ordered.map(({ id }) => id));
    for (const { from, to, rate } of await tx.query<HeldRateRow>(HELD_RATES, [JSON.stringify(CURRENCIES)])) {
      if (rate !== null) catalogue.addRate(from, to, rate);
    }
    for (const ev of await tx.query<HeldEvRow>(HELD_EVS)) catalogue.addEv(same(ev));
    return catalogue;
  });
}

/** The rows of a statement that gives a batch after an id; `ids` are those that it counts, where they are not its rows'. */
async function* batchesOf<Row extends { id: string } | { variantId: string }>(
  tx: Database,
  text: string,
  ids?: readonly string[],
): AsyncGenerator<Row[]> {
  let after = '';
  for (let start = 0; ; start += BATCH) {
    const rows = await tx.query<Row>(text, [after, BATCH]);
    yield rows;
    // PGlite answers without a turn of the event loop, and all others would wait for the whole.
    await turn();
    const last = ids
      ? ids[start + BATCH - 1]
      : rows.length === BATCH
        ? (rows.at(-1) as { id: string }).id
        : undefined;
    if (last === undefined) return;
    after = last;
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
