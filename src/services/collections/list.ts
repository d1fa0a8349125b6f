import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import {
  COLLECTION_ORDERS,
  COLLECTIONS_OF_KIND,
  type CollectionRow,
  collectionList,
} from '../../db/queries/collections.ts';
import { type Order, readPage, reversed } from '../../db/queries/page.ts';
import type { CollectionKind } from '../../domain/collections.ts';
import { compare } from '../../domain/money.ts';
import type { CollectionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { Collection } from './model.ts';
import { readValued, staleOf, withValues } from './valued.ts';

export function collectionOrder(sort: CollectionSort, reverse = false): Order {
  return reversed(COLLECTION_ORDERS[sort], reverse);
}

/** The value of a collection by which the order goes, where that depends on the market; null where it does not. */
function sortedValueOf({ key }: Order): ((row: CollectionRow) => string) | null {
  if (key === COLLECTION_ORDERS.Value.key) return ({ marketValue }) => marketValue;
  if (key === COLLECTION_ORDERS.PercentageGain.key)
    return ({ percentageGain }) => percentageGain ?? '-Infinity';
  return null;
}

/** The caller's collections, a page at a time; of one kind, or null for all. */
export async function listCollections(
  ctx: Context,
  order: Order,
  request: PageRequest,
  kind: CollectionKind | null = null,
): Promise<Page<Collection>> {
  const value = sortedValueOf(order);
  const page = await readValued(
    ctx,
    (source) => {
      const list = collectionList(source, order, value !== null);
      return readPage<CollectionRow>(ctx.db, list, [ctx.caller.accountId, kind], request);
    },
    (page) => {
      const { items } = page;
      if (!value || isWhole(page, request)) return staleOf(items);
      // A page without rows may be one of what the order was.
      if (items.length === 0) return 'unknown';
      return items[0]!.isAnyStale ? 'all' : [];
    },
    (page, worthOf) => {
      const items = withValues(page.items, worthOf);
      return items && { ...page, ...(value ? sorted(items, order, value) : { items }) };
    },
  );
  return { ...page, items: observed(ctx, page.items).map((row) => new Collection(row)) };
}

/** Whether the page is the list. One within cursors has what was there by what the collections were worth. */
function isWhole({ hasNextPage, hasPreviousPage }: Page<unknown>, request: PageRequest): boolean {
  const isWithin = request.kind === 'key' && (request.after ?? request.before) !== null;
  return !isWithin && !hasNextPage && !hasPreviousPage;
}

/** All rows of a list in their order by what they are worth now, as its statement would give them. */
function sorted(
  rows: readonly CollectionRow[],
  { descending }: Order,
  value: (row: CollectionRow) => string,
): Pick<Page<CollectionRow>, 'items' | 'keyOf'> {
  const ascending = (a: CollectionRow, b: CollectionRow) =>
    compare(value(a), value(b)) || (a.id < b.id ? -1 : 1);
  const items = rows.toSorted((a, b) => (descending ? ascending(b, a) : ascending(a, b)));
  return { items, keyOf: (place) => [value(items[place]!), items[place]!.id] };
}

export async function countCollections(ctx: Context, kind: CollectionKind | null): Promise<number> {
  if (kind !== null) {
    const params = [ctx.caller.accountId, kind];
    const [row] = await ctx.db.query<{ count: number }>(COLLECTIONS_OF_KIND, params);
    return row!.count;
  }
  const [account] = await ctx.db.query<AccountRow>(ACCOUNT, [ctx.caller.accountId]);
  return account?.collectionCount ?? 0;
}
