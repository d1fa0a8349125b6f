import { ENTRIES_AFTER, FIRST_ENTRIES, SOLD_VARIANTS } from '../../db/queries/cost-states.ts';
import type { Parts } from '../../lib/parts.ts';
import { type Context, readInTurn, readInTurns } from '../context.ts';
import { type StateRow, statesOf } from '../summaries/ledgers.ts';
import { entriesIn, type RecordedEntry } from '../transactions/costs.ts';
import { gone } from './history.ts';

/** The transactions of variants that were sold, of which sales are made one after the other. */

/** Notes that what was read since the collection was in that state is torn, where it is in another one by now. */
export async function checkState(ctx: Context, collectionId: string, ledgerState: string): Promise<void> {
  const [now] = await statesOf(ctx, [collectionId]);
  if (!now) return gone(ctx);
  if (ctx.seen && now.ledgerState !== ledgerState) ctx.seen.isTorn = true;
}

type Visit = (variantId: string, entries: RecordedEntry[]) => Parts<void>;

/** Calls back with the transactions of each variant that was ever sold, and gives the state of the ledger that they are of. */
export async function eachSoldVariant(ctx: Context, collectionId: string, visit: Visit): Promise<StateRow> {
  const [state] = await statesOf(ctx, [collectionId]);
  if (!state) return gone(ctx);
  const [sold] = await ctx.db.query<{ ids: string[] }>(SOLD_VARIANTS, [ctx.caller.accountId, collectionId]);
  await eachVariant(ctx, collectionId, sold!.ids, 'infinity', visit);
  await checkState(ctx, collectionId, state.ledgerState);
  return state;
}

const VARIANTS_AT_ONCE = 100;
/** Transactions of a variant that are read with those of others, and then at a time. */
const FIRST_AT_ONCE = 200;
const ENTRIES_AT_ONCE = 1000;

/** Calls back with the transactions of each of the variants up to a day. */
export async function eachVariant(
  ctx: Context,
  collectionId: string,
  variantIds: readonly string[],
  lastDay: string,
  visit: Visit,
): Promise<void> {
  const { db, caller } = ctx;
  for (let at = 0; at < variantIds.length; at += VARIANTS_AT_ONCE) {
    const ids = JSON.stringify(variantIds.slice(at, at + VARIANTS_AT_ONCE));
    const params = [caller.accountId, collectionId, ids, lastDay, FIRST_AT_ONCE];
    const rows = await db.query<{ variantId: string; lines: string | null }>(FIRST_ENTRIES, params);
    for (const { variantId, lines } of rows) {
      const first = await readInTurn(ctx, () => entriesIn(lines));
      const entries = await allEntries(ctx, collectionId, variantId, lastDay, first);
      await readInTurns(ctx, visit(variantId, entries));
    }
  }
}

/** Of a variant up to a day; `first` are the first of them. */
async function allEntries(
  ctx: Context,
  collectionId: string,
  variantId: string,
  lastDay: string,
  first: RecordedEntry[],
): Promise<RecordedEntry[]> {
  const { db, caller } = ctx;
  const entries = first;
  let isLast = first.length < FIRST_AT_ONCE;
  while (!isLast) {
    const { occurred, id } = entries.at(-1)!;
    const params = [caller.accountId, collectionId, variantId, occurred, id, ENTRIES_AT_ONCE];
    const [row] = await db.query<{ lines: string | null }>(ENTRIES_AFTER, params);
    const more = await readInTurn(ctx, () => entriesIn(row!.lines));
    entries.push(...more.filter((entry) => entry.occurred <= lastDay));
    isLast = more.length < ENTRIES_AT_ONCE || more.at(-1)!.occurred > lastDay;
  }
  return entries;
}
