import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { ACCOUNT, type AccountRow, SET_LIMITS } from '../../db/queries/accounts.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { notFound, validationFailed } from '../../domain/errors.ts';
import { AccountLimits, limitUpTo } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInput } from '../../domain/parse-input.ts';

const SetLimitsInput = z
  .object({ ...AccountLimits, maxAccounts: limitUpTo(LIMITS.maxAccounts) })
  .partial()
  .strict()
  .refine(
    (limits) => Object.values(limits).some((limit) => limit !== undefined),
    'must name a limit to change',
  );

type SetLimitsInput = z.output<typeof SetLimitsInput>;

/**
 * Changes the limits that are given, of an account (`acc_<uuid>`, or the uuid alone). An account that has more already
 * keeps it. Gives the limits. Throws `NotFound` and `ValidationFailed`.
 */
export async function setLimits(
  db: Database,
  {
    accountId: id,
    ...input
  }: { accountId: string } & { [Name in keyof SetLimitsInput]?: number | undefined },
): Promise<AccountRow> {
  const { maxCollections, maxValuedCollections, maxTransactions, maxAccounts } = parseInput(
    SetLimitsInput,
    input,
  );
  const accountId = accountUuid(id);
  const given = [maxCollections, maxValuedCollections, maxTransactions, maxAccounts];
  const [account] = accountId
    ? await db.query<AccountRow>(SET_LIMITS, [accountId, ...given.map((limit) => limit ?? null)])
    : [];
  if (account) return account;
  if (!accountId || (await db.query(ACCOUNT, [accountId])).length === 0) throw notFound('account');
  const detail = 'must be 0, as the account is below another one: there is one level of them';
  throw validationFailed([{ path: ['maxAccounts'], detail }]);
}
