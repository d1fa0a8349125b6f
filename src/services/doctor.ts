import type { Database } from '../db/client.ts';
import { LOCK_ACCOUNT, LOCK_COLLECTIONS } from '../db/queries/accounts.ts';
import {
  ACCOUNT_DIFFERENCES,
  ACCOUNTS,
  COLLECTION_DIFFERENCES,
  type Difference,
  HOLDING_DIFFERENCES,
  RATE_DIFFERENCES,
  REPAIR,
} from '../db/queries/doctor.ts';
import { evDifferences, recomputeEvs } from './market/evs.ts';

export type { Difference } from '../db/queries/doctor.ts';

export interface Diagnosis {
  differences: Difference[];
  /** True where there were differences and all are repaired. */
  fixed: boolean;
}

/**
 * Compares rates, holdings, totals and counts with the ledger, market prices with the latest ones, and expected values
 * with the pull rates, and with `fix` puts right what differs. One set-based pass for each account, while its writers
 * wait: what is reported is wrong and not on its way.
 */
export async function diagnose(db: Database, { fix }: { fix: boolean }): Promise<Diagnosis> {
  const differences: Difference[] = [];
  for (const { accountId } of await db.query<{ accountId: string }>(ACCOUNTS)) {
    differences.push(...(await diagnoseAccount(db, accountId, fix)));
  }
  differences.push(...(await diagnoseEvs(db, fix)));
  return { differences, fixed: fix && differences.length > 0 };
}

const COMPARISONS = [RATE_DIFFERENCES, HOLDING_DIFFERENCES, COLLECTION_DIFFERENCES, ACCOUNT_DIFFERENCES];

function diagnoseAccount(db: Database, accountId: string, fix: boolean): Promise<Difference[]> {
  return db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    await tx.query(LOCK_ACCOUNT, [accountId]);
    await tx.query(LOCK_COLLECTIONS, [accountId]);
    const differences: Difference[] = [];
    for (const statement of COMPARISONS)
      differences.push(...(await tx.query<Difference>(statement, [accountId])));
    if (fix && differences.length > 0) {
      for (const statement of REPAIR) await tx.query(statement, [accountId]);
    }
    return differences;
  });
}

async function diagnoseEvs(db: Database, fix: boolean): Promise<Difference[]> {
  const differences = (await evDifferences(db)).map((difference) => ({
    kind: 'expected value' as const,
    accountId: null,
    ...difference,
  }));
  if (fix && differences.length > 0) await db.transaction(recomputeEvs);
  return differences;
}
