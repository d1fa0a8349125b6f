import type { Database } from '../../db/client.ts';
import { inScopeOf } from '../../db/other-scope.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { findSubAccount } from '../sub-accounts/get.ts';

/** The uuid of an account that is the caller's own or, of a platform, below it. Throws `NotFound`. */
export async function ownOrBelow(ctx: Context, id: string): Promise<string> {
  const { accountId, scope } = ctx.caller;
  const uuid = isIdOf('Account', id) ? accountUuid(id) : null;
  const isKnown = uuid === accountId || (scope === 'platform' && (await findSubAccount(ctx, id)) !== null);
  if (uuid === null || !isKnown) throw notFound('account');
  return uuid;
}

/** Within a transaction of the caller's: does the work as that account, which is the caller's own or below it. */
export function asAccount<T>(
  ctx: Context,
  tx: Database,
  account: string,
  work: (own: Context) => Promise<T>,
): Promise<T> {
  const { accountId: parent } = ctx.caller;
  const own = { ...ctx, db: tx, caller: { ...ctx.caller, accountId: account } };
  return account === parent ? work(own) : inScopeOf(tx, { account, parent }, () => work(own));
}
