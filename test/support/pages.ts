import type { KeyCursor, Page, PageRequest } from '../../src/domain/pagination.ts';

/** The keys of the items of a page by key. */
export function keysOf({ items, keyOf }: Pick<Page<unknown>, 'items' | 'keyOf'>): KeyCursor[] {
  return items.map((_, place) => keyOf(place));
}

/** A page as one that can be compared: with the keys that it would make, and without the total, which not all know. */
export function comparable<P extends Page<unknown>>({ keyOf, total: _, ...page }: P, { kind }: PageRequest) {
  return { ...page, keys: kind === 'key' ? keysOf({ ...page, keyOf }) : [] };
}
