import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/client.ts';
import { INSERT_ACCOUNT } from '../../db/queries/accounts.ts';
import { Name, PRICE_SOURCE } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInput } from '../../domain/parse-input.ts';

/** A new account with the default preferences and limits (docs/decisions.md#limits-of-an-account). Throws `ValidationFailed`. */
export async function createAccount(
  db: Database,
  input: { name: string; now: Date },
): Promise<{ /** uuid */ accountId: string }> {
  const name = parseInput(Name, input.name, ['name']);
  const accountId = randomUUID();
  await db.query(INSERT_ACCOUNT, [
    accountId,
    name,
    'USD',
    PRICE_SOURCE,
    LIMITS.collections,
    LIMITS.valuedCollections,
    LIMITS.transactions,
    input.now.toISOString(),
  ]);
  return { accountId };
}
