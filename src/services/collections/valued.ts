import type { CollectionRow, CollectionSource } from '../../db/queries/collections.ts';
import {
  type FreshValueRow,
  STORE_VALUES,
  type StoredValueRow,
  VALUES_OF_FEW,
  VALUES_OF_MANY,
} from '../../db/queries/valuation.ts';
import { PRICE_SOURCES } from '../../domain/inputs.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Parts } from '../../lib/parts.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import type { HeldLedger } from '../../memory/ledgers.ts';
import { heldCatalogue, memoryOf } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { FEW, keptLedgers, type LedgerState, ledgersOf } from '../summaries/ledgers.ts';

/** To store what is worth now, before it is summed up for an answer alone. */
const ATTEMPTS = 2;

/**
 * Reads rows with market values of collections, which are kept until the next import: where one of them is of an older
 * market, the collections concerned are valued afresh, and what they are worth then is shown.
 *
 * @param staleOf the stale ones among the rows, or `all` for all collections of the account
 * @param renewed the rows with the values that were just stored; where it is left out or gives null, they are read again
 */
export async function readValued<Rows>(
  ctx: Context,
  read: (source: CollectionSource) => Promise<Rows>,
  staleOf: (rows: Rows) => readonly LedgerState[] | 'all',
  renewed?: (rows: Rows, stored: readonly StoredValueRow[]) => Rows | null,
): Promise<Rows> {
  // A transaction reads what is there: it is not to write for a reader.
  if (ctx.db.isTransaction) return read('valued');
  let rows = await read('stored');
  // What somebody wrote meanwhile is still stale afterwards.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stale = staleOf(rows);
    if (stale.length === 0) return rows;
    const stored =
      (stale !== 'all' && (await revalueInMemory(ctx, stale))) ||
      (await revalue(ctx, stale === 'all' ? stale : stale.map(({ id }) => id)));
    const whole = stale === 'all' ? null : renewed?.(rows, stored);
    if (whole) return whole;
    rows = await read('stored');
  }
  return staleOf(rows).length === 0 ? rows : read('valued');
}

/** How the statement on the source is sent: what is worth now is summed up of all that is held. */
export function wayOf(source: CollectionSource): 'hot' | 'query' {
  return source === 'stored' ? 'hot' : 'query';
}

/** Null where one was written since it was read, or where they would be of two markets. */
export function withStored(
  rows: readonly CollectionRow[],
  stored: readonly StoredValueRow[],
): CollectionRow[] | null {
  const values = new Map(stored.map((value) => [value.id, value]));
  const whole = rows.map((row) => {
    if (!row.isStale) return row;
    const { was, isOther: _, ...value } = values.get(row.id) ?? { was: null };
    return was === row.ledgerState ? { ...row, ...value, isStale: false } : row;
  });
  const isOfOneMarket = new Set(whole.map(({ marketRevision }) => marketRevision)).size <= 1;
  return isOfOneMarket && !whole.some(({ isStale }) => isStale) ? whole : null;
}

/** Values stale collections of the caller afresh, and tells those who follow them. */
export async function revalue(ctx: Context, ids: readonly string[] | 'all'): Promise<StoredValueRow[]> {
  const isMany = ids === 'all' || ids.length > FEW;
  const params = [ctx.caller.accountId, ids === 'all' ? null : JSON.stringify(ids)];
  const text = isMany ? VALUES_OF_MANY : VALUES_OF_FEW;
  const values = await ctx.db.query<FreshValueRow>(text, params, { varies: isMany });
  return values.length === 0 ? [] : store(ctx, values, values[0]!.pricingRevision);
}

/** The same by ledgers and prices in memory; null where one of them is not at hand. */
async function revalueInMemory(
  ctx: Context,
  stale: readonly LedgerState[],
): Promise<StoredValueRow[] | null> {
  const catalogue = await heldCatalogue(ctx);
  if (!catalogue) return null;
  const ledgers = keptLedgers(ctx, stale);
  const others = stale.filter(({ id }) => !ledgers.has(id)).map(({ id }) => id);
  if (others.length > FEW) return null;
  if (others.length > 0) {
    for (const [id, ledger] of await ledgersOf(ctx, others, stale.length)) ledgers.set(id, ledger);
  }
  const values = await inTurns(valuesOf(stale, ledgers, catalogue), ctx.work);
  return values && store(ctx, values, catalogue.pricingRevision);
}

async function store(
  ctx: Context,
  values: readonly StateValue[],
  pricingRevision: number,
): Promise<StoredValueRow[]> {
  const params = [ctx.caller.accountId, JSON.stringify(values), pricingRevision];
  const way = values.length <= FEW ? 'hot' : 'query';
  return told(ctx, await ctx.db[way]<StoredValueRow>(STORE_VALUES, params, { stores: true }));
}

type StateValue = Omit<FreshValueRow, 'pricingRevision'>;

/** Others have their turns between two collections, since an account may have many. */
function* valuesOf(
  stale: readonly LedgerState[],
  ledgers: ReadonlyMap<string, HeldLedger | null>,
  catalogue: Catalogue,
): Parts<StateValue[] | null> {
  const values: StateValue[] = [];
  for (const { id } of stale) {
    const ledger = ledgers.get(id);
    const value = ledger && (yield* ledger.value({ catalogue, priceSource: PRICE_SOURCES[0] }));
    if (!value) return null;
    values.push({ id, state: ledger!.state, ...value });
    yield;
  }
  return values;
}

/** Their rows are other ones now, but not what they hold. */
function told({ db, caller }: Context, rows: StoredValueRow[]): StoredValueRow[] {
  const { ledgers } = memoryOf(db);
  for (const { id, was, ledgerState } of rows) {
    const ledger = ledgers.inState(id, was);
    if (ledger) ledger.state = ledgerState;
  }
  announceCollections(
    db,
    caller.accountId,
    rows.filter(({ isOther }) => isOther),
  );
  return rows;
}
