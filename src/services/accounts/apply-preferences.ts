import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import { COLLECTIONS_OF_OTHER_PREFERENCES, SET_COLLECTION_PREFERENCES } from '../../db/queries/derived.ts';
import { JOIN_CONVERTED_WRITES } from '../../db/queries/rates.ts';
import type { Writer } from '../transactions/costs.ts';
import { rerateLedger } from './rerate.ts';

/**
 * Gives the account's currency and cost basis to those of its collections that have others, and re-derives their amounts, in
 * the caller's database transaction, which has locked the account. Where there are such, the account's writers wait.
 */
export async function applyPreferences(writer: Writer): Promise<void> {
  const { tx, accountId } = writer;
  if ((await tx.query(COLLECTIONS_OF_OTHER_PREFERENCES, [accountId])).length === 0) return;
  // Their whole ledgers are rated again, which may take longer than a request's statement.
  await tx.liftTimeouts();
  // An import of rates that comes between looks for ledgers by their currency.
  await tx.query(JOIN_CONVERTED_WRITES);
  await tx.query(LOCK_COLLECTIONS, [accountId]);
  const collections = await tx.query<{ id: string }>(SET_COLLECTION_PREFERENCES, [accountId]);
  await rerateLedger(writer, undefined, collections);
}
