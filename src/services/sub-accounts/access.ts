import type { Database } from '../../db/client.ts';
import { ACCOUNT_ACCESS } from '../../db/queries/sub-accounts.ts';
import { type AccountAccess, memoryOf } from '../../memory/memory.ts';

/**
 * Whether an account (a uuid) may be acted as, and whose it is; null where there is none. At once where it is known.
 * @param countLookUp called before the database is asked; it may throw
 */
export function accessTo(
  db: Database,
  accountId: string,
  elapsed: () => number,
  countLookUp: () => void = () => {},
): AccountAccess | null | Promise<AccountAccess | null> {
  return memoryOf(db).access.of(accountId, elapsed, async () => {
    countLookUp();
    const [access] = await db.hot<AccountAccess>(ACCOUNT_ACCESS, [accountId]);
    return access ?? null;
  });
}
