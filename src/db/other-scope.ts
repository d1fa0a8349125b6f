import { settingOf } from './account-scope.ts';
import type { Database } from './client.ts';

/**
 * Within a transaction of `parent` (uuids, as all of these): what `work` sends sees and changes the rows of `account` in place
 * of the parent's. Where it fails the transaction is undone.
 */
export async function inScopeOf<T>(
  tx: Database,
  { account, parent }: { account: string; parent: string },
  work: () => Promise<T>,
): Promise<T> {
  // Each text is another one: none is worth to be kept.
  const see = (id: string) => tx.query(settingOf(id), [], { varies: true });
  await see(account);
  const result = await work();
  await see(parent);
  return result;
}
