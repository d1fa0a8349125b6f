import type { Database } from '../../db/client.ts';
import { inScopeOf } from '../../db/other-scope.ts';
import {
  SUB_ACCOUNT_COUNT,
  type SubAccountCount,
  type SubAccountRow,
  UPDATE_SUB_ACCOUNT,
} from '../../db/queries/sub-accounts.ts';
import { type Breach, validationFailed } from '../../domain/errors.ts';
import { UpdateSubAccountInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { accessChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import type { RequiredRevisions } from '../revision.ts';
import { assertPlatform, lockSubAccount, type SubAccount, subAccountOf, subAccountUuid } from './model.ts';

/**
 * Changes what is given: the name, the limits, none of which may be above the caller's own, and whether it is suspended. What
 * the account has already stays. Its tokens end within 60 seconds on every node where it is suspended. Throws `Forbidden`,
 * `ValidationFailed`, `NotFound`, `PreconditionFailed`.
 */
export async function updateSubAccount(
  ctx: Context,
  id: string,
  changes: unknown,
  revisions: RequiredRevisions = null,
): Promise<SubAccount> {
  assertPlatform(ctx);
  const parsed = parseInput(UpdateSubAccountInput, changes);
  return idempotently(ctx, 'updateAccount', { id, ...parsed }, (once) => update(once, id, parsed, revisions));
}

function update(
  ctx: Context,
  id: string,
  changes: UpdateSubAccountInput,
  revisions: RequiredRevisions,
): Promise<SubAccount> {
  const { accountId: parent } = ctx.caller;
  const account = subAccountUuid(id);
  return ctx.db.transaction(async (tx) => {
    const known = await lockSubAccount(tx, parent, account, revisions);
    await assertWithin(tx, parent, changes);
    const { name, maxCollections, maxValuedCollections, maxTransactions, status } = changes;
    const suspended = status == null ? null : status === 'Suspended';
    const given = [name, maxCollections, maxValuedCollections, maxTransactions, suspended];
    const params = [account, ...given.map((value) => value ?? null)];
    const [row] = await inScopeOf(tx, { account, parent }, () =>
      tx.query<Omit<SubAccountRow, 'externalId'>>(UPDATE_SUB_ACCOUNT, params),
    );
    accessChanged(tx, account);
    return subAccountOf({ ...known, ...row! });
  });
}

const LIMITED = ['maxCollections', 'maxValuedCollections', 'maxTransactions'] as const;

async function assertWithin(tx: Database, parent: string, changes: UpdateSubAccountInput): Promise<void> {
  const [own] = await tx.query<SubAccountCount>(SUB_ACCOUNT_COUNT, [parent]);
  const breaches = LIMITED.flatMap((name): Breach[] =>
    (changes[name] ?? 0) > own![name]
      ? [{ path: [name], detail: `must be at most ${own![name]}, which is your own` }]
      : [],
  );
  if (breaches.length > 0) throw validationFailed(breaches);
}
