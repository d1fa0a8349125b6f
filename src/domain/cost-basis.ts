import { DECIMALS, type Fixed, fixed, ONE } from './fixed-point.ts';
import type { Action } from './transactions.ts';

/**
 * What cards that were sold had cost, and what those that are held did (docs/decisions.md#cost-basis). Amounts are whole
 * numbers of 10⁻³⁰ of one currency, in which every step is exact, but for the share of a moving average that a sale takes:
 * that is rounded to one of them, half up. So whoever goes on from a kept state comes to the same as who begins anew.
 */

export const COST_BASES = ['Average', 'MovingAverage', 'Fifo'] as const;
export type CostBasis = (typeof COST_BASES)[number];
/** Those by which it matters in which order was bought and sold. */
export type OrderedBasis = Exclude<CostBasis, 'Average'>;

/** A transaction of one variant. Entries are in the order of the days they occurred, then in that of entry. */
export interface LedgerEntry {
  id: string;
  /** `YYYY-MM-DD` */
  occurred: string;
  action: Action;
  quantity: number;
  /** Decimals: of one card, of fees and shipping together, and what turns them into the currency of the amounts. */
  unitAmount: string;
  charges: string;
  rate: string;
}

/** The cards of a purchase that are still there. */
export interface Lot<Entry extends LedgerEntry = LedgerEntry> {
  purchase: Entry;
  /** Cards. */
  left: number;
  /** What all cards of the purchase came to. */
  amount: bigint;
}

export interface TakenCards<Entry extends LedgerEntry = LedgerEntry> {
  lot: Lot<Entry>;
  quantity: number;
  /** What they had cost. */
  cost: bigint;
}

/** @param taken cards of it that are gone */
export function lotOf<Entry extends LedgerEntry>(purchase: Entry, taken = 0): Lot<Entry> {
  return { purchase, left: purchase.quantity - taken, amount: amountOf(purchase) };
}

/** What is held after a transaction: all that is needed to go on from there, but for the lots themselves. */
export interface CostState {
  /** Cards. More than were bought less sold, where some were sold before they were bought. */
  held: number;
  heldCost: bigint;
  /** First in first out: the oldest purchase of which cards are left, and how many of it are gone. */
  firstLot: { id: string; occurred: string; taken: number } | null;
}

export const NOTHING_HELD: CostState = { held: 0, heldCost: 0n, firstLot: null };

/** What all cards of the entry came to: `cameTo` of db/queries/amounts.ts says the same. */
export function amountOf({ action, quantity, unitAmount, charges, rate }: LedgerEntry): bigint {
  const cards = costOf(unitAmount) * BigInt(quantity);
  const amount =
    charges === '0' ? cards : cards + (action === 'Purchase' ? costOf(charges) : -costOf(charges));
  return rate === '1' ? amount : (amount * costOf(rate)) / ONE;
}

/**
 * What `quantity` cards behind the first `before` of `all` came to, which together came to the amount. What does not divide is
 * left to those behind, so that all parts add up to it.
 */
export function partOf(amount: bigint, all: number, before: number, quantity: number): bigint {
  return ofFirst(amount, before + quantity, all) - ofFirst(amount, before, all);
}

function ofFirst(amount: bigint, cards: number, all: number): bigint {
  return (amount * BigInt(cards)) / BigInt(all);
}

/** The lots of a variant that are open, the oldest first: cards are taken first in first out, whatever they cost. */
export class OpenLots<Entry extends LedgerEntry = LedgerEntry> {
  readonly #lots: Lot<Entry>[] = [];
  #first = 0;
  /** Behind those that were there before what was added. */
  #behindEarlier = 0;

  get first(): Lot<Entry> | undefined {
    return this.#lots[this.#first];
  }

  get all(): readonly Lot<Entry>[] {
    return this.#lots.slice(this.#first);
  }

  add(purchase: Entry): void {
    this.#lots.push(lotOf(purchase));
  }

  /** Those that were open before what was added, behind others of them. */
  addEarlier(lots: readonly Lot<Entry>[]): void {
    this.#lots.splice(this.#behindEarlier, 0, ...lots);
    this.#behindEarlier += lots.length;
  }

