import { isCalendarDate } from './dates.ts';
import { type Breach, DomainError, validationFailed } from './errors.ts';
import { LIMITS } from './limits.ts';

/**
 * One page of a list, asked for in either of two ways (docs/decisions.md#lists): by position, as REST's whole-number cursor does,
 * or by key, as a Relay connection does.
 */
export type PageRequest = { kind: 'position'; position: number; size: number } | KeyRequest;

export interface KeyRequest {
  kind: 'key';
  after: KeyCursor | null;
  before: KeyCursor | null;
  size: number;
  fromEnd: boolean;
}

/** The key of the item that a connection's cursor stands for: the texts of its order's expressions. */
export type KeyCursor = readonly string[];

/** How the texts of a key are to be read. */
const KEY_PATTERNS = {
  text: /^[^\0]*$/su,
  numeric: /^-?(\d{1,60}(\.\d{1,60})?|Infinity)$/,
  date: /^(\d{4}-\d{2}-\d{2}|-?infinity)$/,
  position: /^\d{1,9}$/,
  count: /^\d{1,18}$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
} as const;
export type KeyKind = keyof typeof KEY_PATTERNS;

/** What makes a cursor fit a list: its name and order, and the kinds of its key's parts. */
export interface CursorShape {
  name: string;
  kinds: readonly KeyKind[];
}

export interface Page<T> {
  items: T[];
  /** The key of the item at a place, made when it is asked for; of pages by key. */
  keyOf: (place: number) => KeyCursor;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** How many the list has in all, in the state that the page is of; where that is known with the page. */
  total?: number;
}

/** A page that knows how many the list has in all. */
export interface CountedPage<T> extends Page<T> {
  total: number;
}

/** Relay's four arguments, as a connection field gets them. */
export interface ConnectionArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

/**
 * The page that a connection's arguments ask for; a cursor of another list or order is refused.
 * Throws `ValidationFailed` for sizes out of 1 to 200, both sizes at once, or a malformed cursor.
 */
export function pageByKey(args: ConnectionArguments, shape: CursorShape): KeyRequest {
  const size = connectionSize(args);
  return {
    kind: 'key',
    after: decodeCursor(args.after, shape, 'after'),
    before: decodeCursor(args.before, shape, 'before'),
    size,
    fromEnd: args.last != null,
  };
}

/** The size of the page that a connection's arguments ask for. Throws `ValidationFailed`. */
export function connectionSize({ first, last }: Pick<ConnectionArguments, 'first' | 'last'>): number {
  const breaches: Breach[] = [];
  if (first != null && last != null)
    breaches.push({ path: ['last'], detail: 'must not be given together with first' });
  for (const [name, size] of Object.entries({ first, last })) {
    if (size != null && !isPageSize(size)) breaches.push({ path: [name], detail: PAGE_SIZE_RULE });
  }
  if (breaches.length > 0) throw validationFailed(breaches);
  return first ?? last ?? LIMITS.defaultPageSize;
}

/** The page that REST's `cursor` and `pageSize` ask for. Throws `ValidationFailed`. */
export function pageByPosition(query: {
  cursor?: string | undefined;
  pageSize?: string | undefined;
}): PageRequest & { kind: 'position' } {
  const breaches: Breach[] = [];
  const position = wholeNumber(query.cursor, 0);
  const size = wholeNumber(query.pageSize, LIMITS.defaultPageSize);
  if (position === null) breaches.push({ path: ['cursor'], detail: 'must be a whole number from 0' });
  if (size === null || !isPageSize(size)) breaches.push({ path: ['pageSize'], detail: PAGE_SIZE_RULE });
  if (breaches.length > 0) throw validationFailed(breaches);
  return { kind: 'position', position: position!, size: size! };
}

/** A cursor at or past the number of items, other than 0, is `NotFound`. */
export function checkPosition(position: number, itemsFound: number): void {
  if (position > 0 && itemsFound === 0) {
    throw new DomainError('NotFound', `The cursor ${position} is beyond the maximum cursor of this list.`);
  }
}

export function encodeCursor(shape: CursorShape, key: KeyCursor): string {
  return Buffer.from(JSON.stringify([shape.name, ...key])).toString('base64url');
}

/**
 * The page that starts at `position` of a list that is at hand in whole, such as search results: their order is not
 * stored, so their key is the position.
 */
export function pageOfPositions(request: PageRequest, total: number): { start: number; end: number } {
  if (request.kind === 'position') {
    return {
      start: Math.min(request.position, total),
      end: Math.min(request.position + request.size, total),
    };
  }
  const low = request.after ? Number(request.after[0]) + 1 : 0;
  const high = request.before ? Math.min(Number(request.before[0]), total) : total;
  if (request.fromEnd) return { start: Math.max(low, high - request.size), end: Math.max(low, high) };
  return { start: low, end: Math.max(low, Math.min(low + request.size, high)) };
}

/** The page of such a list, by a connection; `itemsIn` gives the items from one position to before another. */
export function pageOfList<T>(
  request: KeyRequest,
  total: number,
  itemsIn: (start: number, end: number) => T[],
): CountedPage<T> {
  const { start, end } = pageOfPositions(request, total);
  return {
    items: itemsIn(start, end),
    keyOf: (place) => [String(start + place)],
    hasNextPage: end < total,
    hasPreviousPage: start > 0,
    total,
  };
}

/** A page without the items that are not there any more, as they were deleted since its rows were read. */
export function withoutGone<T>(page: Page<T | null>): Page<T> {
  const places = [...page.items.keys()].filter((place) => page.items[place] !== null);
  return {
    ...page,
    items: places.map((place) => page.items[place]!),
    keyOf: (place) => page.keyOf(places[place]!),
  };
}

const PAGE_SIZE_RULE = `must be a whole number from 1 to ${LIMITS.pageSize}`;

function isPageSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= LIMITS.pageSize;
}

function wholeNumber(text: string | undefined, fallback: number): number | null {
  if (text === undefined) return fallback;
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : null;
}

function decodeCursor(
  cursor: string | null | undefined,
  shape: CursorShape,
  argument: string,
): KeyCursor | null {
  if (cursor == null) return null;
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(parts) && parts[0] === shape.name && parts.length === shape.kinds.length + 1) {
    const key = parts.slice(1);
    if (
      key.every(
        (part, i) => typeof part === 'string' && part.isWellFormed() && isOfKind(part, shape.kinds[i]!),
      )
    )
      return key;
  }
  throw validationFailed([{ path: [argument], detail: 'is not a cursor of this list in this order' }]);
}

function isOfKind(text: string, kind: KeyKind): boolean {
  if (!KEY_PATTERNS[kind].test(text)) return false;
  // The database has no year 0.
  return kind !== 'date' || text.endsWith('infinity') || (isCalendarDate(text) && !text.startsWith('0000'));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
