import type { Database } from '../../db/client.ts';
import { SUB_ACCOUNT_ID, SUB_ACCOUNTS, type SubAccountRow } from '../../db/queries/sub-accounts.ts';

/** The accounts of these ids (uuids) that are below `parent`, by their ids. */
export async function subAccountsById(
  db: Database,
  parent: string,
  ids: readonly string[],
): Promise<Map<string, SubAccountRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.hot<SubAccountRow>(SUB_ACCOUNTS, [parent, `{${ids.join()}}`]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The id (a uuid) of the account below `parent` that has this external id. */
export async function subAccountIdOf(
  db: Database,
  parent: string,
  externalId: string,
): Promise<string | undefined> {
  const [row] = await db.hot<{ id: string }>(SUB_ACCOUNT_ID, [parent, externalId]);
  return row?.id;
}

/** The account below `parent` that has this external id. */
export async function subAccountByExternalId(
  db: Database,
  parent: string,
  externalId: string,
): Promise<SubAccountRow | undefined> {
  const id = await subAccountIdOf(db, parent, externalId);
  return id === undefined ? undefined : (await subAccountsById(db, parent, [id])).get(id);
}
