import { LRUCache } from 'lru-cache';
import { holdingRow, type SummaryRow } from '../db/queries/summaries.ts';
import type { Currency } from '../domain/currencies.ts';
import { DecimalSum, difference, product, UNITS } from '../domain/money.ts';
import type { Page, PageRequest } from '../domain/pagination.ts';
import { Bits } from '../lib/bits.ts';
import { atOnce, countedInParts, PART, type Parts } from '../lib/parts.ts';
import type { Catalogue } from './catalogue.ts';
import { countLines, Holdings } from './holdings.ts';
import { isUnpriced, type Ordered, type OrderName, ordered, orderedPage, reordered } from './market-order.ts';
import type { Names } from './names.ts';
import type { PriceList, Pricing } from './pricing.ts';

/**
 * What collections hold, kept by each node as of one state of their ledgers, with the orders that follow from the catalogue
 * and the market. So an order is made once for a state of both, and any page of it is but a look at its place.
 */

/** What all ledgers that are kept may take: some 550,000 holdings. */
const MAX_BYTES = 64 * 2 ** 20;
/** Of a holding beside its line: its columns, and its places in all orders. */
const BYTES_OF_HOLDING = 56;
const BYTES_OF_LEDGER = 2000;
const MAX_STORED = 10_000;
/** With more changes than that, an order is made anew, which takes no longer. */
const MOST_UNPLACED = 20;

/** Of a collection, exact decimals in its currency. */
export interface LedgerValue {
  marketValue: string;
  gain: string;
  /** Cards without a known price. */
  unpriced: number;
  /** Cards whose cost is not known, or in part, and what they are worth, which is in no gain. */
  unknownCost: number;
  unknownCostValue: string;
}

/** What cards are worth whose cost is known, what those had cost, and what the others are worth. */
interface ValueSums {
  value: DecimalSum;
  invested: DecimalSum;
  unknownCostValue: DecimalSum;
}

const noValue = (): ValueSums => ({
  value: new DecimalSum(),
  invested: new DecimalSum(),
  unknownCostValue: new DecimalSum(),
});

/** Of holdings, by the currency of their prices, before anything is converted. */
interface HeldSums {
  byCurrency: Map<string, ValueSums & { quantity: number }>;
  unpriced: number;
  unknownCost: number;
}

/** Adds those from `start` to `end`. No generator, which the engine makes quick much later. */
function addHeld(
  held: HeldSums,
  holdings: Holdings,
  list: PriceList | undefined,
  start: number,
  end: number,
): void {
  let last: string | undefined;
  let sum: (ValueSums & { quantity: number }) | undefined;
  for (let i = start; i < end; i++) {
    const place = holdings.variants[i]!;
    const currency = list?.currencies[place];
    const quantity = Math.max(holdings.quantities[i]!, 0);
    const unknown = holdings.unknownCosts[i]!;
    held.unknownCost += unknown;
    if (currency === undefined) {
      held.unpriced += quantity;
      continue;
    }
    if (!sum || currency !== last) {
      sum = held.byCurrency.get(currency) ?? { ...noValue(), quantity: 0 };
      held.byCurrency.set(currency, sum);
      last = currency;
    }
    sum.quantity += quantity;
    const value = unknown > 0 ? sum.unknownCostValue : sum.value;
    if (quantity > 0) value.add(list!.amounts[place]!, quantity, list!.units[place]);
    if (unknown > 0) continue;
    if (!sum.invested.addUnits(holdings.investedUnits[i]!)) sum.invested.add(holdings.invested(i));
  }
}

/** What prices are asked by. */
export interface Prices {
  catalogue: Catalogue;
  priceSource: string;
}

/** What its amounts are by. */
export interface LedgerTerms {
  currency: Currency;
  costBasis: string;
  /** Whether any amount was converted. */
  isConverted: boolean;
}

/** A holding as a condition looks at it: what it needs of it, and no more, is taken from its line. */
export class HeldHolding {
  /** Its place among all. */
  at = 0;
  readonly #of: Ordered;
  readonly #summaryAt: (holding: number) => SummaryRow;

  constructor(of: Ordered, summaryAt: (holding: number) => SummaryRow) {
    this.#of = of;
    this.#summaryAt = summaryAt;
  }

  get variantId(): string {
    return this.#of.names.at(this.#variant).id;
  }

  get quantity(): number {
    return this.#of.holdings.quantities[this.at]!;
  }

  get unknownCost(): number {
    return this.#of.holdings.unknownCosts[this.at]!;
  }

  /** As a double; null where it is not known. */
  get price(): number | null {
    const units = this.#of.unitsOf(this.#variant);
    if (!Number.isNaN(units)) return units / UNITS;
    const price = this.#of.priceOf(this.#variant);
    return price === null ? null : Number(price);
  }

  /** As a double. */
  get invested(): number {
    const units = this.#of.holdings.investedUnits[this.at]!;
    return Number.isNaN(units) ? Number(this.#of.holdings.invested(this.at)) : units / UNITS;
  }

  /** As it is exactly. */
  get summary(): SummaryRow {
    return this.#summaryAt(this.at);
  }

  get #variant(): number {
    return this.#of.holdings.variants[this.at]!;
  }
}

