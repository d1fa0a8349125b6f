import { firstPlace } from '../lib/lists.ts';
import type { CursorShape, KeyCursor, KeyKind, KeyRequest, Page } from './pagination.ts';

/** Lists that are at hand in whole, in an order by keys: pages stay right while items come and go (docs/decisions.md#lists). */

export interface KeyColumn<T> {
  kind: KeyKind;
  descending?: true;
  of(item: T): string;
}

/** A total order: the last column is unique. Numbers and dates that are not known are `-Infinity` and `-infinity`. */
export interface KeyOrder<T> extends CursorShape {
  columns: readonly KeyColumn<T>[];
  isReversed: boolean;
}

export function keyOrder<T>(name: string, columns: readonly KeyColumn<T>[], reverse = false): KeyOrder<T> {
  return {
    name: reverse ? `${name}-reversed` : name,
    kinds: columns.map(({ kind }) => kind),
    columns,
    isReversed: reverse,
  };
}

/** For sorting. */
export function inOrder<T>(order: KeyOrder<T>): (a: T, b: T) => number {
  return (a, b) => compareWith(order, a, (column) => column.of(b));
}

/** The page of a list that is sorted so. */
export function pageInOrder<T>(list: readonly T[], order: KeyOrder<T>, request: KeyRequest): Page<T> {
  const { after, before, size, fromEnd } = request;
  const low = after === null ? 0 : placeOf(list, order, after, 1);
  const high = before === null ? list.length : placeOf(list, order, before, 0);
  const start = fromEnd ? Math.max(low, high - size) : low;
  const end = Math.max(start, fromEnd ? high : Math.min(low + size, high));
  const items = list.slice(start, end);
  return {
    items,
    keyOf: (place) => order.columns.map((column) => column.of(items[place]!)),
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
  };
}

/** The first place of an item that compares with the key by so much at least. */
function placeOf<T>(list: readonly T[], order: KeyOrder<T>, key: KeyCursor, least: 0 | 1): number {
  return firstPlace(list.length, (at) => compareWith(order, list[at]!, (_, i) => key[i]!) >= least);
}

function compareWith<T>(
  { columns, isReversed }: KeyOrder<T>,
  item: T,
  keyOf: (column: KeyColumn<T>, place: number) => string,
): number {
  for (const [i, column] of columns.entries()) {
    const difference = compareKeys(column.kind, column.of(item), keyOf(column, i));
    if (difference !== 0) return (column.descending ?? false) === isReversed ? difference : -difference;
  }
  return 0;
}

function compareKeys(kind: KeyKind, a: string, b: string): number {
  if (a === b) return 0;
  const isLess = kind === 'numeric' ? Number(a) < Number(b) : a < b;
  return isLess ? -1 : 1;
}
