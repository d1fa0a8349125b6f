import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/client.ts';
import { account } from '../../db/tables/index.ts';
import { CollectionName, parseInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';

/** A new account with the default preferences and limits (decisions §§3, 4). Throws `ValidationFailed`. */
export async function createAccount(
  db: Database,
  input: { name: string; now: Date },
): Promise<{ /** uuid */ accountId: string }> {
  const name = parseInput(CollectionName, input.name, ['name']);
  const accountId = randomUUID();
  await db.orm.insert(account).values({
    accountId,
    name,
    preferredCurrency: 'USD',
    preferredPriceSource: 'VendorMarket',
    maxCollections: LIMITS.collections,
    maxValuedCollections: LIMITS.valuedCollections,
    createdAt: input.now,
  });
  return { accountId };
}
