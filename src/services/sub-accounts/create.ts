import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import {
  CREATE_SUB_ACCOUNT,
  SUB_ACCOUNT_COUNT,
  type SubAccountCount,
  type SubAccountRow,
} from '../../db/queries/sub-accounts.ts';
import { DomainError } from '../../domain/errors.ts';
import { newAccountUuid } from '../../domain/ids.ts';
import { CreateSubAccountInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { subAccountByExternalId } from './find.ts';
import { assertPlatform, type SubAccount, subAccountOf } from './model.ts';

/**
 * An account below the caller's for the user whom the app knows by `externalId`: a new one, or the one that there is, as it
 * is. Throws `Forbidden`, `ValidationFailed`; `LimitExceeded` where there are as many as there may be.
 */
export async function createSubAccount(ctx: Context, input: unknown): Promise<SubAccount> {
  assertPlatform(ctx);
  const parsed = parseInput(CreateSubAccountInput, input);
  return idempotently(ctx, 'createAccount', parsed, async (once) => {
    const known = await withExternalId(once, parsed.externalId);
    return subAccountOf(known ?? (await insert(once, parsed)));
  });
}

function withExternalId({ db, caller }: Context, externalId: string): Promise<SubAccountRow | undefined> {
  return subAccountByExternalId(db, caller.accountId, externalId);
}

function insert(ctx: Context, { name, externalId }: CreateSubAccountInput): Promise<SubAccountRow> {
  const { accountId } = ctx.caller;
  const now = ctx.now();
  const usual = [LIMITS.collections, LIMITS.valuedCollections, LIMITS.transactions];
  return ctx.db.transaction(async (tx) => {
    // What follows sees all that was made before.
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const params = [accountId, newAccountUuid(now.getTime()), externalId, name, now.toISOString(), ...usual];
    const [made] = await tx.query<SubAccountRow>(CREATE_SUB_ACCOUNT, params);
    const row = made ?? (await withExternalId({ ...ctx, db: tx }, externalId));
    if (!row) throw await tooManyAccounts({ ...ctx, db: tx });
    return row;
  });
}

async function tooManyAccounts({ db, caller }: Context): Promise<DomainError> {
  const [row] = await db.query<SubAccountCount>(SUB_ACCOUNT_COUNT, [caller.accountId]);
  const { limit, count } = row!;
  return new DomainError(
    'LimitExceeded',
    `There may be ${limit} accounts below this one; delete one first, or ask the operator for more.`,
    { limit, current: count },
  );
}
