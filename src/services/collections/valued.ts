import {
  COLLECTIONS_BY_ID,
  type CollectionRow,
  type CollectionSource,
} from '../../db/queries/collections.ts';
import { type FreshValueRow, VALUES_OF_FEW, VALUES_OF_MANY } from '../../db/queries/valuation.ts';
import { PRICE_SOURCE } from '../../domain/inputs.ts';
import { difference, RATIO_DECIMALS, ratioOf } from '../../domain/money.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Parts } from '../../lib/parts.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import type { HeldLedger, LedgerValue } from '../../memory/ledgers.ts';
import { heldCatalogue, memoryOf } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { FEW, keptLedgers, type LedgerState, ledgersOf } from '../summaries/ledgers.ts';
import { type MadeValues, storeBehind, storeValues, untilStored } from './store-values.ts';

/** How often what is stored is looked at before what is worth now is summed up for an answer alone. */
const ATTEMPTS = 2;

/** A collection whose value is of older prices than those that were the newest when it was read. */
export interface StaleLedger extends LedgerState {
  pricingRevision: number;
}

/** The stale ones; `all` where rows follow from what all collections of the account are worth, `unknown` where they do not tell whether one is stale. */
type Stale = readonly StaleLedger[] | 'all' | 'unknown';

/** What it is worth in the state that it was read in, by the prices that were the newest then; undefined where that is not known. */
export type WorthOf = (stale: StaleLedger) => LedgerValue | undefined;

/**
 * Reads rows with market values of collections, which are kept until the next import: where one of them is of an older
 * market, the collections concerned are valued afresh, which is what is shown, and stored for the readers to come.
 *
 * @param withValues the rows with values of the stale ones; null where one is not known
 */
export async function readValued<Rows>(
  ctx: Context,
  read: (source: CollectionSource) => Promise<Rows>,
  staleOf: (rows: Rows) => Stale,
  withValues: (rows: Rows, worthOf: WorthOf) => Rows | null,
): Promise<Rows> {
  // A transaction reads what is there: it is not to write for a reader.
  if (ctx.db.isTransaction) return read('valued');
  let isAllStored = false;
  const isRight = (stale: Stale) => (stale === 'unknown' ? isAllStored : stale.length === 0);
  // What somebody writes meanwhile is in another state by then.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const rows = await read('stored');
    const stale = staleOf(rows);
    if (isRight(stale)) return rows;
    if (stale === 'all' || stale === 'unknown') {
      isAllStored = await revalue(ctx, 'all');
      continue;
    }
    const whole = withValues(rows, await valuesOf(ctx, stale));
    if (whole) return whole;
  }
  const rows = await read('stored');
  return isRight(staleOf(rows)) ? rows : read('valued');
}

/**
 * A collection with a value that is stored: its revision is that of what it shows. It has none where the value could not be stored, as
 * somebody writes it at the moment, or this is a transaction. Undefined where there is no such collection.
 */
export async function readStored(ctx: Context, id: string): Promise<CollectionRow | undefined> {
  const params = [ctx.caller.accountId, JSON.stringify([id])];
  const read = async (source: CollectionSource) =>
    (await ctx.db[wayOf(source)]<CollectionRow>(COLLECTIONS_BY_ID[source], params))[0];
  if (!ctx.db.isTransaction) {
    const foreseen = await storedAtOnce(ctx, id);
    if (foreseen) return foreseen;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = await read('stored');
      if (!row) return undefined;
      if (!isStale(row)) {
        memoryOf(ctx.db).ledgers.storedAt.set(id, row.marketRevision);
        return row;
      }
      const made = (await valuesInMemory(ctx, staleOf([row]))) ?? (await valuesByStatement(ctx, [id]));
      const [stored] = await storeValues(ctx, made);
      if (stored) return stored;
      // What is stored behind an answer may be what had the row.
      await untilStored(ctx);
    }
  }
  const row = await read('stored');
  if (!row || !isStale(row)) return row;
  memoryOf(ctx.db).ledgers.storedAt.delete(id);
  const valued = await read('valued');
  return valued && { ...valued, revision: undefined };
}

/**
 * The same without looking at what is stored, which must be stale, as it was stored at older prices by the ledger that is kept.
 * Undefined where it is not, or all is other than it was.
 */
async function storedAtOnce(ctx: Context, id: string): Promise<CollectionRow | undefined> {
  const catalogue = await heldCatalogue(ctx);
  const { ledgers } = memoryOf(ctx.db);
  const [ledger, storedAt] = [ledgers.get(id), ledgers.storedAt.get(id)];
  if (!catalogue || !ledger || storedAt === undefined || storedAt === catalogue.pricingRevision)
    return undefined;
  // By an id alone it may be anybody's.
  if (ledger.accountId !== ctx.caller.accountId) return undefined;
  // Tried once.
  ledgers.storedAt.delete(id);
  const { state: ledgerState } = ledger;
  const made = await valuesInMemory(ctx, [{ id, ledgerState, pricingRevision: catalogue.pricingRevision }]);
  return made ? (await storeValues(ctx, made))[0] : undefined;
}

/** Whether its value was seen stored by the newest prices that this node knows of. It may have been written to since. */
export async function isSeenStored(ctx: Context, id: string): Promise<boolean> {
  const catalogue = await heldCatalogue(ctx);
  return catalogue !== null && memoryOf(ctx.db).ledgers.storedAt.get(id) === catalogue.pricingRevision;
}

