import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { SET_LIMITS } from '../../db/queries/accounts.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { parseInput } from '../../domain/inputs.ts';

const MAX_LIMIT = 1_000_000;
const RULE = `must be a whole number from 0 to ${MAX_LIMIT}`;
const Limit = z.int(RULE).min(0, RULE).max(MAX_LIMIT, RULE);

const SetLimitsInput = z
  .strictObject({ maxCollections: Limit.optional(), maxValuedCollections: Limit.optional() })
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
  { accountId: id, ...input }: { accountId: string; maxCollections?: number; maxValuedCollections?: number },
): Promise<void> {
  const limits = parseInput(SetLimitsInput, input);
  const accountId = accountUuid(id);
  const rows = accountId
    ? await db.query(SET_LIMITS, [
        accountId,
        limits.maxCollections ?? null,
        limits.maxValuedCollections ?? null,
      ])
    : [];
  if (rows.length === 0) throw notFound('account');
}
