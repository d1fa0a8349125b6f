import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import { COLLECTION_COLUMNS, type CollectionRow } from '../../db/queries/collections.ts';
import { ascending, descending, type Order, readPage, reversed } from '../../db/queries/page.ts';
import type { CollectionSort } from '../../domain/orders.ts';
import type { KeyCursor, Page, PageRequest } from '../../domain/pagination.ts';
import { type Context, observed } from '../context.ts';
import { summariesPage, withSummaries } from '../summaries/list.ts';
import type { TransactionSummary } from '../summaries/model.ts';
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

const LIST = {
  columns: COLLECTION_COLUMNS,
  from: 'collection c',
  where: 'c.account_id = $1 and not c.deleted',
};

/** The caller's collections, a page at a time. */
export async function listCollections(
  ctx: Context,
  order: Order,
  request: PageRequest,
): Promise<Page<Collection>> {
  const page = await readPage<CollectionRow>(ctx.db, { ...LIST, order }, [ctx.caller.accountId], request);
  return { ...page, items: observed(ctx, page.items).map((row) => new Collection(row)) };
}

interface ColumnsOfSummaries {
  /** Null where it has none. */
  lines: string | null;
  keys?: KeyCursor[];
}

/** The same with a page of the summaries of each, in one statement. */
export async function listCollectionsWithSummaries(
  ctx: Context,
  order: Order,
  request: PageRequest,
  of: { order: Order; request: PageRequest },
): Promise<{ collections: Page<Collection>; summaries: Page<TransactionSummary>[] }> {
  const list = { ...LIST, columns: `c.account_id, ${COLLECTION_COLUMNS}`, order };
  const { items: rows, ...page } = await readPage<CollectionRow & ColumnsOfSummaries>(
    ctx.db,
    list,
    [ctx.caller.accountId],
    request,
    (collections) => withSummaries(collections, of.order, of.request),
  );
  observed(ctx, rows);
  const summaries = rows.map(({ id: collectionId, currency, marketRevision, lines, keys }) =>
    summariesPage(
      lines === null ? undefined : { collectionId, currency, marketRevision, lines, keys },
      of.request,
    ),
  );
  return { collections: { ...page, items: rows.map((row) => new Collection(row)) }, summaries };
}

export async function countCollections(ctx: Context): Promise<number> {
  const [account] = await ctx.db.query<AccountRow>(ACCOUNT, [ctx.caller.accountId]);
  return account?.collectionCount ?? 0;
}
