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
  /** Of a purchase: what one card cost is not known, and counts as 0. */
  isCostUnknown: boolean;
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
  /** Of those held, cards whose cost is not known, or in part: by an average all, as long as one of them is such a card. */
  heldUnknown: number;
  /** First in first out: the oldest purchase of which cards are left, and how many of it are gone. */
  firstLot: { id: string; occurred: string; taken: number } | null;
}

/** Of the cards of a sale. */
export interface SoldCost {
  cost: bigint;
  /** Of how many cards it is not known, or in part. */
  unknown: number;
}

export const NOTHING_SOLD: SoldCost = { cost: 0n, unknown: 0 };

export const NOTHING_HELD: CostState = { held: 0, heldCost: 0n, heldUnknown: 0, firstLot: null };

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
  #heldUnknown: number;
  /** Of the state: cards of lots that were not added, and of those that were and are left. */
  #earlierToAdd: number;
  #earlierLeft = 0;

  constructor(basis: OrderedBasis, state: CostState = NOTHING_HELD) {
    this.#basis = basis;
    this.#held = state.held;
    this.#heldCost = state.heldCost;
    this.#heldUnknown = state.heldUnknown;
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
      heldUnknown: this.#heldUnknown,
      firstLot: first
        ? {
            id: first.purchase.id,
            occurred: first.purchase.occurred,
            taken: first.purchase.quantity - first.left,
          }
        : null,
    };
  }

  /** Gives what the cards of a sale had cost; nothing for a purchase. What is sold beyond what is held cost nothing. */
  record(entry: LedgerEntry): SoldCost {
    if (entry.action === 'Purchase') {
      this.#add(entry);
      return NOTHING_SOLD;
    }
    const quantity = Math.min(entry.quantity, this.#held);
    const sold = this.#basis === 'Fifo' ? this.#fifoCost(quantity) : this.#averageCost(quantity);
    this.#held -= quantity;
    this.#heldCost -= sold.cost;
    this.#heldUnknown -= sold.unknown;
    this.#earlierLeft = Math.max(0, this.#earlierLeft - quantity);
    return sold;
  }

  #add(purchase: LedgerEntry): void {
    const isOneOfAll = this.#basis === 'MovingAverage' && (purchase.isCostUnknown || this.#heldUnknown > 0);
    this.#held += purchase.quantity;
    this.#heldCost += amountOf(purchase);
    if (isOneOfAll) this.#heldUnknown = this.#held;
    if (this.#basis === 'MovingAverage') return;
    if (purchase.isCostUnknown) this.#heldUnknown += purchase.quantity;
    this.#lots.add(purchase);
  }

  #fifoCost(quantity: number): SoldCost {
    const sold = { ...NOTHING_SOLD };
    for (const { lot, quantity: taken, cost } of this.#lots.take(quantity)) {
      sold.cost += cost;
      if (lot.purchase.isCostUnknown) sold.unknown += taken;
    }
    return sold;
  }

  #averageCost(quantity: number): SoldCost {
    if (quantity === 0) return NOTHING_SOLD;
    const cost = shareOf(this.#heldCost, quantity, this.#held);
    return { cost, unknown: this.#heldUnknown > 0 ? quantity : 0 };
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
