import {
  allHoldings,
  LEDGER_CHANGES,
  LEDGER_STATES,
  type LedgerChangesRow,
  type LedgerRow,
} from '../../db/queries/summaries.ts';
import type { Currency } from '../../domain/currencies.ts';
import { HeldLedger } from '../../memory/ledgers.ts';
import { memoryOf } from '../../memory/memory.ts';
import type { Context } from '../context.ts';

/**
 * Of one collection up to so many holdings are read into memory, and of each of several so many, 80,000 in all: others wait
 * while they are put in order.
 */
const MAX_ALONE = 20_000;
const MAX_OF_FEW = 8000;
export const FEW = 10;
const MAX_OF_MANY = 400;
const READ_ALONE = allHoldings(MAX_ALONE);
const READ_FEW = allHoldings(MAX_OF_FEW);
const READ_MANY = allHoldings(MAX_OF_MANY);
/** Of one collection, as many as are read among the short statements of others. */
const READ_SHORT = allHoldings(2000);

/** A collection with the state of its ledger, as its row has it. */
export interface LedgerState {
  id: string;
  ledgerState: string;
}

export type StateRow = LedgerState & { currency: Currency };

/** The states of the collections that are there. */
export function statesOf({ db, caller }: Context, ids: readonly string[]): Promise<StateRow[]> {
  return db.hot(LEDGER_STATES, [caller.accountId, JSON.stringify(ids)]);
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
 * The ledgers of the collections as they are now, which are kept; null for one that is not there; none for one that is
 * too large.
 * @param asked how many collections are asked for, these among them
 */
export function ledgersOf(
  ctx: Context,
  collectionIds: readonly string[],
  asked = collectionIds.length,
): Promise<ReadonlyMap<string, HeldLedger | null>> {
  const ofAnswer = underWay.get(ctx) ?? new Map<string, Promise<Ledgers>>();
  underWay.set(ctx, ofAnswer);
  const key = `${asked} ${collectionIds.join(' ')}`;
  let reading = ofAnswer.get(key);
  if (!reading) {
    reading = readLedgers(ctx, collectionIds, asked).finally(() => ofAnswer.delete(key));
    ofAnswer.set(key, reading);
  }
  return reading;
}

type Ledgers = Map<string, HeldLedger | null>;

/** What is being read for an answer: however many of its fields ask at once, it is read once. */
const underWay = new WeakMap<Context, Map<string, Promise<Ledgers>>>();

async function readLedgers(ctx: Context, collectionIds: readonly string[], asked: number): Promise<Ledgers> {
  const kept = memoryOf(ctx.db).ledgers;
  const ledgers = await followedLedgers(ctx, collectionIds);
  const others = collectionIds.filter((id) => !ledgers.has(id));
  if (others.length > 0)
    for (const [id, ledger] of await readWithin(ctx, others, asked)) ledgers.set(id, ledger);
  for (const [id, ledger] of ledgers) {
    if (ledger) kept.keep(ledger);
    if (ledger && ledger.size > mostOf(asked)) ledgers.delete(id);
  }
  return ledgers;
}

/** Those that are kept, with what was written since: most are as they were, which their states alone tell. */
async function followedLedgers(
  ctx: Context,
  collectionIds: readonly string[],
): Promise<Map<string, HeldLedger | null>> {
  const kept = memoryOf(ctx.db).ledgers;
  const ids = collectionIds.filter((id) => kept.get(id));
  if (ids.length === 0) return new Map();
  const states = await statesOf(ctx, ids);
  const ledgers = keptLedgers(ctx, states);
  const behind = states.flatMap(({ id }) => (ledgers.has(id) ? [] : (kept.get(id) ?? [])));
  for (const ledger of await changedLedgers(ctx, behind)) ledgers.set(ledger.collectionId, ledger);
  return ledgers;
}

/** The ledgers with what was written since, as far as the log tells. */
async function changedLedgers(
  { db, caller }: Context,
  ledgers: readonly HeldLedger[],
): Promise<HeldLedger[]> {
  if (ledgers.length === 0) return [];
  const known = new Map(ledgers.map((ledger) => [ledger.collectionId, ledger]));
  const states = Object.fromEntries(ledgers.map(({ collectionId, state }) => [collectionId, state]));
  const params = [caller.accountId, JSON.stringify([...known.keys()]), JSON.stringify(states)];
  const rows = await db.hot<LedgerChangesRow>(LEDGER_CHANGES, params);
  return rows.flatMap(({ id, currency, isConverted, ledgerState, changes }) => {
    const ledger = known.get(id)!;
    if (ledger.state === ledgerState) return [ledger];
    const isTold = changes !== null && currency === ledger.terms.currency;
    return isTold ? (ledger.changed(ledgerState, changes, isConverted) ?? []) : [];
  });
}

async function readWithin(
  { db, caller }: Context,
  collectionIds: readonly string[],
  asked: number,
): Promise<Map<string, HeldLedger | null>> {
  const params = [caller.accountId, JSON.stringify(collectionIds)];
  const read = async (way: 'hot' | 'query', text: string) =>
    ledgersIn(await db[way]<LedgerRow>(text, params), caller.accountId, collectionIds);
  if (asked > 1) return read('query', asked <= FEW ? READ_FEW : READ_MANY);
  const short = await read('hot', READ_SHORT);
  return short.size > 0 ? short : read('query', READ_ALONE);
}

function mostOf(asked: number): number {
  if (asked === 1) return MAX_ALONE;
  return asked <= FEW ? MAX_OF_FEW : MAX_OF_MANY;
}

function ledgersIn(
  rows: readonly LedgerRow[],
  accountId: string,
  collectionIds: readonly string[],
): Map<string, HeldLedger | null> {
  const ledgers = new Map<string, HeldLedger | null>(collectionIds.map((id) => [id, null]));
  for (const { id, ledgerState, isTooLarge, lines, ...terms } of rows) {
    if (isTooLarge) ledgers.delete(id);
    else ledgers.set(id, new HeldLedger({ accountId, collectionId: id }, terms, ledgerState, lines));
  }
  return ledgers;
}
