import { readPage } from '../../db/queries/page.ts';
import {
  SUB_ACCOUNT_BY_EXTERNAL_ID,
  SUB_ACCOUNT_COUNT,
  type SubAccountCount,
  type SubAccountRow,
  subAccountList,
  withAccounts,
} from '../../db/queries/sub-accounts.ts';
import { ExternalId, parseInput } from '../../domain/inputs.ts';
import type { Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';

export { SUB_ACCOUNT_ORDER } from '../../db/queries/sub-accounts.ts';

import { assertPlatform, type SubAccount, subAccountOf } from './model.ts';

/**
 * The accounts below the caller's, oldest first, a page at a time; with an external id the one that has it. Throws `Forbidden`,
 * and `ValidationFailed` for what is no external id.
 */
export async function listSubAccounts(
  ctx: Context,
  request: PageRequest,
  externalId: string | null = null,
): Promise<Page<SubAccount>> {
  assertPlatform(ctx);
  const params = [ctx.caller.accountId, ...externalIdParam(externalId)];
  const page = await readPage<SubAccountRow>(
    ctx.db,
    subAccountList(externalId !== null),
    params,
    request,
    withAccounts,
  );
  return { ...page, items: page.items.map(subAccountOf) };
}

/** How many the list has. */
export async function countSubAccounts(ctx: Context, externalId: string | null = null): Promise<number> {
  assertPlatform(ctx);
  const { accountId } = ctx.caller;
  if (externalId !== null) {
    const params = [accountId, ...externalIdParam(externalId)];
    return (await ctx.db.hot(SUB_ACCOUNT_BY_EXTERNAL_ID, params)).length;
  }
  const [row] = await ctx.db.hot<SubAccountCount>(SUB_ACCOUNT_COUNT, [accountId]);
  return row?.count ?? 0;
}

function externalIdParam(externalId: string | null): string[] {
  return externalId === null ? [] : [parseInput(ExternalId, externalId, ['externalId'])];
}
