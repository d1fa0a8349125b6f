import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import { COLLECTIONS_OF_OTHER_PREFERENCES, SET_COLLECTION_PREFERENCES } from '../../db/queries/derived.ts';
import { JOIN_CONVERTED_WRITES } from '../../db/queries/rates.ts';
import { pointsOfRewriting } from '../../domain/read-points.ts';
import type { Context } from '../context.ts';
import { rerateLedger } from './rerate.ts';

/**
 * Gives the account's currency and cost basis to those of its collections that have others, and re-derives their amounts, in
 * the caller's database transaction, which has locked the account. Where there are such, the account's writers wait, and the
 * operation is charged for their transactions.
 */
export async function applyPreferences({
  db: tx,
  caller: { accountId },
  work,
  charge,
}: Context): Promise<void> {
  const others = await tx.query<{ count: number }>(COLLECTIONS_OF_OTHER_PREFERENCES, [accountId]);
  if (others.length === 0) return;
  charge?.(
    pointsOfRewriting(
      'account',
      others.reduce((sum, { count }) => sum + count, 0),
    ),
  );
  // Their whole ledgers are rated again, which may take longer than a request's statement.
  await tx.liftTimeouts();
  // An import of rates that comes between looks for ledgers by their currency.
  await tx.query(JOIN_CONVERTED_WRITES);
  await tx.query(LOCK_COLLECTIONS, [accountId]);
  const collections = await tx.query<{ id: string }>(SET_COLLECTION_PREFERENCES, [accountId]);
  await rerateLedger({ tx, accountId, work }, undefined, collections);
}
