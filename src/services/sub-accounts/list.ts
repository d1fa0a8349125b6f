import { readPage } from '../../db/queries/page.ts';
import { SUB_ACCOUNT_COUNT, type SubAccountCount, subAccountList } from '../../db/queries/sub-accounts.ts';
import { ExternalId } from '../../domain/inputs.ts';
import { type Page, type PageRequest, withoutGone } from '../../domain/pagination.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Context } from '../context.ts';

export { SUB_ACCOUNT_ORDER } from '../../db/queries/sub-accounts.ts';

import { subAccountIdOf, subAccountsById } from './find.ts';
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
  const { accountId } = ctx.caller;
  const params = [accountId, ...externalIdParam(externalId)];
  const page = await readPage<{ id: string }>(ctx.db, subAccountList(externalId !== null), params, request);
  const rows = await subAccountsById(
    ctx.db,
    accountId,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map(({ id }) => (rows.has(id) ? subAccountOf(rows.get(id)!) : null));
  return withoutGone({ ...page, items });
}

/** How many the list has. */
export async function countSubAccounts(ctx: Context, externalId: string | null = null): Promise<number> {
  assertPlatform(ctx);
  const { accountId } = ctx.caller;
  if (externalId !== null) {
    const [id] = externalIdParam(externalId);
    return (await subAccountIdOf(ctx.db, accountId, id!)) === undefined ? 0 : 1;
  }
  const [row] = await ctx.db.hot<SubAccountCount>(SUB_ACCOUNT_COUNT, [accountId]);
  return row?.count ?? 0;
}

function externalIdParam(externalId: string | null): string[] {
  return externalId === null ? [] : [parseInput(ExternalId, externalId, ['externalId'])];
}
