import { accountUuid } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { subAccountsById } from './find.ts';
import { assertPlatform, type SubAccount, subAccountOf } from './model.ts';

/** An account below the caller's; null where there is none of this id. Throws `Forbidden`. */
export async function findSubAccount(ctx: Context, id: string): Promise<SubAccount | null> {
  assertPlatform(ctx);
  const uuid = isIdOf('Account', id) ? accountUuid(id) : null;
  if (uuid === null) return null;
  const row = (await subAccountsById(ctx.db, ctx.caller.accountId, [uuid])).get(uuid);
  return row ? subAccountOf(row) : null;
}

/** The same. Throws `NotFound` too. */
export async function getSubAccount(ctx: Context, id: string): Promise<SubAccount> {
  const account = await findSubAccount(ctx, id);
  if (!account) throw notFound('account');
  return account;
}
