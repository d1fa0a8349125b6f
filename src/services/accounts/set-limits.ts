import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { SET_LIMITS } from '../../db/queries/accounts.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { parseInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';

const limitUpTo = (most: number) => {
  const rule = `must be a whole number from 0 to ${most}`;
  return z.int(rule).min(0, rule).max(most, rule).optional();
};

const SetLimitsInput = z
  .strictObject({
    maxCollections: limitUpTo(LIMITS.maxCollections),
    maxValuedCollections: limitUpTo(LIMITS.maxCollections),
    maxTransactions: limitUpTo(LIMITS.maxTransactions),
  })
  .refine(
    (limits) => Object.values(limits).some((limit) => limit !== undefined),
    'must name a limit to change',
  );

/**
 * Changes the limits that are given, of an account (`acc_<uuid>`, or the uuid alone). An account that has more already
 * keeps it. Throws `NotFound` and `ValidationFailed`.
 */
export async function setLimits(
  db: Database,
  {
    accountId: id,
    ...input
  }: { accountId: string; maxCollections?: number; maxValuedCollections?: number; maxTransactions?: number },
): Promise<void> {
  const limits = parseInput(SetLimitsInput, input);
  const accountId = accountUuid(id);
  const rows = accountId
    ? await db.query(SET_LIMITS, [
        accountId,
        limits.maxCollections ?? null,
        limits.maxValuedCollections ?? null,
        limits.maxTransactions ?? null,
      ])
    : [];
  if (rows.length === 0) throw notFound('account');
}
