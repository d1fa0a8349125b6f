import { pageOf } from '../db/queries/page.ts';
import { gainOf, marketValueOf, type PricedHolding, percentageGainOf } from '../domain/holding-value.ts';
import { compare } from '../domain/money.ts';
import type { KeyCursor, Page, PageRequest } from '../domain/pagination.ts';
import type { NamedVariant, Names } from './names.ts';

/** The orders that are made in memory. */
export const ORDER_NAMES = ['Alphabetical', 'MarketValue', 'UnitValue', 'Gain', 'PercentageGain'] as const;
export type OrderName = (typeof ORDER_NAMES)[number];

/** A holding; the rest of its line is read where it is on a page. */
export interface Held {
  line: string;
  variant: NamedVariant;
  quantity: number;
  invested: string;
  /** Of what is invested, for sums. */
  investedUnits: number;
}

/** Holdings in an order that follows from the catalogue or from prices, from its first to its last. */
export interface MarketOrder {
  /** Null where the place of a cursor is not known here. */
  page(request: PageRequest, descending: boolean): Page<Held> | null;
}

/** @param priceOf the exact price of one card, null where none is known */
export function marketOrder(
  name: OrderName,
  holdings: readonly Held[],
  priceOf: (variant: NamedVariant) => string | null,
  names: Names,
): MarketOrder {
  if (name === 'Alphabetical') return orderByName(holdings, names);
  return orderByAmount(AMOUNTS[name], holdings, priceOf);
}

/** What a page by key needs of an order: the key of a place, and where a cursor stands. */
interface Places {
  /** The holdings in their order. */
  ordered: readonly Held[];
  keyOf(held: Held): KeyCursor;
  /** The first place at or behind the cursor's, and whether it is the cursor's; null where that is not known. */
  placeOf(cursor: KeyCursor): { place: number; isThere: boolean } | null;
}

/** `descending` is said of the keys: the first place of a descending order has the highest. */
function pagesOf({ ordered, keyOf, placeOf }: Places, isDescending: boolean): MarketOrder {
  return {
    page(request, descending) {
      const reversed = descending !== isDescending;
      const at = (i: number) => ordered[reversed ? ordered.length - 1 - i : i]!;
      const range = rangeOf(request, ordered.length, reversed, placeOf);
      if (!range) return null;
      const { start, end, fromEnd } = range;
      const count = Math.max(0, Math.min(end - start, request.size + 1));
      const shown = Array.from({ length: count }, (_, i) => at(fromEnd ? end - 1 - i : start + i));
      return pageOf(shown, request.kind === 'key' ? shown.map(keyOf) : [], request);
    },
  };
}

/** The places that a request leaves, of the order as it is asked for. */
function rangeOf(
  request: PageRequest,
  size: number,
  reversed: boolean,
  placeOf: Places['placeOf'],
): { start: number; end: number; fromEnd: boolean } | null {
  if (request.kind === 'position')
    return { start: Math.min(request.position, size), end: size, fromEnd: false };
  const after = boundOf(request.after, reversed, size, placeOf);
  const before = boundOf(request.before, reversed, size, placeOf);
  if (after === null || before === null) return null;
  return {
    start: request.after ? after.behind : 0,
    end: request.before ? before.at : size,
    fromEnd: request.fromEnd,
  };
}

/** The first place at or behind the cursor, and the first behind it. */
function boundOf(
  cursor: KeyCursor | null,
  reversed: boolean,
  size: number,
  placeOf: Places['placeOf'],
): { at: number; behind: number } | null {
  if (cursor === null) return { at: 0, behind: 0 };
  const found = placeOf(cursor);
  if (!found) return null;
  const at = found.place;
  const behind = at + (found.isThere ? 1 : 0);
  return reversed ? { at: size - behind, behind: size - at } : { at, behind };
}

function orderByName(holdings: readonly Held[], names: Names): MarketOrder {
  const ordered = [...holdings].sort((a, b) => a.variant.rank - b.variant.rank);
  const nameOf = ({ id, productId, variantName }: NamedVariant) => [
    names.products.get(productId)!.name,
    variantName,
    id,
  ];
  const placeOf = (cursor: KeyCursor) => {
    const variant = names.variant(cursor[2]!);
    // The names are others by now, and only the database can tell where the old ones stood.
    if (!variant || nameOf(variant).join('\0') !== cursor.join('\0')) return null;
    const place = firstPlace(ordered.length, (i) => ordered[i]!.variant.rank >= variant.rank);
    return { place, isThere: ordered[place]?.variant === variant };
  };
  return pagesOf({ ordered, keyOf: ({ variant }) => nameOf(variant), placeOf }, false);
}

