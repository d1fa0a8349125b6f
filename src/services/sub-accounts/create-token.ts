import type { AccountTokenScope } from '../../domain/accounts.ts';
import { newGrant } from '../../domain/credentials.ts';
import { DomainError } from '../../domain/errors.ts';
import { CreateAccountTokenInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { getSubAccount } from './get.ts';
import { assertPlatform, subAccountUuid } from './model.ts';

export interface AccountToken {
  accessToken: string;
  scope: AccountTokenScope;
  /** Seconds. */
  expiresIn: number;
}

/**
 * A token of an account below the caller's, for a browser or a phone. Nothing of it is kept: with an idempotency key the same
 * one is signed again. Throws `Forbidden`, also where the account is suspended, `ValidationFailed`, `NotFound`, `RateLimited`.
 */
export async function createAccountToken(ctx: Context, id: string, input: unknown): Promise<AccountToken> {
  assertPlatform(ctx);
  const parsed = parseInput(CreateAccountTokenInput, input);
  const { scope, expiresIn } = parsed;
  const { accountId: platformId, clientId } = ctx.caller;
  const accountId = subAccountUuid(id);
  let isCounted = false;
  const grant = await idempotently(ctx, 'createAccountToken', { id, ...parsed }, async (once) => {
    await assertActive(once, id);
    // A refusal is not kept for the key: what is sent again would give a token that has ended.
    if (!isCounted) ctx.tokens!.count(accountId);
    // The transaction may be tried again.
    isCounted = true;
    return newGrant(ctx.now(), expiresIn);
  });
  const caller = { accountId, clientId, platformId, ...(scope === 'read' && { scope }) };
  return { accessToken: await ctx.tokens!.issue(caller, grant), scope, expiresIn };
}

async function assertActive(ctx: Context, id: string): Promise<void> {
  const { status } = await getSubAccount(ctx, id);
  if (status === 'Active') return;
  throw new DomainError('Forbidden', 'The account is suspended: it is given no token until it is resumed.');
}
