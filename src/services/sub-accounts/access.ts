import type { Database } from '../../db/client.ts';
import { ACCOUNT_ACCESS } from '../../db/queries/sub-accounts.ts';
import { type AccountAccess, memoryOf } from '../../memory/memory.ts';

/**
 * Whether an account (a uuid) may be acted as, and whose it is; null where the platform has none. At once where it is known.
 * @param db as the platform (a uuid) sees it
 * @param countLookUp called before the database is asked; it may throw
 */
export function accessTo(
  db: Database,
  platformId: string,
  accountId: string,
  elapsed: () => number,
  countLookUp: () => void,
): AccountAccess | null | Promise<AccountAccess | null> {
  return memoryOf(db).access.of(platformId, accountId, elapsed, async () => {
    countLookUp();
    const [access] = await db.hot<AccountAccess>(ACCOUNT_ACCESS, [accountId]);
    return access ?? null;
  });
}
