import type { Database, How } from '../db/client.ts';
import { CLIENT_SECRET, IS_OPEN } from '../db/queries/auth.ts';

export interface ActiveClient {
  /** uuid */
  accountId: string;
  /** Of its secret. */
  digest: string;
}

/** An account that there is not. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * A client that has not been revoked, of an account that is there and not suspended; null for any other. Always two looks, so that an
 * unknown client costs what a known one does: on Citus each node has the clients, and one has the account.
 */
export async function findActiveClient(
  db: Database,
  clientId: string,
  how: Pick<How, 'address'> = {},
): Promise<ActiveClient | null> {
  const [client] = await db.query<ActiveClient>(CLIENT_SECRET, [clientId], how);
  const open = await db.query(IS_OPEN, [client?.accountId ?? NOBODY], how);
  return client && open.length > 0 ? client : null;
}
