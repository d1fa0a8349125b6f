import type { Database } from '../db/client.ts';
import { LOCK_ACCOUNT } from '../db/queries/accounts.ts';
import { MARK_PRICED, PRICING_STATE } from '../db/queries/derived.ts';
import {
  ACCOUNT_DIFFERENCES,
  ACCOUNTS,
  COLLECTION_DIFFERENCES,
  type Difference,
  HOLDING_DIFFERENCES,
  RATE_DIFFERENCES,
  REPAIR,
} from '../db/queries/doctor.ts';
import { marketChanged } from './catalogue/held.ts';
import { evDifferences, recomputeEvs } from './market/evs.ts';
import { catchUp } from './market/reprice.ts';

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

const COMPARISONS = [RATE_DIFFERENCES, HOLDING_DIFFERENCES, COLLECTION_DIFFERENCES, ACCOUNT_DIFFERENCES];

function diagnoseAccount(db: Database, accountId: string, fix: boolean): Promise<Diagnosis> {
  return db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    // An account whose turn after an import is still to come is not ill.
    await catchUp(tx, accountId);
    const differences = await compare(tx, accountId);
    if (!fix || differences.length === 0) return { differences, fixed: false };
    const [state] = await tx.query<{ revision: number }>(PRICING_STATE, [accountId]);
    for (const statement of REPAIR) await tx.query(statement, [accountId]);
    await tx.query(MARK_PRICED, [accountId, state!.revision]);
    return { differences, fixed: (await compare(tx, accountId)).length === 0 };
  });
}

async function compare(tx: Database, accountId: string): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const statement of COMPARISONS)
    differences.push(...(await tx.query<Difference>(statement, [accountId])));
  return differences;
}

async function diagnoseEvs(db: Database, fix: boolean): Promise<Diagnosis> {
  const differences = (await evDifferences(db)).map((difference) => ({
    kind: 'expected value' as const,
    accountId: null,
    ...difference,
  }));
  if (!fix || differences.length === 0) return { differences, fixed: false };
  await db.transaction(recomputeEvs);
  marketChanged(db);
  return { differences, fixed: (await evDifferences(db)).length === 0 };
}
