import { asc } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { account } from '../../db/tables/index.ts';

export interface AccountSummary {
  /** uuid */
  accountId: string;
  name: string;
  maxCollections: number;
  maxValuedCollections: number;
  collectionCount: number;
  valuedCollectionCount: number;
  createdAt: Date;
}

/** Every account, oldest first: for the operator. */
export async function listAccounts(db: Database): Promise<AccountSummary[]> {
  return db.orm
    .select({
      accountId: account.accountId,
      name: account.name,
      maxCollections: account.maxCollections,
      maxValuedCollections: account.maxValuedCollections,
      collectionCount: account.collectionCount,
      valuedCollectionCount: account.valuedCollectionCount,
      createdAt: account.createdAt,
    })
    .from(account)
    .orderBy(asc(account.createdAt), asc(account.accountId));
}
