import {
  RATE_LEDGER,
  type RatedCollection,
  REDERIVE_HOLDINGS,
  RETOTAL_COLLECTIONS,
} from '../../db/queries/derived.ts';
import { announceCollections } from '../events/announce.ts';
import { recostCollections, recostFrom, type Writer } from '../transactions/costs.ts';

type Ids = { id: string }[];

/** Days as PostgreSQL has them. */
export interface Days {
  firstDay: string;
  lastDay: string;
}

const ALL_DAYS: Days = { firstDay: '-infinity', lastDay: 'infinity' };

/**
 * Gives each of the account's transactions of those days the rate of its day, as an import of rates or another currency
 * wants it, and derives what follows from those that had another, in the caller's database transaction, which has locked the
 * account's collections: its writers wait.
 *
 * @param alsoOf collections whose amounts are others for another reason
 */
export async function rerateLedger(
  writer: Writer,
  { firstDay, lastDay }: Days = ALL_DAYS,
  alsoOf: Ids = [],
): Promise<void> {
  const { tx, accountId } = writer;
  const rated = await tx.query<RatedCollection>(RATE_LEDGER, [accountId, firstDay, lastDay]);
  const wholly = new Set(alsoOf.map(({ id }) => id));
  const partly = rated.filter(({ id }) => !wholly.has(id));
  if (wholly.size + partly.length === 0) return;
  const ids = JSON.stringify([...wholly, ...partly.map(({ id }) => id)]);
  await tx.query(REDERIVE_HOLDINGS, [accountId, ids]);
  await recostCollections(writer, alsoOf);
  for (const { id, places } of partly) await recostFrom(writer, id, places);
  announceCollections(tx, accountId, await tx.query<{ id: string }>(RETOTAL_COLLECTIONS, [accountId, ids]));
}
