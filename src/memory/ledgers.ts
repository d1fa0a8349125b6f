import { holdingRow, type SummaryRow } from '../db/queries/summaries.ts';
import type { Currency } from '../domain/currencies.ts';
import { DecimalSum, difference, product, unitsOf } from '../domain/money.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
import type { Catalogue } from './catalogue.ts';
import { type Held, type MarketOrder, marketOrder, type OrderName } from './market-order.ts';
import type { NamedVariant, Names } from './names.ts';
import type { Pricing } from './pricing.ts';

/**
 * What collections hold, kept by each node as of one state of their ledgers, with the orders that follow from the catalogue
 * and the market. So an order is made once for a state of both, and any page of it is but a look at its place.
 */

/** Holdings of all ledgers that are kept; one takes some 250 bytes. */
const MAX_HOLDINGS = 200_000;

/** Of a collection, exact decimals in its currency. */
export interface LedgerValue {
  marketValue: string;
  gain: string;
}

/** What prices are asked by. */
interface Prices {
  catalogue: Catalogue;
  priceSource: string;
}

export class HeldLedger {
  readonly collectionId: string;
  readonly currency: Currency;
  /** As the row of the collection has it; another one once its row was written, but not its holdings. */
  state: string;
  readonly size: number;
  readonly #lines: readonly string[];
  // By what they follow from, which is not kept for a ledger that nobody asks for any more.
  readonly #holdings = new WeakMap<Names, readonly Held[] | null>();
  readonly #orders = new WeakMap<Names | Pricing, Map<string, MarketOrder>>();

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
    const priceOf = this.#priceOf(prices);
    const summary = ({ line, variant }: Held): SummaryRow => ({
      ...holdingRow(this.collectionId, this.currency, line),
      price: priceOf(variant),
    });
    return { ...page, items: page.items.map(summary) };
  }

  /**
   * What the collection is worth, as `collectionValue` of db/queries/valuation.ts has it: over the holdings that have a
   * price, converted once for each currency that prices are in. Null where the catalogue lacks a variant.
   */
  value({ catalogue, priceSource }: Prices): LedgerValue | null {
    const holdings = this.#held(catalogue.parts.names);
    if (!holdings) return null;
    const { prices, rates } = catalogue.parts.pricing;
    const list = prices.of(priceSource);
    const sums = new Map<string, { value: DecimalSum; invested: DecimalSum }>();
    for (const { variant, quantity, invested, investedUnits } of holdings) {
      const { place } = variant;
      const currency = list?.currencies[place];
      if (currency === undefined) continue;
      let sum = sums.get(currency);
      if (!sum) {
        sum = { value: new DecimalSum(), invested: new DecimalSum() };
        sums.set(currency, sum);
      }
      if (quantity > 0) sum.value.add(list!.amounts[place]!, quantity, list!.units[place]);
      sum.invested.add(invested, 1, investedUnits);
    }
    const total = { value: new DecimalSum(), invested: new DecimalSum() };
    for (const [currency, { value, invested }] of sums) {
      const rate = rates.rate(currency, this.currency);
      // As in SQL, an amount of a currency without a rate is not known.
      if (rate === undefined) continue;
      total.value.add(product(value.text, rate));
      total.invested.add(invested.text);
    }
    const marketValue = total.value.text;
    return { marketValue, gain: difference(marketValue, total.invested.text) };
  }

  #order(name: OrderName, prices: Prices): MarketOrder | null {
    const { names, pricing } = prices.catalogue.parts;
    const holdings = this.#held(names);
    if (!holdings) return null;
    const from = name === 'Alphabetical' ? names : pricing;
    let orders = this.#orders.get(from);
    if (!orders) {
      orders = new Map();
      this.#orders.set(from, orders);
    }
    const key = `${name} ${prices.priceSource}`;
    let order = orders.get(key);
    if (!order) {
      order = marketOrder(name, holdings, this.#priceOf(prices), names);
      orders.set(key, order);
    }
    return order;
  }

  /** The exact price of one card; null where none is known. */
  #priceOf({ catalogue, priceSource }: Prices): (variant: NamedVariant) => string | null {
    const { pricing } = catalogue.parts;
    return ({ place }) => pricing.exact(place, this.currency, priceSource);
  }

  /** Null where the catalogue does not have one of the variants. */
  #held(names: Names): readonly Held[] | null {
    let holdings = this.#holdings.get(names);
    if (holdings === undefined) {
      holdings = heldOf(this.#lines, names);
      this.#holdings.set(names, holdings);
    }
    return holdings;
  }
}

function heldOf(lines: readonly string[], names: Names): Held[] | null {
  const holdings: Held[] = [];
  for (const line of lines) {
    const [variantId, quantity, invested] = line.split(' ', 3) as [string, string, string];
    const variant = names.variant(variantId);
    if (!variant) return null;
    holdings.push({ line, variant, quantity: Number(quantity), invested, investedUnits: unitsOf(invested) });
  }
  return holdings;
}

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

  /** The ledger in this state of its row. */
  inState(collectionId: string, state: string): HeldLedger | undefined {
    const ledger = this.get(collectionId);
    return ledger?.state === state ? ledger : undefined;
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
