import type { Database } from '../db/client.ts';
import { LOCK_ACCOUNT, LOCK_COLLECTIONS } from '../db/queries/accounts.ts';
import { SET_COLLECTION_PREFERENCES } from '../db/queries/derived.ts';
import {
  ACCOUNTS,
  COLLECTION_IDS,
  COMPARISONS,
  DELETE_STRAY_HOLDINGS,
  type Difference,
  INSERT_MISSING_HOLDINGS,
  RECOUNT,
} from '../db/queries/doctor.ts';
import { marketChanged } from '../memory/memory.ts';
import { rerateLedger } from './accounts/rerate.ts';
import { costDifferences } from './cost-differences.ts';
import { evDifferences, recomputeEvs } from './market/evs.ts';
import { takeImportTurn } from './market/import-run.ts';
import { noProgress } from './market/progress.ts';
import { settleMarket } from './market/settle.ts';

export type { Difference } from '../db/queries/doctor.ts';

export interface Diagnosis {
  differences: Difference[];
  /** True where there were differences and all are repaired. */
  fixed: boolean;
}

/**
 * Compares the currency and cost basis of collections with the account's, rates, holdings, totals and counts with the ledger,
 * market values with the latest prices, and expected values with the pull rates, and with `fix` puts right what differs. One set-based pass for each account, while its writers
 * wait: what is reported is wrong and not on its way.
 */
export async function diagnose(db: Database, { fix }: { fix: boolean }): Promise<Diagnosis> {
  // An account whose turn after an import is still to come is not ill.
  await settleMarket(db);
  const parts: Diagnosis[] = [];
  for (const { accountId } of await db.query<{ accountId: string }>(ACCOUNTS)) {
    parts.push(await diagnoseAccount(db, accountId, fix));
  }
  parts.push(await diagnoseEvs(db, fix));
  const ill = parts.filter(({ differences }) => differences.length > 0);
  return {
    differences: ill.flatMap(({ differences }) => differences),
    fixed: ill.length > 0 && ill.every(({ fixed }) => fixed),
  };
}

/** The same for one account (a uuid), without what is of the market. */
export function diagnoseAccount(db: Database, accountId: string, fix: boolean): Promise<Diagnosis> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(LOCK_ACCOUNT, [accountId]);
    await tx.query(LOCK_COLLECTIONS, [accountId]);
    const differences = await compare(tx, accountId);
    if (!fix || differences.length === 0) return { differences, fixed: false };
    await repair(tx, accountId);
    return { differences, fixed: (await compare(tx, accountId)).length === 0 };
  });
}

/** Each step stands on those before it. Market values are made afresh for those who look. */
async function repair(tx: Database, accountId: string): Promise<void> {
  await tx.query(DELETE_STRAY_HOLDINGS, [accountId]);
  await tx.query(INSERT_MISSING_HOLDINGS, [accountId]);
  await tx.query(SET_COLLECTION_PREFERENCES, [accountId]);
  const collections = await tx.query<{ id: string }>(COLLECTION_IDS, [accountId]);
  await rerateLedger({ tx, accountId }, undefined, collections);
  await tx.query(RECOUNT, [accountId]);
}

async function compare(tx: Database, accountId: string): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const statement of COMPARISONS)
    differences.push(...(await tx.query<Difference>(statement, [accountId])));
  return [...differences, ...(await costDifferences(tx, accountId))];
}

async function diagnoseEvs(db: Database, fix: boolean): Promise<Diagnosis> {
  const diagnosis = await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    // An import would change the prices between two of these statements.
    await takeImportTurn(tx, noProgress);
    const differences = (await evDifferences(tx)).map((difference) => ({
      kind: 'expected value' as const,
      accountId: null,
      ...difference,
    }));
    if (!fix || differences.length === 0) return { differences, fixed: false };
    await recomputeEvs(tx);
    return { differences, fixed: (await evDifferences(tx)).length === 0 };
  });
  if (fix && diagnosis.differences.length > 0) marketChanged(db);
  return diagnosis;
}
