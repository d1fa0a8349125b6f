import type { Database } from '../../db/client.ts';
import { LOCK_COLLECTIONS } from '../../db/queries/accounts.ts';
import { RATE_LEDGER, REDERIVE_HOLDINGS, RETOTAL_COLLECTIONS } from '../../db/queries/derived.ts';
import { announceCollections } from '../events/announce.ts';

type Ids = { id: string }[];

/** Days as PostgreSQL has them. */
export interface Days {
  firstDay: string;
  lastDay: string;
}

const ALL_DAYS: Days = { firstDay: '-infinity', lastDay: 'infinity' };

/**
 * Gives each of the account's transactions of those days the rate of its day, as an import of rates or another currency
 * wants it, and derives what follows from those that had another, in the caller's database transaction. Writers of the
 * account wait.
 *
 * @param alsoOf collections whose amounts are others for another reason
 */
export async function rerateLedger(
  tx: Database,
  accountId: string,
  { firstDay, lastDay }: Days = ALL_DAYS,
  alsoOf: Ids = [],
): Promise<void> {
  await tx.query(LOCK_COLLECTIONS, [accountId]);
  const rated = await tx.query<{ id: string }>(RATE_LEDGER, [accountId, firstDay, lastDay]);
  const changed = new Set([...rated, ...alsoOf].map(({ id }) => id));
  if (changed.size === 0) return;
  const ids = JSON.stringify([...changed]);
  await tx.query(REDERIVE_HOLDINGS, [accountId, ids]);
  announceCollections(tx, accountId, await tx.query<{ id: string }>(RETOTAL_COLLECTIONS, [accountId, ids]));
}
