import type { Database } from '../../db/client.ts';
import {
  BY_INDEX,
  DELETED_ACCOUNTS,
  LOCK_DELETED_ACCOUNT,
  PURGE_ACCOUNT,
  PURGE_ACCOUNT_ROWS,
  PURGE_FORMER_SUB_ACCOUNTS,
} from '../../db/queries/sub-accounts.ts';
import { inBatches, type MayGoOn, toTheEnd } from '../../lib/may-go-on.ts';

/** So that a batch holds its locks for some milliseconds. */
const BATCH_ROWS = 5000;

/**
 * Removes what deleted accounts left, in batches, once nobody can be at work in them any more. Of several nodes each has
 * another account. Gives the number of those that are gone.
 */
export async function purgeDeletedAccounts(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  const seen = new Set<string>();
  for (let purged = 0; ; ) {
    const accounts = await db.query<{ accountId: string }>(DELETED_ACCOUNTS, [JSON.stringify([...seen])]);
    if (accounts.length === 0) return purged;
    for (const { accountId } of accounts) {
      seen.add(accountId);
      for (let done = 'part'; done === 'part'; ) {
        done = await db.transaction((tx) => purgePart(tx, accountId));
        if (done === 'account') purged++;
        if (done !== 'nothing' && !mayGoOn()) return purged;
      }
    }
  }
}

/** Forgets the external ids of deleted accounts once no token of their users is good any more, in batches. Gives their number. */
export async function purgeFormerAccounts(db: Database, mayGoOn: MayGoOn = toTheEnd): Promise<number> {
  return inBatches(mayGoOn, BATCH_ROWS, async () => {
    const [gone] = await db.query<{ count: number }>(PURGE_FORMER_SUB_ACCOUNTS, [BATCH_ROWS]);
    return gone!.count;
  });
}

/** Gives `nothing` where it is gone, or another node has it. */
async function purgePart(tx: Database, accountId: string): Promise<'nothing' | 'part' | 'account'> {
  const locked = await tx.query(LOCK_DELETED_ACCOUNT, [accountId]);
  if (locked.length === 0) return 'nothing';
  await tx.query(BY_INDEX);
  for (const statement of PURGE_ACCOUNT_ROWS) {
    const rows = await tx.query(statement, [accountId, BATCH_ROWS]);
    if (rows.length === BATCH_ROWS) return 'part';
  }
  await tx.query(PURGE_ACCOUNT, [accountId]);
  return 'account';
}
