import type { Database } from '../../db/client.ts';
import {
  ADD_HELD_COST,
  BEGIN_COST_STATES,
  CLEAR_HELD_COST,
  type CostPlace,
  type CostStateRow,
  DELETE_COST_STATES,
  DELETE_COST_STATES_AT,
  ENTRIES_AFTER,
  FROM_THE_BEGINNING,
  KEEP_COST_STATES,
  KEEP_HELD_COST,
  type KeptCostState,
  LOTS_AFTER,
  type LotsAsked,
  OPEN_LOTS,
  ORDERED_VARIANTS,
} from '../../db/queries/cost-states.ts';
import {
  type CostState,
  costOf,
  type LedgerEntry,
  type Lot,
  lotOf,
  NOTHING_HELD,
  type OrderedBasis,
  RunningCost,
} from '../../domain/cost-basis.ts';
import type { Currency } from '../../domain/currencies.ts';
import { fixedText } from '../../domain/fixed-point.ts';
import { pointsOfRewriting } from '../../domain/read-points.ts';
import type { Action } from '../../domain/transactions.ts';
import { inTurns, turnOf } from '../../lib/in-turns.ts';
import { groupBy } from '../../lib/lists.ts';
import { mappedOneByOne } from '../../lib/parts.ts';
import type { Payer } from '../../lib/processor-time.ts';
import type { Context } from '../context.ts';

/**
 * What cards have cost, kept with the ledger by a basis that depends on the order. A change of a transaction goes on from
 * the state before its place, so one at the end takes one step, and one further back a step for each that comes later.
 */

/** Transactions of a variant that are read, and kept, at a time. */
const PAGE = 1000;
/** Those that are read with those of other variants. */
const FIRST_PAGE = 200;
const VARIANTS_AT_ONCE = 100;
/** Of a variant, lots that are read with those of the others; a page at a time behind them, as they are used. */
const FIRST_LOTS = 100;

/** An account, in a database transaction in which it writes; for whom the work is, unless a command asks for it. */
export interface Writer {
  tx: Database;
  accountId: string;
  work?: Payer | undefined;
}

/** A collection whose row is locked. */
interface Costed extends Writer {
  collectionId: string;
  /** Told of transactions before what is kept of them is made anew; left out where that is charged for as a whole. */
  charge?: ((transactions: number) => void) | undefined;
}

interface HeldCost {
  variantId: string;
  held: number;
  heldCost: string;
  heldUnknown: number;
}

/**
 * After a write of the ledger, from the places on that it changed; the last part of the same database transaction.
 *
 * @param written where transactions are
 * @param left where they are no more
 */
export async function addCosts(
  { db, caller, work, charge }: Context,
  collectionId: string,
  written: readonly CostPlace[],
  left: readonly CostPlace[] = [],
): Promise<void> {
  const { accountId } = caller;
  if (left.length > 0) await deleteStates(db, accountId, collectionId, left);
  const costed = { tx: db, accountId, collectionId, work, charge: charge && chargeByAll(charge) };
  await recost(costed, firstOfEach([...left, ...written]), ADD_HELD_COST);
}

async function deleteStates(
  db: Database,
  accountId: string,
  collectionId: string,
  left: readonly CostPlace[],
): Promise<void> {
  for (const [variantId, places] of groupBy(left, (place) => place.variantId)) {
    const { first, last } = endsOf(places);
    const ends = [first.occurred, first.id, last.occurred, last.id];
    const ids = JSON.stringify(places.map(({ id }) => id));
    await db.query(DELETE_COST_STATES_AT, [accountId, collectionId, variantId, ...ends, ids]);
  }
}

function chargeByAll(charge: (points: number) => void): (transactions: number) => void {
  let all = 0;
  let charged = 0;
  return (transactions) => {
    all += transactions;
    const points = pointsOfRewriting('collection', all) - charged;
    charged += points;
    charge(points);
  };
}

/** Of whole collections, whose totals are still to be summed up: after another cost basis or currency. Writers of the account wait. */
export async function recostCollections(writer: Writer, collectionIds: readonly string[]): Promise<void> {
  const { tx, accountId } = writer;
  const ids = JSON.stringify(collectionIds);
  await tx.query(DELETE_COST_STATES, [accountId, ids]);
  await tx.query(CLEAR_HELD_COST, [accountId, ids]);
  const rows = await tx.query<OrderedVariants>(ORDERED_VARIANTS, [accountId, ids]);
  for (const { collectionId, variantIds } of rows) {
    const places = variantIds.map((variantId) => ({ variantId, ...FROM_THE_BEGINNING }));
    await recostFrom(writer, collectionId, places);
  }
}

