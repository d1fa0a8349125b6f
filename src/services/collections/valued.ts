import type { CollectionSource } from '../../db/queries/collections.ts';
import { REVALUE_COLLECTIONS } from '../../db/queries/valuation.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';

/**
 * Reads rows with market values of collections, which are kept until the next import: where one of them is of an older
 * market, the collections concerned are valued afresh, and read again with what they are worth.
 *
 * @param staleOf the ids of the stale ones among the rows, or `all` for all collections of the account
 */
export async function readValued<Rows>(
  ctx: Context,
  read: (source: CollectionSource) => Promise<Rows>,
  staleOf: (rows: Rows) => readonly string[] | 'all',
): Promise<Rows> {
  // A transaction reads what is there: it is not to write for a reader.
  if (ctx.db.isTransaction) return read('valued');
  const rows = await read('stored');
  const stale = staleOf(rows);
  if (stale.length === 0) return rows;
  await revalue(ctx, stale);
  // Those that somebody wrote meanwhile are still stale.
  return read('valued');
}

/** Values stale collections of the caller afresh, and tells those who follow them. */
export async function revalue(ctx: Context, ids: readonly string[] | 'all'): Promise<void> {
  const { accountId } = ctx.caller;
  const params = [accountId, ids === 'all' ? null : JSON.stringify(ids)];
  announceCollections(ctx.db, accountId, await ctx.db.query<{ id: string }>(REVALUE_COLLECTIONS, params));
}
