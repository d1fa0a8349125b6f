import { setImmediate as turn } from 'node:timers/promises';
import { STORE_VALUES, type StoredValueRow } from '../../db/queries/stored-values.ts';
import type { FreshValueRow } from '../../db/queries/valuation.ts';
import { workFor } from '../../lib/processor-time.ts';
import { memoryOf } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { FEW } from '../summaries/ledgers.ts';

/** What collections are worth in a state of their ledgers, by prices and rates of one state. */
export interface MadeValues {
  pricingRevision: number;
  values: readonly Omit<FreshValueRow, 'pricingRevision'>[];
}

/**
 * Stores values of the caller's collections for the readers to come, and tells those who follow them: of collections that are
 * still in that state, where the prices are still the newest, and nobody writes them at the moment. Gives those.
 */
export async function storeValues(
  ctx: Context,
  { pricingRevision, values }: MadeValues,
): Promise<StoredValueRow[]> {
  if (values.length === 0) return [];
  const { db, caller } = ctx;
  const params = [caller.accountId, JSON.stringify(values), pricingRevision];
  const way = values.length <= FEW ? 'hot' : 'query';
  const rows = await db[way]<StoredValueRow>(STORE_VALUES, params, { stores: true });
  const { ledgers } = memoryOf(db);
  for (const { id, was, ledgerState } of rows) {
    ledgers.storedAt.set(id, pricingRevision);
    const ledger = ledgers.inState(id, was);
    // Its row is another one now, but not what it holds.
    if (ledger) ledger.state = ledgerState;
  }
  announceCollections(
    db,
    caller.accountId,
    rows.filter(({ isOther }) => isOther),
  );
  return rows;
}

/** For so many accounts values wait to be stored at most, some 40 kB each; those of others are made again by the next reader. */
const MOST_BEHIND = 64;
/** Of those as many may be below one platform. */
const MOST_OF_PLATFORM = 16;

interface Storing {
  platformId: string | undefined;
  stored: Promise<void>;
}

/** Of each database by account: what is being stored behind an answer. */
const underWay = new WeakMap<object, Map<string, Storing>>();

/**
 * The same behind the answer, for which nobody waits and no connection of requests is used. Where it is not done, since much
 * waits or the process ends, the next reader makes the values again, so they should be cheap to make.
 */
export function storeBehind(ctx: Context, made: MadeValues): void {
  const { db, caller, work } = ctx;
  const { accountId, platformId } = caller;
  const stores = underWay.get(db.identity) ?? new Map<string, Storing>();
  underWay.set(db.identity, stores);
  if (stores.size >= MOST_BEHIND || stores.has(accountId)) return;
  if (platformId !== undefined && belowOf(stores, platformId) >= MOST_OF_PLATFORM) return;
  const { ledgers } = memoryOf(db);
  const stored = turn()
    // The answer is written in this one (`stepOf`).
    .then(() => turn())
    .then(() => {
      // Of a server that is no more a state may be another's.
      if (memoryOf(db).ledgers !== ledgers) return undefined;
      workFor(work);
      return storeValues({ ...ctx, db: db.behind }, made);
    })
    .then(
      () => {},
      // A statement that failed is counted as one of the service (`cardledger_db_statement_duration_seconds`).
      () => {},
    )
    .finally(() => stores.delete(accountId));
  stores.set(accountId, { platformId, stored });
}

function belowOf(stores: ReadonlyMap<string, Storing>, platformId: string): number {
  return [...stores.values()].filter((one) => one.platformId === platformId).length;
}

/** Until nothing is being stored behind an answer to the caller. */
export async function untilStored({ db, caller }: Context): Promise<void> {
  await underWay.get(db.identity)?.get(caller.accountId)?.stored;
}