/** Of a collection whose totals are still to be summed up, from the places on: after other rates. Writers of the account wait. */
export function recostFrom(
  writer: Writer,
  collectionId: string,
  places: readonly CostPlace[],
): Promise<void> {
  return recost({ ...writer, collectionId }, places, KEEP_HELD_COST);
}

interface OrderedVariants {
  collectionId: string;
  variantIds: string[];
}

/** The place of each variant that comes first. */
function firstOfEach(places: readonly CostPlace[]): CostPlace[] {
  const first = new Map<string, CostPlace>();
  for (const { variantId, occurred, id } of places) {
    const known = first.get(variantId);
    const place = { variantId, occurred, id };
    if (!known || isBefore(place, known)) first.set(variantId, place);
  }
  return [...first.values()];
}

/** The first and the last of the places of a variant. */
function endsOf(places: readonly CostPlace[]): { first: CostPlace; last: CostPlace } {
  let first = places[0]!;
  let last = first;
  for (const place of places) {
    if (isBefore(place, first)) first = place;
    else if (isBefore(last, place)) last = place;
  }
  return { first, last };
}

function isBefore(a: CostPlace, b: CostPlace): boolean {
  return a.occurred < b.occurred || (a.occurred === b.occurred && a.id < b.id);
}

/** @param keep the statement that keeps what is held at the end */
async function recost(costed: Costed, places: readonly CostPlace[], keep: string): Promise<void> {
  const { tx, accountId, collectionId } = costed;
  for (let at = 0; at < places.length; at += VARIANTS_AT_ONCE) {
    const held = await recostVariants(costed, places.slice(at, at + VARIANTS_AT_ONCE));
    await tx.query(keep, [accountId, collectionId, JSON.stringify(held)]);
  }
}

async function recostVariants(costed: Costed, places: readonly CostPlace[]): Promise<HeldCost[]> {
  const { tx, accountId, collectionId } = costed;
  const params = [accountId, collectionId, JSON.stringify(places), FIRST_PAGE];
  // A plan that was made when hardly anything was kept reads all that is kept by now, for each of them.
  const how = { varies: places.length > 1 };
  const rows = await tx.query<CostStateRow>(BEGIN_COST_STATES, params, how);
  const begun = await inTurns(mappedOneByOne(rows, begunOf), costed.work);
  const lots = await lotsOf(costed, begun, new Map(places.map((place) => [place.variantId, place])));
  const kept = new KeptStates(costed);
  const held: HeldCost[] = [];
  for (const { row, state, entries } of begun) {
    const { variantId } = row;
    const running = new RunningCost(row.costBasis as OrderedBasis, state);
    const earlier = lots.get(variantId);
    if (earlier) running.addLots(earlier.first);
    for (let [page, size] = [entries, FIRST_PAGE]; ; size = PAGE) {
      costed.charge?.(page.length);
      for (const entry of page) {
        if (earlier && running.needsLots(entry)) await addLots(costed, running, earlier, entry);
        kept.add(variantId, entry, running.record(entry).cost, running.state);
      }
      await kept.writeMany();
      if (page.length < size) break;
      page = await entriesBehind(costed, variantId, page.at(-1)!);
    }
    const { state: last } = running;
    const { heldCost, heldUnknown } = last;
    held.push({ variantId, held: last.held, heldCost: fixedText(heldCost), heldUnknown });
  }
  await kept.write();
  return held;
}

class KeptStates {
  readonly #costed: Costed;
  #states: KeptCostState[] = [];

  constructor(costed: Costed) {
    this.#costed = costed;
  }

  add(variantId: string, { id, occurred }: LedgerEntry, cost: bigint, state: CostState): void {
    this.#states.push({ variantId, id, occurred, ...keptState(cost, state) });
  }

