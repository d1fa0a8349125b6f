import { pageOf } from '../db/queries/page.ts';
import type { ProductRow } from '../db/queries/products.ts';
import { gainOf, marketValueOf, type PricedHolding, percentageGainOf } from '../domain/holding-value.ts';
import { compare, UNITS } from '../domain/money.ts';
import { naturalKey } from '../domain/natural-order.ts';
import type { KeyCursor, Page, PageRequest } from '../domain/pagination.ts';
import { firstPlace } from '../lib/lists.ts';
import { countedInParts, type Parts, sortedInParts } from '../lib/parts.ts';
import type { Holdings } from './holdings.ts';
import type { NamedVariant, Names } from './names.ts';

/** The orders that are made in memory. */
export const ORDER_NAMES = [
  'Alphabetical',
  'CardNumber',
  'Quantity',
  'MarketValue',
  'UnitValue',
  'Gain',
  'PercentageGain',
] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

/** Those that stay when prices change. */
export function isUnpriced(name: OrderName): boolean {
  return isOfLabels(name) || name === 'Quantity';
}

type LabelOrder = 'Alphabetical' | 'CardNumber';

function isOfLabels(name: OrderName): name is LabelOrder {
  return name === 'Alphabetical' || name === 'CardNumber';
}

/** By what holdings are ordered, from the first to the last. Holdings are known by their places among all. */
interface Key {
  /** Whether the first has the highest. */
  isDescending: boolean;
  of(holding: number): KeyCursor;
  /** Above 0 where a holding is behind the cursor, below it before; null where that is not known here. */
  distance(cursor: KeyCursor): ((holding: number) => number) | null;
}

/** What an order follows from. */
export interface Ordered {
  holdings: Holdings;
  names: Names;
  /** The exact price of one card by the place of its variant, null where none is known. */
  priceOf: (variant: number) => string | null;
  /** The same in units of a `DecimalSum`; NaN where none is known, or it is long. */
  unitsOf: (variant: number) => number;
}

/**
 * The holdings in their order, by their places among all.
 * @param before their order at other prices, from which less is to be moved
 */
export function* ordered(name: OrderName, of: Ordered, before?: Uint32Array): Parts<Uint32Array> {
  const compare = isOfLabels(name) ? byRank(LABELS[name], of) : yield* byAmount(AMOUNTS[name], of);
  const { size } = of.holdings;
  const places = new Array<number>(size);
  for (let i = 0; i < size; i++) places[i] = before?.length === size ? before[i]! : i;
  // Both by a plain loop: `from` goes by iterators, which takes as long as to sort them.
  return new Uint32Array(yield* sortedInParts(places, compare));
}

function byRank({ rankOf }: Label, { holdings, names }: Ordered): (a: number, b: number) => number {
  const ranks = holdings.variants.map((variant) => rankOf(names.at(variant)));
  return (a, b) => ranks[a]! - ranks[b]!;
}

/** An order after some holdings were changed or came behind all others. */
export function reordered(
  name: OrderName,
  before: Uint32Array,
  changed: ReadonlySet<number>,
  of: Ordered,
): Uint32Array {
  const key = keyOf(name, of);
  const places = [...before.filter((place) => !changed.has(place))];
  for (const place of changed) places.splice(boundOf(key, places, key.of(place))!.at, 0, place);
  return new Uint32Array(places);
}

/**
 * The places of a page. `descending` is said of the keys: the first of a descending order has the highest.
 * Null where the place of a cursor is not known here.
 */
export function orderedPage(
  name: OrderName,
  places: Uint32Array,
  of: Ordered,
  request: PageRequest,
  descending: boolean,
): Page<number> | null {
  const key = keyOf(name, of);
  const size = places.length;
  const reversed = descending !== key.isDescending;
  const range = rangeOf(request, key, places, reversed);
  if (!range) return null;
  const { start, end, fromEnd } = range;
  const count = Math.max(0, Math.min(end - start, request.size + 1));
  const shown = Array.from({ length: count }, (_, i) => {
    const at = fromEnd ? end - 1 - i : start + i;
    return places[reversed ? size - 1 - at : at]!;
  });
  return pageOf(shown, (place) => key.of(shown[place]!), request);
}

