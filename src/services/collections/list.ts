import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import {
  COLLECTION_ORDERS,
  COLLECTION_SOURCES,
  COLLECTIONS_OF_KIND,
  type CollectionRow,
  columnsByValue,
  READ_COLUMNS,
} from '../../db/queries/collections.ts';
import { type Order, readPage, reversed } from '../../db/queries/page.ts';
import type { CollectionKind } from '../../domain/collections.ts';
import type { CollectionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { staleOf } from './get.ts';
import { Collection } from './model.ts';
import { readValued, withStored } from './valued.ts';

export function collectionOrder(sort: CollectionSort, reverse = false): Order {
  return reversed(COLLECTION_ORDERS[sort], reverse);
}

/** Then the order of all depends on the market. */
function isByValue({ key }: Order): boolean {
  return [COLLECTION_ORDERS.Value, COLLECTION_ORDERS.PercentageGain].some((order) => key === order.key);
}

/** The caller's collections, a page at a time; of one kind, or null for all. */
export async function listCollections(
  ctx: Context,
  order: Order,
  request: PageRequest,
  kind: CollectionKind | null = null,
): Promise<Page<Collection>> {
  const byValue = isByValue(order);
  const params = [ctx.caller.accountId, ...(kind === null ? [] : [kind])];
  const page = await readValued(
    ctx,
    (source) => {
      const list = {
        columns: byValue ? columnsByValue(source) : READ_COLUMNS,
        from: `${COLLECTION_SOURCES[source]} c`,
        where: `c.account_id = $1 and not c.deleted${kind === null ? '' : ' and c.kind = $2'}`,
        // What they are worth is summed up of all that they hold.
        order: source === 'stored' ? order : { ...order, isIndexed: false },
      };
      return readPage<CollectionRow>(ctx.db, list, params, request);
    },
    ({ items }) => {
      if (!byValue) return staleOf(items);
      // A page without rows may be one of what the order was.
      return items.length === 0 || items[0]!.isStale ? 'all' : [];
    },
    (page, stored) => {
      const items = withStored(page.items, stored);
      return items && { ...page, items };
    },
  );
  return { ...page, items: observed(ctx, page.items).map((row) => new Collection(row)) };
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
