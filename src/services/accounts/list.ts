import type { Database } from '../../db/client.ts';
import { type AccountRow, ALL_ACCOUNTS } from '../../db/queries/accounts.ts';

export interface AccountSummary {
  /** uuid */
  accountId: string;
  name: string;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
  /** Below it. */
  maxAccounts: number;
  collectionCount: number;
  valuedCollectionCount: number;
  accountCount: number;
  transactionCount: number;
  createdAt: Date;
}

/** Every account but those below another, oldest first: for the operator. */
export async function listAccounts(db: Database): Promise<AccountSummary[]> {
  const rows = await db.query<AccountRow & { transactionCount: number }>(ALL_ACCOUNTS);
  return rows.map(({ id, name, createdAt, ...row }) => ({
    accountId: id,
    name,
    maxCollections: row.maxCollections,
    maxValuedCollections: row.maxValuedCollections,
    maxTransactions: row.maxTransactions,
    maxAccounts: row.maxAccounts,
    collectionCount: row.collectionCount,
    valuedCollectionCount: row.valuedCollectionCount,
    accountCount: row.accountCount,
    transactionCount: row.transactionCount,
    createdAt: new Date(createdAt),
  }));
}