/** The places that a request leaves, of the order as it is asked for. */
function rangeOf(
  request: PageRequest,
  key: Key,
  places: Uint32Array,
  reversed: boolean,
): { start: number; end: number; fromEnd: boolean } | null {
  const size = places.length;
  if (request.kind === 'position')
    return { start: Math.min(request.position, size), end: size, fromEnd: false };
  const bound = (cursor: KeyCursor | null) => {
    if (cursor === null) return { at: 0, behind: size };
    const found = boundOf(key, places, cursor);
    return found && reversed ? { at: size - found.behind, behind: size - found.at } : found;
  };
  const after = bound(request.after);
  const before = bound(request.before);
  if (!after || !before) return null;
  return {
    start: request.after ? after.behind : 0,
    end: request.before ? before.at : size,
    fromEnd: request.fromEnd,
  };
}

/** The first place at or behind the cursor, and the first behind it. */
function boundOf(
  key: Key,
  places: Uint32Array | readonly number[],
  cursor: KeyCursor,
): { at: number; behind: number } | null {
  const distance = key.distance(cursor);
  if (!distance) return null;
  const at = firstPlace(places.length, (i) => distance(places[i]!) >= 0);
  const isThere = at < places.length && distance(places[at]!) === 0;
  return { at, behind: at + (isThere ? 1 : 0) };
}

function keyOf(name: OrderName, of: Ordered): Key {
  return isOfLabels(name) ? labelKey(LABELS[name], of) : amountKey(AMOUNTS[name], of);
}

/** What of variants holdings are ordered by, lowest first. */
interface Label {
  /** As the database has it. */
  textsOf(variant: NamedVariant, product: ProductRow): string[];
  rankOf(variant: NamedVariant): number;
}

const LABELS: Record<LabelOrder, Label> = {
  Alphabetical: {
    textsOf: ({ id, variantName }, { name }) => [name, variantName, id],
    rankOf: ({ rank }) => rank,
  },
  CardNumber: {
    textsOf: ({ id }, { number }) => [naturalKey(number), id],
    rankOf: ({ numberRank }) => numberRank,
  },
};

function labelKey({ textsOf, rankOf }: Label, { holdings, names }: Ordered): Key {
  const variantOf = (holding: number) => names.at(holdings.variants[holding]!);
  const keyOfVariant = (variant: NamedVariant) => textsOf(variant, names.products.get(variant.productId)!);
  return {
    isDescending: false,
    of: (holding) => keyOfVariant(variantOf(holding)),
    distance(cursor) {
      const variant = names.variant(cursor.at(-1)!);
      // The names or numbers are others by now, and only the database can tell where the old ones stood.
      if (!variant || keyOfVariant(variant).join('\0') !== cursor.join('\0')) return null;
      return (holding) => rankOf(variantOf(holding)) - rankOf(variant);
    },
  };
}

function amountKey(amount: Amount, { holdings, names, priceOf }: Ordered): Key {
  const of = (holding: number): KeyCursor => {
    const variant = holdings.variants[holding]!;
    return [exactly(amount, holdings.priced(holding, priceOf(variant))), names.at(variant).id];
  };
  const distance = (cursor: KeyCursor) => (holding: number) => fromCursor(cursor, of(holding));
  return { isDescending: true, of, distance };
}

/** A number of units as a double, off by at most `error`. */
interface About {
  value: number;
  error: number;
}

/** An amount that holdings are ordered by, highest first. */
interface Amount {
  /** Null where it is not known: behind all others. */
  exact(holding: PricedHolding): string | null;
  /** @param price null where none is known, @param invested where not what all of them cost */
  about(price: About | null, quantity: number, invested: About | null): About;
}

/** What a double is off by, of its own size, after the few steps that are taken here; well on the safe side. */
const EPSILON = 1e-14;