/** How the statement on the source is sent: what is worth now is summed up of all that is held. */
export function wayOf(source: CollectionSource): 'hot' | 'query' {
  return source === 'stored' ? 'hot' : 'query';
}

export function isStale({ marketRevision, pricingRevision }: CollectionRow): boolean {
  return marketRevision !== pricingRevision;
}

export function staleOf(rows: readonly CollectionRow[]): StaleLedger[] {
  return rows
    .filter(isStale)
    .map(({ id, ledgerState, pricingRevision }) => ({ id, ledgerState: ledgerState!, pricingRevision }));
}

/** With what the stale ones are worth; null where that of one is not known. */
export function withValues(rows: readonly CollectionRow[], worthOf: WorthOf): CollectionRow[] | null {
  const values = new Map(staleOf(rows).map((stale) => [stale.id, worthOf(stale)]));
  if ([...values.values()].includes(undefined)) return null;
  return rows.map((row) => {
    const value = values.get(row.id);
    return value
      ? { ...row, ...value, percentageGain: percentageGainOf(value), marketRevision: row.pricingRevision }
      : row;
  });
}

/** As `PERCENTAGE_GAIN` of db/queries/valuation.ts has it. */
export function percentageGainOf({
  marketValue,
  gain,
  unknownCostValue,
}: Pick<LedgerValue, 'marketValue' | 'gain' | 'unknownCostValue'>): string | null {
  const ratio = ratioOf(gain, difference(difference(marketValue, unknownCostValue), gain));
  if (ratio === null) return null;
  // To the last digit, as it is in cursors.
  const [whole, fraction = ''] = ratio.split('.');
  return `${whole}.${fraction.padEnd(RATIO_DECIMALS, '0')}`;
}

/**
 * Values stale collections of the caller afresh, stores that, and tells those who follow them. Gives whether all of them are stored: not
 * those that somebody writes at the moment.
 */
export async function revalue(ctx: Context, ids: readonly string[] | 'all'): Promise<boolean> {
  const made = await valuesByStatement(ctx, ids);
  return (await storeValues(ctx, made)).length === made.values.length;
}

/** What was made in memory is stored behind the answer, since it is made again in no time; what took a statement, before it. */
async function valuesOf(ctx: Context, stale: readonly StaleLedger[]): Promise<WorthOf> {
  const inMemory = await valuesInMemory(ctx, stale);
  if (inMemory) storeBehind(ctx, inMemory);
  const made =
    inMemory ??
    (await valuesByStatement(
      ctx,
      stale.map(({ id }) => id),
    ));
  if (!inMemory) await storeValues(ctx, made);
  const values = new Map(made.values.map(({ id, state, ...value }) => [id, { state, value }]));
  return ({ id, ledgerState, pricingRevision }) => {
    const known = values.get(id);
    const isOfBoth = known?.state === ledgerState && made.pricingRevision === pricingRevision;
    return isOfBoth ? known.value : undefined;
  };
}

async function valuesByStatement(ctx: Context, ids: readonly string[] | 'all'): Promise<MadeValues> {
  const isMany = ids === 'all' || ids.length > FEW;
  const params = [ctx.caller.accountId, ids === 'all' ? null : JSON.stringify(ids)];
  const text = isMany ? VALUES_OF_MANY : VALUES_OF_FEW;
  const rows = await ctx.db.query<FreshValueRow>(text, params, { varies: isMany });
  const values = rows.map(({ pricingRevision: _, ...value }) => value);
  return { pricingRevision: rows[0]?.pricingRevision ?? 0, values };
}

/** The same by ledgers and prices in memory; null where one of them is not at hand, or the prices are others. */
async function valuesInMemory(ctx: Context, stale: readonly StaleLedger[]): Promise<MadeValues | null> {
  const catalogue = await heldCatalogue(ctx);
  if (!catalogue || stale.some(({ pricingRevision }) => pricingRevision !== catalogue.pricingRevision))
    return null;
  const ledgers = keptLedgers(ctx, stale);
  const others = stale.filter(({ id }) => !ledgers.has(id)).map(({ id }) => id);
  if (others.length > FEW) return null;
  if (others.length > 0) {
    for (const [id, ledger] of await ledgersOf(ctx, others, stale.length)) ledgers.set(id, ledger);
  }
  // To its end, whoever leaves: it is stored, for those who ask next.
  const values = await inTurns(ledgerValues(stale, ledgers, catalogue), ctx.work);
  return values && { pricingRevision: catalogue.pricingRevision, values };
}

/** Others have their turns between two collections, since an account may have many. */
function* ledgerValues(
  stale: readonly LedgerState[],
  ledgers: ReadonlyMap<string, HeldLedger | null>,
  catalogue: Catalogue,
): Parts<MadeValues['values'] | null> {
  const values: MadeValues['values'][number][] = [];
  for (const { id } of stale) {
    const ledger = ledgers.get(id);
    const value = ledger && (yield* ledger.value({ catalogue, priceSource: PRICE_SOURCE }));
    if (!value) return null;
    values.push({ id, state: ledger!.state, ...value });
    yield;
  }
  return values;
}