  /** Writes them where they are many; before the next ones others have their turn. */
  async writeMany(): Promise<void> {
    if (this.#states.length < PAGE) return;
    await this.write();
    const turn = turnOf(this.#costed.work);
    if (turn) await turn;
  }

  async write(): Promise<void> {
    const { tx, accountId, collectionId } = this.#costed;
    if (this.#states.length === 0) return;
    const states = JSON.stringify(this.#states);
    this.#states = [];
    await tx.query(KEEP_COST_STATES, [accountId, collectionId, states]);
  }
}

/** As it is kept of a transaction. */
export function keptState(
  cost: bigint,
  { held, heldCost, heldUnknown, firstLot }: CostState,
): Omit<KeptCostState, 'variantId' | 'occurred' | 'id'> {
  return {
    cost: fixedText(cost),
    held,
    heldCost: fixedText(heldCost),
    heldUnknown,
    lotOccurred: firstLot?.occurred ?? null,
    lotId: firstLot?.id ?? null,
    lotTaken: firstLot?.taken ?? null,
  };
}

function stateOf({ held, heldCost, heldUnknown, lotOccurred, lotId, lotTaken }: CostStateRow): CostState {
  if (held === null) return NOTHING_HELD;
  const firstLot = lotId === null ? null : { id: lotId, occurred: lotOccurred!, taken: lotTaken! };
  return { held, heldCost: costOf(heldCost!), heldUnknown: heldUnknown!, firstLot };
}

async function entriesBehind(
  { tx, accountId, collectionId }: Costed,
  variantId: string,
  { occurred, id }: LedgerEntry,
): Promise<RecordedEntry[]> {
  // The ledger says how much there is to do.
  await tx.liftOperation();
  const params = [accountId, collectionId, variantId, occurred, id, PAGE];
  const [row] = await tx.query<{ lines: string | null }>(ENTRIES_AFTER, params);
  return entriesIn(row!.lines);
}

export interface RecordedEntry extends LedgerEntry {
  /** Of the amount and the charges. */
  currency: Currency;
}

/** The transactions of lines (`ENTRY_LINE`). */
export function entriesIn(lines: string | null): RecordedEntry[] {
  if (lines === null) return [];
  return lines.split('\n').map((line) => {
    const [id, occurred, action, quantity, unitAmount, charges, currency, rate, isUnknown] = line.split(' ');
    return {
      id: id!,
      occurred: occurred!,
      action: action as Action,
      quantity: Number(quantity),
      unitAmount: unitAmount!,
      charges: charges!,
      currency: currency as Currency,
      rate: rate!,
      isCostUnknown: isUnknown === 't',
    };
  });
}

interface Begun {
  row: CostStateRow;
  state: CostState;
  entries: readonly LedgerEntry[];
}

function begunOf(row: CostStateRow): Begun {
  return { row, state: stateOf(row), entries: entriesIn(row.lines) };
}

/** Of a variant, the lots that are open before the place from which it is computed, as far as they were read. */
interface EarlierLots {
  first: Lot[];
  /** The last that was read. */
  last: Pick<LedgerEntry, 'occurred' | 'id'>;
  until: CostPlace;
}

/** By variant: as many lots as the sales among the entries may reach, but for those that are read as they are used. */
async function lotsOf(
  { tx, accountId, collectionId }: Costed,
  begun: readonly Begun[],
  places: ReadonlyMap<string, CostPlace>,
): Promise<Map<string, EarlierLots>> {
  const asked: LotsAsked[] = [];
  const taken = new Map<string, number>();
  for (const { row, state, entries } of begun) {
    if (!state.firstLot) continue;
    const { variantId } = row;
    const until = places.get(variantId)!;
    const { occurred, id } = state.firstLot;
    const most = Math.min(soldIn(entries) + 1, FIRST_LOTS);
    taken.set(variantId, state.firstLot.taken);
    asked.push({ variantId, occurred, id, untilOccurred: until.occurred, untilId: until.id, most });
  }
  if (asked.length === 0) return new Map();
  const params = [accountId, collectionId, JSON.stringify(asked)];
  const rows = await tx.query<{ variantId: string; lines: string | null }>(OPEN_LOTS, params);
  const lines = new Map(rows.map((row) => [row.variantId, row.lines]));
  return new Map(
    asked.map((one) => {
      const { variantId } = one;
      const first = lotsIn(lines.get(variantId) ?? null, taken.get(variantId)!);
      return [
        variantId,
        { first, last: first.at(-1)?.purchase ?? one, until: places.get(variantId)! },
      ] as const;
    }),
  );
}

/** Cards; each lot has one at least. */
function soldIn(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { action, quantity }) => (action === 'Sale' ? sum + quantity : sum), 0);
}

/** Adds what the entry needs of the lots behind those that were read. */
async function addLots(
  costed: Costed,
  running: RunningCost,
  earlier: EarlierLots,
  entry: LedgerEntry,
): Promise<void> {
  while (running.needsLots(entry)) {
    const lots = await lotsBehind(costed, earlier);
    if (lots.length === 0) return;
    running.addLots(lots);
    earlier.last = lots.at(-1)!.purchase;
    const turn = turnOf(costed.work);
    if (turn) await turn;
  }
}

async function lotsBehind(
  { tx, accountId, collectionId }: Costed,
  { last, until }: EarlierLots,
): Promise<Lot[]> {
  // The ledger says how much there is to do.
  await tx.liftOperation();
  const { variantId } = until;
  const places = [last.occurred, last.id, until.occurred, until.id];
  const params = [accountId, collectionId, variantId, ...places, PAGE];
  const [row] = await tx.query<{ lines: string | null }>(LOTS_AFTER, params);
  return lotsIn(row!.lines);
}

function lotsIn(lines: string | null, takenOfFirst = 0): Lot[] {
  return entriesIn(lines).map((entry, i) => lotOf(entry, i === 0 ? takenOfFirst : 0));
}
