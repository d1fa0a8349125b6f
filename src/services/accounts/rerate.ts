import {
  PARTS_TO_RATE,
  RATE_LEDGER,
  type RatedCollection,
  REDERIVE_HOLDINGS,
  RETOTAL_COLLECTIONS,
} from '../../db/queries/derived.ts';
import type { ChangedCollection } from '../../db/queries/events.ts';
import { logCollections } from '../events/announce.ts';
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
 * account's collections: its writers wait. Large ledgers are done in parts.
 *
 * @param alsoOf collections whose amounts are others for another reason
 */
export async function rerateLedger(writer: Writer, days: Days = ALL_DAYS, alsoOf: Ids = []): Promise<void> {
  const others = new Set(alsoOf.map(({ id }) => id));
  const parts = await writer.tx.query<{ ids: string[] }>(PARTS_TO_RATE, [writer.accountId]);
  for (const { ids } of parts) await reratePart(writer, days, ids, others);
}

async function reratePart(
  writer: Writer,
  { firstDay, lastDay }: Days,
  asked: string[],
  others: ReadonlySet<string>,
): Promise<void> {
  const { tx, accountId } = writer;
  const params = [accountId, firstDay, lastDay, JSON.stringify(asked)];
  const rated = await tx.query<RatedCollection>(RATE_LEDGER, params);
  const wholly = asked.filter((id) => others.has(id));
  const partly = rated.filter(({ id }) => !others.has(id));
  if (wholly.length + partly.length === 0) return;
  const ids = JSON.stringify([...wholly, ...partly.map(({ id }) => id)]);
  await tx.query(REDERIVE_HOLDINGS, [accountId, ids]);
  await recostCollections(writer, wholly);
  for (const { id, places } of partly) await recostFrom(writer, id, places);
  const changed = await tx.query<ChangedCollection>(RETOTAL_COLLECTIONS, [accountId, ids]);
  await logCollections(tx, accountId, 'Revalued', changed, null);
}
