import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import { COLLECTION_COLUMNS, type CollectionRow } from '../../db/queries/collections.ts';
import { ascending, descending, type Order, readPage, reversed } from '../../db/queries/page.ts';
import type { CollectionSort } from '../../domain/orders.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { Collection } from './model.ts';

const ORDERS: Record<CollectionSort, Order> = {
  Chronological: ascending('collections-created', ['c.id', 'text']),
  Alphabetical: ascending('collections-name', ['c.name', 'text'], ['c.id', 'text']),
  Value: descending('collections-value', ['c.market_value', 'numeric'], ['c.id', 'text']),
  PercentageGain: descending(
    'collections-percentage-gain',
    [`coalesce(c.percentage_gain, '-Infinity')`, 'numeric'],
    ['c.id', 'text'],
  ),
};

export function collectionOrder(sort: CollectionSort, reverse = false): Order {
  return reversed(ORDERS[sort], reverse);
}

/** The caller's collections, a page at a time. */
export async function listCollections(
  ctx: Context,
  order: Order,
  request: PageRequest,
): Promise<Page<Collection>> {
  const list = {
    columns: COLLECTION_COLUMNS,
    from: 'collection c',
    where: 'c.account_id = $1 and not c.deleted',
    order,
  };
  const page = await readPage<CollectionRow>(ctx.db, list, [ctx.caller.accountId], request);
  return { ...page, items: observed(ctx, page.items).map((row) => new Collection(row)) };
}

export async function countCollections(ctx: Context): Promise<number> {
  const [account] = await ctx.db.query<AccountRow>(ACCOUNT, [ctx.caller.accountId]);
  return account?.collectionCount ?? 0;
}