/** An amount that holdings are ordered by, highest first: exact as a decimal, and about. */
interface Amount {
  /** Null where it is not known: behind all others. */
  exact(holding: PricedHolding): string | null;
  /** As a double, off by at most `error`. */
  about(price: number, quantity: number, invested: number): { value: number; error: number };
}

/** What a double is off by, of its own size, after the few steps that are taken here; well on the safe side. */
const EPSILON = 1e-14;

const AMOUNTS: Record<Exclude<OrderName, 'Alphabetical'>, Amount> = {
  MarketValue: {
    exact: (holding) => marketValueOf(holding) ?? '0',
    about: (price, quantity) => {
      const value = price * Math.max(quantity, 0);
      return { value, error: value * EPSILON };
    },
  },
  UnitValue: {
    exact: ({ price }) => price,
    about: (price) => ({ value: price, error: price * EPSILON }),
  },
  Gain: {
    exact: gainOf,
    about: (price, quantity, invested) => {
      const value = price * Math.max(quantity, 0);
      return { value: value - invested, error: (value + invested) * EPSILON };
    },
  },
  PercentageGain: {
    exact: percentageGainOf,
    about: (price, quantity, invested) => {
      const ratio = (price * Math.max(quantity, 0)) / invested;
      // The exact one is rounded.
      return { value: ratio - 1, error: (ratio + 1) * EPSILON + 1e-20 };
    },
  },
};

/** A holding while it is sorted. */
interface Priced {
  held: Held;
  holding: PricedHolding;
  value: number;
  error: number;
  /** Made where the doubles do not settle it. */
  exact?: string;
}

function orderByAmount(
  amount: Amount,
  holdings: readonly Held[],
  priceOf: (variant: NamedVariant) => string | null,
): MarketOrder {
  const exactOf = (holding: PricedHolding) => amount.exact(holding) ?? '-Infinity';
  const priced = holdings.map((held) => pricedOf(amount, held, priceOf(held.variant)));
  priced.sort((a, b) => byAmount(a, b, exactOf));
  const ordered = priced.map(({ held }) => held);
  const keyOf = (held: Held) => [exactOf(holdingOf(held, priceOf(held.variant))), held.variant.id];
  const placeOf = (cursor: KeyCursor) => {
    const distance = (i: number) => fromCursor(cursor, keyOf(ordered[i]!));
    const place = firstPlace(ordered.length, (i) => distance(i) >= 0);
    return { place, isThere: place < ordered.length && distance(place) === 0 };
  };
  return pagesOf({ ordered, keyOf, placeOf }, true);
}

/** Below 0 before the cursor, above it behind. */
function fromCursor(cursor: KeyCursor, key: KeyCursor): number {
  return compare(cursor[0]!, key[0]!) || compareTexts(cursor[1]!, key[1]!);
}

function holdingOf({ quantity, invested }: Held, price: string | null): PricedHolding {
  return { price, quantity, invested };
}

function pricedOf(amount: Amount, held: Held, price: string | null): Priced {
  const holding = holdingOf(held, price);
  const invested = Number(holding.invested);
  const isKnown = price !== null && (amount !== AMOUNTS.PercentageGain || invested !== 0);
  if (isKnown) return { held, holding, ...amount.about(Number(price), holding.quantity, invested) };
  return { held, holding, value: amount === AMOUNTS.MarketValue ? 0 : Number.NEGATIVE_INFINITY, error: 0 };
}

/** Highest first, then by id from the last: by the doubles where they are far enough apart, else by the decimals. */
function byAmount(a: Priced, b: Priced, exactOf: (holding: PricedHolding) => string): number {
  if (Math.abs(a.value - b.value) > a.error + b.error) return b.value - a.value;
  return byExactAmount(a, b, exactOf) || compareTexts(b.held.variant.id, a.held.variant.id);
}

function byExactAmount(a: Priced, b: Priced, exactOf: (holding: PricedHolding) => string): number {
  if (a.value === Number.NEGATIVE_INFINITY || hasSame(a.holding, b.holding)) return 0;
  a.exact ??= exactOf(a.holding);
  b.exact ??= exactOf(b.holding);
  return a.exact === b.exact ? 0 : compare(b.exact, a.exact);
}

/** Most that are alike are so in all that counts. */
function hasSame(a: PricedHolding, b: PricedHolding): boolean {
  return a.price === b.price && a.quantity === b.quantity && a.invested === b.invested;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first of so many places at which `holds` is true, as it is for all behind it. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