  /** Of those that are there, so many at most. */
  take(quantity: number): TakenCards<Entry>[] {
    const taken: TakenCards<Entry>[] = [];
    for (let wanted = quantity; wanted > 0 && this.first; ) {
      const lot = this.first;
      const of = Math.min(wanted, lot.left);
      const { quantity } = lot.purchase;
      taken.push({ lot, quantity: of, cost: partOf(lot.amount, quantity, quantity - lot.left, of) });
      lot.left -= of;
      wanted -= of;
      if (lot.left === 0) this.#first++;
    }
    return taken;
  }
}

/**
 * The cost of one variant by a method that depends on the order. First in first out, the lots that are open in the state from
 * which it goes on are added as far as they are needed: `needsLots` says so before an entry is recorded.
 */
export class RunningCost {
  readonly #basis: OrderedBasis;
  readonly #lots = new OpenLots();
  #held: number;
  #heldCost: bigint;
  /** Of the state: cards of lots that were not added, and of those that were and are left. */
  #earlierToAdd: number;
  #earlierLeft = 0;

  constructor(basis: OrderedBasis, state: CostState = NOTHING_HELD) {
    this.#basis = basis;
    this.#held = state.held;
    this.#heldCost = state.heldCost;
    this.#earlierToAdd = basis === 'Fifo' ? state.held : 0;
  }

  /** Whether the entry takes all cards of the lots that were added: the one behind them must be known, too. */
  needsLots({ action, quantity }: LedgerEntry): boolean {
    if (this.#earlierToAdd === 0) return false;
    return this.#earlierLeft <= (action === 'Sale' ? quantity : 0);
  }

  /** @param lots of the state, behind those that were added */
  addLots(lots: readonly Lot[]): void {
    const cards = lots.reduce((sum, { left }) => sum + left, 0);
    this.#lots.addEarlier(lots);
    this.#earlierLeft += cards;
    this.#earlierToAdd -= cards;
  }

  get state(): CostState {
    const { first } = this.#lots;
    return {
      held: this.#held,
      heldCost: this.#heldCost,
      firstLot: first
        ? {
            id: first.purchase.id,
            occurred: first.purchase.occurred,
            taken: first.purchase.quantity - first.left,
          }
        : null,
    };
  }

  /** Gives what the cards of a sale had cost; 0 for a purchase. What is sold beyond what is held cost nothing. */
  record(entry: LedgerEntry): bigint {
    if (entry.action === 'Purchase') {
      this.#held += entry.quantity;
      this.#heldCost += amountOf(entry);
      if (this.#basis === 'Fifo') this.#lots.add(entry);
      return 0n;
    }
    const quantity = Math.min(entry.quantity, this.#held);
    const cost = this.#basis === 'Fifo' ? this.#fifoCost(quantity) : this.#averageCost(quantity);
    this.#held -= quantity;
    this.#heldCost -= cost;
    this.#earlierLeft = Math.max(0, this.#earlierLeft - quantity);
    return cost;
  }

  #fifoCost(quantity: number): bigint {
    return this.#lots.take(quantity).reduce((sum, { cost }) => sum + cost, 0n);
  }

  #averageCost(quantity: number): bigint {
    return quantity === 0 ? 0n : shareOf(this.#heldCost, quantity, this.#held);
  }
}

/** What `part` of `whole` cards cost that together cost so much, rounded half up. */
export function shareOf(cost: bigint, part: number, whole: number): bigint {
  if (part === whole) return cost;
  const divisor = BigInt(whole);
  return (2n * cost * BigInt(part) + divisor) / (2n * divisor);
}

/** Of a decimal that is not below 0. Throws a RangeError where it would have to be rounded. */
export function costOf(decimal: string): Fixed {
  const point = decimal.indexOf('.');
  if (point !== -1 && decimal.length - point - 1 > DECIMALS)
    throw new RangeError(`${decimal} has more than ${DECIMALS} decimals.`);
  return fixed(decimal);
}