const AMOUNTS: Record<Exclude<OrderName, LabelOrder>, Amount> = {
  Quantity: {
    exact: ({ quantity }) => String(quantity),
    about: (_price, quantity) => ({ value: quantity, error: 0 }),
  },
  MarketValue: {
    exact: (holding) => marketValueOf(holding) ?? '0',
    about: (price, quantity) => (price ? valueAbout(price, quantity) : NOTHING),
  },
  UnitValue: {
    exact: ({ price }) => price,
    about: (price) => price ?? UNKNOWN,
  },
  Gain: {
    exact: gainOf,
    about(price, quantity, invested) {
      if (!price || !invested) return UNKNOWN;
      const worth = valueAbout(price, quantity);
      const size = worth.value + invested.value;
      return derived(worth.value - invested.value, size, worth.error + invested.error === 0);
    },
  },
  PercentageGain: {
    exact: percentageGainOf,
    about(price, quantity, invested) {
      if (!price || !invested || invested.value === 0) return UNKNOWN;
      const ratio = valueAbout(price, quantity).value / invested.value;
      // The exact one is rounded.
      return { value: ratio - 1, error: (ratio + 1) * EPSILON + 1e-20 };
    },
  },
};

const UNKNOWN: About = { value: Number.NEGATIVE_INFINITY, error: 0 };
const NOTHING: About = { value: 0, error: 0 };

function valueAbout(price: About, quantity: number): About {
  const value = price.value * Math.max(quantity, 0);
  return derived(value, value, price.error === 0);
}

/** Whole numbers stay exact as long as doubles hold them. */
function derived(value: number, size: number, isOfExact: boolean): About {
  return { value, error: isOfExact && size <= Number.MAX_SAFE_INTEGER ? 0 : size * EPSILON };
}

/** Of a long decimal. */
function inUnits(decimal: string): About {
  const value = Number(decimal) * UNITS;
  return { value, error: value * EPSILON };
}

/** Highest first, then by id from the last: by the doubles where they are far enough apart, else by the decimals. */
function* byAmount(amount: Amount, of: Ordered): Parts<(a: number, b: number) => number> {
  const { holdings, priceOf, unitsOf } = of;
  const values = new Float64Array(holdings.size);
  const errors = new Float64Array(holdings.size);
  const prices = new Float64Array(holdings.size);
  yield* countedInParts(holdings.size, (i) => {
    const variant = holdings.variants[i]!;
    const units = unitsOf(variant);
    const price = Number.isNaN(units) ? longPrice(priceOf(variant)) : { value: units, error: 0 };
    const about = amountAbout(amount, holdings, i, price);
    values[i] = about.value;
    errors[i] = about.error;
    prices[i] = units;
  });
  const exact: string[] = [];
  const exactOf = (i: number) => {
    exact[i] ??= exactly(amount, holdings.priced(i, priceOf(holdings.variants[i]!)));
    return exact[i];
  };
  // Most that are near each other are worth and cost the same: nothing is to be worked out then. NaN is like nothing.
  const { quantities, investedUnits, unknownCosts } = holdings;
  const isSame = (a: number, b: number) =>
    prices[a] === prices[b] &&
    quantities[a] === quantities[b] &&
    investedUnits[a] === investedUnits[b] &&
    unknownCosts[a] === unknownCosts[b];
  return (a, b) => {
    const error = errors[a]! + errors[b]!;
    const distance = values[b]! - values[a]!;
    if (Math.abs(distance) > error) return distance;
    const byExact = error === 0 || isSame(a, b) ? 0 : compare(exactOf(b), exactOf(a));
    // Variants have their places in the order of their ids.
    return byExact || holdings.variants[b]! - holdings.variants[a]!;
  };
}

function longPrice(price: string | null): About | null {
  return price === null ? null : inUnits(price);
}

function amountAbout(amount: Amount, holdings: Holdings, i: number, price: About | null): About {
  const units = holdings.investedUnits[i]!;
  const invested = Number.isNaN(units) ? inUnits(holdings.invested(i)) : { value: units, error: 0 };
  const known = holdings.unknownCosts[i] === 0 ? invested : null;
  return amount.about(price, holdings.quantities[i]!, known);
}

function exactly(amount: Amount, holding: PricedHolding): string {
  return amount.exact(holding) ?? '-Infinity';
}

/** Below 0 before the cursor, above it behind. */
function fromCursor(cursor: KeyCursor, key: KeyCursor): number {
  return compare(cursor[0]!, key[0]!) || compareTexts(cursor[1]!, key[1]!);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
