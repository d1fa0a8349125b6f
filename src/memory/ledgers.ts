import { holdingRow, type SummaryRow } from '../db/queries/summaries.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
import type { Catalogue, HeldVariant } from './catalogue.ts';
import { type MarketOrder, marketOrder } from './market-order.ts';

/**
 * What collections hold, kept by each node as of one state of their ledgers, with the orders that follow from the catalogue
 * and the market. So an order is made once for a state of both, and any page of it is but a look at its place.
 */

/** Holdings of all ledgers that are kept; one takes some 150 bytes. */
const MAX_HOLDINGS = 200_000;

/** A holding; the rest of its line is read where it is on a page. */
export interface Held {
  line: string;
  variant: HeldVariant;
}

/** What was made of a ledger and a catalogue. */
interface Made {
  /** Null where the catalogue lacks a variant. */
  holdings: readonly Held[] | null;
  orders: Map<string, MarketOrder>;
}

/** What prices are asked by. */
interface Prices {
  catalogue: Catalogue;
  priceSource: string;
}

export class HeldLedger {
  readonly collectionId: string;
  readonly currency: Currency;
  /** As the row of the collection has it. */
  readonly state: string;
  readonly size: number;
  readonly #lines: readonly string[];
  /** By the catalogue, which is not kept for a ledger that nobody asks for any more. */
  readonly #made = new WeakMap<Catalogue, Made>();

  constructor(collectionId: string, currency: string, state: string, lines: string) {
    this.collectionId = collectionId;
    this.currency = currency as Currency;
    this.state = state;
    this.#lines = lines === '' ? [] : lines.split('\n');
    this.size = this.#lines.length;
  }

  /** A page in an order of the market; null where the catalogue lacks a variant or the row of a cursor. */
  page(name: OrderName, descending: boolean, request: PageRequest, prices: Prices): Page<SummaryRow> | null {
    const order = this.#order(name, prices);
    const page = order?.page(request, descending);
    if (!page) return null;
    return { ...page, items: page.items.map((held) => this.#summary(held, prices)) };
  }

  #order(name: OrderName, prices: Prices): MarketOrder | null {
    const { catalogue, priceSource } = prices;
    let made = this.#made.get(catalogue);
    if (!made) {
      made = { holdings: this.#held(catalogue), orders: new Map() };
      this.#made.set(catalogue, made);
    }
    if (made.holdings === null) return null;
    const key = `${name} ${priceSource}`;
    let order = made.orders.get(key);
    if (!order) {
      const priceOf = ({ id }: HeldVariant) => catalogue.exactPrice(id, this.currency, priceSource) ?? null;
      order = marketOrder(name, made.holdings, priceOf, catalogue);
      made.orders.set(key, order);
    }
    return order;
  }

  /** Null where the catalogue does not have one of the variants. */
  #held(catalogue: Catalogue): Held[] | null {
    const holdings: Held[] = [];
    for (const line of this.#lines) {
      const variant = catalogue.variant(line.slice(0, line.indexOf(' ')));
      if (!variant) return null;
      holdings.push({ line, variant });
    }
    return holdings;
  }

  #summary({ line, variant }: Held, { catalogue, priceSource }: Prices): SummaryRow {
    const price = catalogue.exactPrice(variant.id, this.currency, priceSource) ?? null;
    return { ...holdingRow(this.collectionId, this.currency, line), price };
  }
}

/** The orders that are made in memory. */
export const ORDER_NAMES = ['Alphabetical', 'MarketValue', 'UnitValue', 'Gain', 'PercentageGain'] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

/** The ledgers that are kept, by the ids of their collections; those used least recently go first. */
export class HeldLedgers {
  readonly #ledgers = new Map<string, HeldLedger>();
  #holdings = 0;

  get(collectionId: string): HeldLedger | undefined {
    const ledger = this.#ledgers.get(collectionId);
    if (ledger) {
      this.#ledgers.delete(collectionId);
      this.#ledgers.set(collectionId, ledger);
    }
    return ledger;
  }

  keep(ledger: HeldLedger): void {
    this.#forget(ledger.collectionId);
    this.#ledgers.set(ledger.collectionId, ledger);
    this.#holdings += weightOf(ledger);
    for (const [id] of this.#ledgers) {
      if (this.#holdings <= MAX_HOLDINGS) return;
      this.#forget(id);
    }
  }

  #forget(collectionId: string): void {
    const known = this.#ledgers.get(collectionId);
    if (!known) return;
    this.#ledgers.delete(collectionId);
    this.#holdings -= weightOf(known);
  }
}

/** An empty one takes memory too. */
function weightOf({ size }: HeldLedger): number {
  return size + 5;
}