export class HeldLedger {
  readonly accountId: string;
  readonly collectionId: string;
  terms: LedgerTerms;
  /** As the row of the collection has it; another one once its row was written, but not its holdings. */
  state: string;
  readonly size: number;
  readonly #lines: string;
  #holdings: Made<Names, Holdings | null> | undefined;
  readonly #orders = new Map<string, MadeOrder>();

  /** @param lines one for each holding */
  constructor(
    { accountId, collectionId }: Pick<HeldLedger, 'accountId' | 'collectionId'>,
    terms: LedgerTerms,
    state: string,
    lines: string,
  ) {
    this.accountId = accountId;
    this.collectionId = collectionId;
    this.terms = terms;
    this.state = state;
    this.#lines = lines;
    this.size = countLines(lines);
  }

  /**
   * The ledger in another state, in which some holdings are others or new: each place stays that of the same variant.
   * Null where it has to be read again, as a holding is gone.
   * @param lines of those holdings, or the variant alone where none is left
   */
  changed(state: string, lines: string, isConverted: boolean): HeldLedger | null {
    const names = this.#holdings?.from.deref();
    const before = this.#holdings?.value;
    if (!names || !before) return null;
    const changes = new Map<number, string>();
    let size = before.size;
    for (const line of lines === '' ? [] : lines.split('\n')) {
      const variant = names.variant(line.split(' ', 1)[0]!);
      if (!variant) return null;
      const place = before.placeOf(variant);
      const isGone = variant.id === line;
      if (isGone && place !== -1) return null;
      if (!isGone) changes.set(place === -1 ? size++ : place, line);
    }
    const terms = { ...this.terms, isConverted };
    if (changes.size === 0) {
      this.state = state;
      this.terms = terms;
      return this;
    }
    const holdings = before.changed(changes, names);
    const ledger = new HeldLedger(this, terms, state, holdings.lines);
    ledger.#holdings = { from: new WeakRef(names), value: holdings };
    for (const [key, order] of this.#orders) {
      const unplaced = new Set([...order.unplaced, ...changes.keys()]);
      if (unplaced.size <= MOST_UNPLACED) ledger.#orders.set(key, { ...order, unplaced });
    }
    return ledger;
  }

  /** What it takes, about. */
  get bytes(): number {
    return this.#lines.length + this.size * BYTES_OF_HOLDING + BYTES_OF_LEDGER;
  }

