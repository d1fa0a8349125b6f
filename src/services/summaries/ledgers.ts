import { allHoldings, LEDGER_STATES, type SummariesPageRow } from '../../db/queries/summaries.ts';
import { HeldLedger } from '../../memory/ledgers.ts';
import { memoryOf } from '../../memory/memory.ts';
import type { Context } from '../context.ts';

/**
 * Of one collection up to so many holdings are read into memory, and of each of several so many: others wait while they
 * are put in order.
 */
const MAX_ALONE = 20_000;
const MAX_OF_FEW = 2000;
export const FEW = 10;
const MAX_OF_MANY = 400;
const READ_ALONE = allHoldings(MAX_ALONE);
const READ_FEW = allHoldings(MAX_OF_FEW);
const READ_MANY = allHoldings(MAX_OF_MANY);

/** The ledgers of the collections as they are now; null for one that is not there; none for one that is too large. */
export async function ledgersOf(
  ctx: Context,
  collectionIds: readonly string[],
): Promise<Map<string, HeldLedger | null>> {
  const kept = memoryOf(ctx.db).ledgers;
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds)];
  const known = collectionIds.every((id) => kept.get(id))
    ? await ctx.db.hot<LedgerState>(LEDGER_STATES, params)
    : [];
  const asked = collectionIds.length;
  const ledgers = keptLedgers(ctx, known);
  const others = collectionIds.filter((id) => !ledgers.has(id));
  for (const [id, ledger] of ledgers) if (ledger && ledger.size > mostOf(asked)) ledgers.delete(id);
  return others.length === 0 ? ledgers : new Map([...ledgers, ...(await readLedgers(ctx, others, asked))]);
}

/** A collection with the state of its ledger, as its row has it. */
export interface LedgerState {
  id: string;
  ledgerState: string;
}

/** Those that are kept in the state that they are in. */
export function keptLedgers(ctx: Context, states: readonly LedgerState[]): Map<string, HeldLedger | null> {
  const kept = memoryOf(ctx.db).ledgers;
  const ledgers = new Map<string, HeldLedger>();
  for (const { id, ledgerState } of states) {
    const ledger = kept.inState(id, ledgerState);
    if (ledger) ledgers.set(id, ledger);
  }
  return ledgers;
}

/**
 * Reads ledgers as they are now, and keeps them.
 * @param asked how many collections are asked for, these among them
 */
export async function readLedgers(
  ctx: Context,
  collectionIds: readonly string[],
  asked: number,
): Promise<Map<string, HeldLedger | null>> {
  const ledgers = await readWithin(ctx, collectionIds, asked);
  const kept = memoryOf(ctx.db).ledgers;
  for (const ledger of ledgers.values()) if (ledger) kept.keep(ledger);
  return ledgers;
}

async function readWithin(
  { db, caller }: Context,
  collectionIds: readonly string[],
  asked: number,
): Promise<Map<string, HeldLedger | null>> {
  const params = [caller.accountId, JSON.stringify(collectionIds)];
  const most = Math.min(mostOf(asked), MAX_OF_FEW);
  const rows = await db.hot<SummariesPageRow>(most === MAX_OF_FEW ? READ_FEW : READ_MANY, params);
  const ledgers = ledgersIn(rows, most, collectionIds);
  if (asked > 1 || ledgers.size > 0) return ledgers;
  // Not behind the short ones of others.
  return ledgersIn(await db.query<SummariesPageRow>(READ_ALONE, params), MAX_ALONE, collectionIds);
}

function mostOf(asked: number): number {
  if (asked === 1) return MAX_ALONE;
  return asked <= FEW ? MAX_OF_FEW : MAX_OF_MANY;
}

function ledgersIn(
  rows: readonly SummariesPageRow[],
  most: number,
  collectionIds: readonly string[],
): Map<string, HeldLedger | null> {
  const ledgers = new Map<string, HeldLedger | null>(collectionIds.map((id) => [id, null]));
  for (const { collectionId, currency, ledgerState, lines } of rows) {
    const ledger = new HeldLedger(collectionId, currency, ledgerState, lines);
    if (ledger.size > most) ledgers.delete(collectionId);
    else ledgers.set(collectionId, ledger);
  }
  return ledgers;
}
