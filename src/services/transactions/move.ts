import { LOCK_ACCOUNT, LOCK_TWO_COLLECTIONS } from '../../db/queries/accounts.ts';
import { type CostPlace, DELETE_COST_STATES } from '../../db/queries/cost-states.ts';
import {
  DELETE_EMPTY_HOLDINGS,
  MOVE_TRANSACTIONS,
  TRANSACTION_IDS,
  TRANSACTION_IDS_OF_VARIANT,
  TRANSACTIONS_HELD,
} from '../../db/queries/ledger-moves.ts';
import { MOVE_SHARE } from '../../db/queries/shares.ts';
import { type CollectionKind, OF_ONE_KIND } from '../../domain/collections.ts';
import { DomainError, notFound, validationFailed } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { MergeCollectionsInput, MoveTransactionsInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { applyPreferences } from '../accounts/apply-preferences.ts';
import { readPreferences } from '../accounts/preferences.ts';
import { removeCollection } from '../collections/delete.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { addCosts } from './costs.ts';
import { wayOf } from './ways.ts';

export interface Moved {
  fromCollectionId: string;
  toCollectionId: string;
  movedCount: number;
}

/** What is moved: transactions by their ids, all of a variant, or, with neither, all of the collection. */
interface Selection {
  transactionIds?: string[] | undefined;
  variantId?: string | undefined;
}

function isMerged({ transactionIds, variantId }: Selection): boolean {
  return transactionIds === undefined && variantId === undefined;
}

/**
 * Moves transactions of one collection to another as one change: 1 to 1,000 by their ids, or all of a variant, up to 10,000. Throws
 * `ValidationFailed`, `NotFound`, `LimitExceeded`.
 */
export async function moveTransactions(ctx: Context, input: unknown): Promise<Moved> {
  const parsed = parseInput(MoveTransactionsInput, input);
  const { fromCollectionId, toCollectionId, ...selection } = parsed;
  return idempotently(ctx, 'moveTransactions', parsed, (once) =>
    once.db.transaction((tx) => move({ ...once, db: tx }, fromCollectionId, toCollectionId, selection)),
  );
}

/**
 * Moves all transactions of a collection, up to 10,000, to another, and deletes it. Throws `ValidationFailed`, `NotFound`,
 * `LimitExceeded`, and `CollectionInUse` where it could not be deleted.
 */
export async function mergeCollections(ctx: Context, input: unknown): Promise<Moved> {
  const parsed = parseInput(MergeCollectionsInput, input);
  const { fromCollectionId, intoCollectionId } = parsed;
  return idempotently(ctx, 'mergeCollections', parsed, (once) =>
    once.db.transaction(async (tx) => {
      const merging = { ...once, db: tx };
      const moved = await move(merging, fromCollectionId, intoCollectionId, {}, 'intoCollectionId');
      await removeCollection(merging, fromCollectionId, null);
      return moved;
    }),
  );
}

/** In a database transaction. With the account locked, both collections are of its currency and basis, and no share grows. */
async function move(
  ctx: Context,
  from: string,
  to: string,
  selection: Selection,
  target = 'toCollectionId',
): Promise<Moved> {
  const { db, caller } = ctx;
  const { accountId } = caller;
  if (![from, to].every((id) => isIdOf('Collection', id))) throw notFound('collection');
  await db.query(LOCK_ACCOUNT, [accountId]);
  await applyPreferences(ctx);
  const locked = await db.query<{ kind: CollectionKind }>(LOCK_TWO_COLLECTIONS, [accountId, from, to]);
  if (locked.length < 2) throw notFound('collection');
  if (locked[0]!.kind !== locked[1]!.kind) throw validationFailed([{ path: [target], detail: OF_ONE_KIND }]);
  const ids = await selectedIds(ctx, from, selection);
  const way = wayOf((await readPreferences(ctx)).costBasis);
  // At most LIMITS.movedTransactions, and a part of them at a time.
  await db.liftOperation();
  await db.query(MOVE_SHARE, [accountId, from, to, ids.length]);
  const places: CostPlace[] = [];
  for (let at = 0; at < ids.length; at += LIMITS.bulkTransactions) {
    const part = JSON.stringify(ids.slice(at, at + LIMITS.bulkTransactions));
    places.push(...(await db.query<CostPlace>(MOVE_TRANSACTIONS[way], [accountId, from, to, part])));
  }
  if (places.length < ids.length) throw notFound('transaction');
  if (way === 'ordered') {
    // Of one that is merged nothing is left to be summed up.
    if (isMerged(selection)) await db.query(DELETE_COST_STATES, [accountId, JSON.stringify([from])]);
    else await addCosts(ctx, from, [], places);
    await addCosts(ctx, to, places);
  }
  const variantIds = [...new Set(places.map(({ variantId }) => variantId))];
  await db.query(DELETE_EMPTY_HOLDINGS, [accountId, from, JSON.stringify(variantIds)]);
  announceCollections(db, accountId, [{ id: from }, { id: to }]);
  return { fromCollectionId: from, toCollectionId: to, movedCount: ids.length };
}

async function selectedIds(
  { db, caller: { accountId }, charge }: Context,
  from: string,
  { transactionIds, variantId }: Selection,
): Promise<string[]> {
  if (transactionIds) {
    if (!transactionIds.every((id) => isIdOf('Transaction', id))) throw notFound('transaction');
    const ids = [...new Set(transactionIds)];
    charge?.(pointsOfReading('relocated', ids.length));
    return ids;
  }
  if (variantId !== undefined && !isIdOf('Variant', variantId)) throw notFound('holding');
  const [held] = await db.query<{ count: number }>(TRANSACTIONS_HELD, [accountId, from, variantId ?? null]);
  const { count } = held!;
  if (variantId !== undefined && count === 0) throw notFound('holding');
  if (count > LIMITS.movedTransactions) throw tooMany(count);
  charge?.(pointsOfReading('relocated', count));
  const all = [accountId, from, LIMITS.movedTransactions];
  const rows =
    variantId === undefined
      ? await db.query<{ id: string }>(TRANSACTION_IDS, all)
      : await db.query<{ id: string }>(TRANSACTION_IDS_OF_VARIANT, [...all, variantId]);
  return rows.map(({ id }) => id);
}

function tooMany(current: number): DomainError {
  const limit = LIMITS.movedTransactions;
  return new DomainError(
    'LimitExceeded',
    `At most ${limit} transactions are moved at once, and these are ${current}; move some of them by their ids first.`,
    { limit, current },
  );
}