  /**
   * A page in an order of the market; null where the catalogue lacks a variant or the row of a cursor.
   * @param only the holdings that are meant, as `where` gives them; all where it is left out
   */
  page(
    name: OrderName,
    descending: boolean,
    request: PageRequest,
    prices: Prices,
    only?: Bits,
  ): Page<SummaryRow> | null {
    const of = this.#ordered(prices);
    if (!of) return null;
    const order = atOnce(this.#order(name, of, prices));
    const places = only ? order.filter((holding) => only.has(holding)) : order;
    const page = orderedPage(name, places, of, request, descending);
    return page && { ...page, items: page.items.map(this.#summaries(of)) };
  }

  /**
   * The variants of so many names in their order, with the place of the name that each has: from the first on, or from the
   * names of the product and the variant that are given. Null where those are not held, or the catalogue lacks a variant.
   */
  variantsByName(
    from: readonly [product: string, variant: string] | null,
    descending: boolean,
    count: number,
    prices: Prices,
  ): NamedPlace[] | null {
    const of = this.#ordered(prices);
    if (!of) return null;
    const { holdings, names } = of;
    const order = atOnce(this.#order('Alphabetical', of, prices));
    const found: NamedPlace[] = [];
    let last = from;
    let place = from ? -1 : 0;
    for (let i = 0; i < order.length && place < count; i++) {
      const holding = order[descending ? order.length - 1 - i : i]!;
      const { id, productId, variantName } = names.at(holdings.variants[holding]!);
      const product = names.products.get(productId)!.name;
      const isLast = last !== null && variantName === last[1] && product === last[0];
      if (place === -1 && !isLast) continue;
      if (place === -1) place = 0;
      else if (!isLast && last !== null) place++;
      last = [product, variantName];
      if (place < count) found.push({ id, place });
    }
    return place === -1 ? null : found;
  }

  /** The holdings that fulfil a condition; null where the catalogue lacks a variant. */
  *where(holds: (holding: HeldHolding) => boolean, prices: Prices): Parts<Bits | null> {
    const of = yield* this.#orderedInParts(prices);
    if (!of) return null;
    const holding = new HeldHolding(of, this.#summaries(of));
    const found = new Bits(this.size);
    yield* countedInParts(this.size, (i) => {
      holding.at = i;
      if (holds(holding)) found.add(i);
    });
    return found;
  }

  /** Gives the summary of a holding. */
  #summaries({ holdings, priceOf }: Ordered): (holding: number) => SummaryRow {
    const heldIn = { collectionId: this.collectionId, ...this.terms };
    return (holding) => ({
      ...holdingRow(heldIn, holdings.line(holding)),
      price: priceOf(holdings.variants[holding]!),
    });
  }

  /**
   * What the collection is worth, as `collectionValue` of db/queries/valuation.ts has it: over the holdings that have a
   * price, converted once for each currency that prices are in. Null where the catalogue lacks a variant.
   */
  *value({ catalogue, priceSource }: Prices): Parts<LedgerValue | null> {
    const holdings = yield* this.#held(catalogue.parts.names);
    if (!holdings) return null;
    const { prices, rates } = catalogue.parts.pricing;
    const list = prices.of(priceSource);
    const held: HeldSums = { byCurrency: new Map(), unpriced: 0, unknownCost: 0 };
    for (let start = 0; start < holdings.size; start += PART) {
      if (start > 0) yield;
      addHeld(held, holdings, list, start, Math.min(start + PART, holdings.size));
    }
    const { byCurrency, unknownCost } = held;
    let { unpriced } = held;
    const total = noValue();
    for (const [currency, { value, unknownCostValue, invested, quantity }] of byCurrency) {
      const rate = rates.rate(currency, this.terms.currency);
      // As in SQL, an amount of a currency without a rate is not known.
      if (rate === undefined) {
        unpriced += quantity;
        continue;
      }
      const converted = ({ text }: DecimalSum) => (rate === '1' ? text : product(text, rate));
      total.value.add(converted(value));
      total.unknownCostValue.add(converted(unknownCostValue));
      total.invested.add(invested.text);
    }
    const gain = difference(total.value.text, total.invested.text);
    const unknownCostValue = total.unknownCostValue.text;
    total.value.add(unknownCostValue);
    return { marketValue: total.value.text, gain, unpriced, unknownCost, unknownCostValue };
  }

  /** Puts the holdings in an order, for the pages of it that follow. */
  *putInOrder(name: OrderName, prices: Prices): Parts<void> {
    const of = yield* this.#orderedInParts(prices);
    if (of) yield* this.#order(name, of, prices);
  }

  /** Whether it need not be put in this order first. */
  isOrdered(name: OrderName, prices: Prices): boolean {
    const { from, known } = this.#knownOrder(name, prices);
    return known?.from.deref() === from;
  }

  #knownOrder(name: OrderName, { catalogue, priceSource }: Prices) {
    const { names, pricing } = catalogue.parts;
    const key = `${name} ${priceSource}`;
    return { key, from: isUnpriced(name) ? names : pricing, known: this.#orders.get(key) };
  }

  *#order(name: OrderName, of: Ordered, prices: Prices): Parts<Uint32Array> {
    const { key, from, known } = this.#knownOrder(name, prices);
    const isKnown = known?.from.deref() === from;
    if (isKnown && known.unplaced.size === 0) return known.value;
    const value = isKnown
      ? reordered(name, known.value, known.unplaced, of)
      : yield* ordered(name, of, known?.value);
    this.#orders.set(key, { from: new WeakRef(from), value, unplaced: new Set() });
    return value;
  }

  #ordered(prices: Prices): Ordered | null {
    return atOnce(this.#orderedInParts(prices));
  }

  *#orderedInParts({ catalogue, priceSource }: Prices): Parts<Ordered | null> {
    const { names, pricing } = catalogue.parts;
    const holdings = yield* this.#held(names);
    const { currency } = this.terms;
    const priceOf = (variant: number) => pricing.exact(variant, currency, priceSource);
    const unitsOf = pricing.units(currency, priceSource);
    return holdings && { holdings, names, priceOf, unitsOf };
  }

  /** Null where the catalogue does not have one of the variants. */
  *#held(names: Names): Parts<Holdings | null> {
    const held = this.#holdings;
    if (held?.from.deref() === names) return held.value;
    const value = yield* Holdings.of(this.#lines, names);
    this.#holdings = { from: new WeakRef(names), value };
    return value;
  }
}

/** A variant, and the place of its name among those that are asked for. */
export interface NamedPlace {
  id: string;
  place: number;
}

/** With what it follows from, which is not kept for a ledger that nobody asks for any more. */
interface Made<From extends object, T> {
  from: WeakRef<From>;
  value: T;
}

interface MadeOrder extends Made<Names | Pricing, Uint32Array> {
  /** Holdings that have changed since. */
  unplaced: ReadonlySet<number>;
}

/** The ledgers that are kept, by the ids of their collections; those used least recently go first. */
export class HeldLedgers {
  /** By collection, also where its ledger is not kept, the state of prices and rates of the value that was seen stored last. */
  readonly storedAt = new LRUCache<string, number>({ max: MAX_STORED });
  readonly #ledgers = new Map<string, HeldLedger>();
  #bytes = 0;

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
    this.#bytes += ledger.bytes;
    for (const [id] of this.#ledgers) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#forget(id);
    }
  }

  #forget(collectionId: string): void {
    const known = this.#ledgers.get(collectionId);
    if (!known) return;
    this.#ledgers.delete(collectionId);
    this.#bytes -= known.bytes;
  }
}
