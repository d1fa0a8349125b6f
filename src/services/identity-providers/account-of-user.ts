import type { OpenDatabase } from '../../db/client.ts';
import type { IdentityProviderRow } from '../../db/queries/identity-providers.ts';
import { FORMER_SUB_ACCOUNT } from '../../db/queries/sub-accounts.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { DomainError } from '../../domain/errors.ts';
import { ExternalId } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Context } from '../context.ts';
import { createSubAccount } from '../sub-accounts/create.ts';
import { subAccountIdOf } from '../sub-accounts/find.ts';

/** A user whom the identity provider of a platform has signed in. */
interface User {
  provider: IdentityProviderRow;
  subject: string;
  /** Of the token. */
  issuedAtMillis: number;
}

const REASONS = {
  subject: `The subject of the access token is no external id of an account: it must have 1 to ${LIMITS.externalIdCharacters} characters, and no control characters.`,
  none: 'There is no account for the subject of the access token: the platform is to create it.',
  deleted: 'The account of the access token does not exist any more.',
  full: 'There is no account for the subject of the access token, and the platform has as many as it may have.',
};

/**
 * The account (a uuid) below the platform that has the user's subject as its external id; where there is none it is made, if the
 * platform says so. Throws `Unauthorized`.
 * @param count called with the platform before it is looked up, and before it is made; either may throw
 */
export async function accountOfUser(
  db: OpenDatabase,
  { provider, subject, issuedAtMillis }: User,
  now: () => Date,
  count: { lookUp(platformId: string): void; creation(platformId: string): void },
): Promise<string> {
  const { platformId, issuer, createsAccounts } = provider;
  if (!ExternalId.safeParse(subject).success) throw refused('subject');
  const caller = { accountId: platformId, clientId: issuer, scope: 'platform' as const };
  const ctx = { db: db.forAccount(platformId), caller, now };
  count.lookUp(platformId);
  const known = await subAccountIdOf(ctx.db, platformId, subject);
  if (known !== undefined) return known;
  const [former] = await ctx.db.hot<{ deletedAt: string }>(FORMER_SUB_ACCOUNT, [platformId, subject]);
  // Who is deleted may sign in again, and is not made anew by a token of before.
  if (former && issuedAtMillis <= new Date(former.deletedAt).getTime()) throw refused('deleted');
  if (!createsAccounts) throw refused('none');
  count.creation(platformId);
  return create(ctx, subject);
}

async function create(ctx: Context, subject: string): Promise<string> {
  const name = [...subject.trim()].slice(0, LIMITS.nameCharacters).join('').trim() || 'User';
  try {
    const { id } = await createSubAccount(ctx, { name, externalId: subject });
    return accountUuid(id)!;
  } catch (error) {
    throw error instanceof DomainError && error.problem === 'LimitExceeded' ? refused('full') : error;
  }
}

function refused(reason: keyof typeof REASONS): DomainError {
  return new DomainError('Unauthorized', REASONS[reason]);
}
