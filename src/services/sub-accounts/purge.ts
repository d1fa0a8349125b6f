import type { Database } from '../../db/client.ts';
import {
  BY_INDEX,
  LOCK_DELETED_ACCOUNT,
  PURGE_ACCOUNT,
  PURGE_ACCOUNT_ROWS,
  PURGE_FORMER_SUB_ACCOUNTS,
} from '../../db/queries/sub-accounts.ts';

/** So that a batch holds its locks for some milliseconds. */
const BATCH_ROWS = 5000;

/**
 * Removes what deleted accounts left, in batches, once nobody can be at work in them any more. Of several nodes each has
 * another account. Gives the number of those that are gone.
 */
export async function purgeDeletedAccounts(db: Database): Promise<number> {
  for (let purged = 0; ; ) {
    const done = await db.transaction(purgePart);
    if (done === 'nothing') return purged;
    if (done === 'account') purged++;
  }
}

/** Forgets the external ids of deleted accounts once no token of their users is good any more. Gives their number. */
export async function purgeFormerAccounts(db: Database): Promise<number> {
  return (await db.query(PURGE_FORMER_SUB_ACCOUNTS)).length;
}

async function purgePart(tx: Database): Promise<'nothing' | 'part' | 'account'> {
  const [account] = await tx.query<{ accountId: string }>(LOCK_DELETED_ACCOUNT);
  if (!account) return 'nothing';
  await tx.query(BY_INDEX);
  for (const statement of PURGE_ACCOUNT_ROWS) {
    const rows = await tx.query(statement, [account.accountId, BATCH_ROWS]);
    if (rows.length === BATCH_ROWS) return 'part';
  }
  await tx.query(PURGE_ACCOUNT, [account.accountId]);
  return 'account';
}
