import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import type { SubAccountRow } from '../../db/queries/sub-accounts.ts';
import type { AccountStatus } from '../../domain/accounts.ts';
import { accountIdOf, accountUuid } from '../../domain/credentials.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { typeOfId } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { checkRevision, type RequiredRevisions } from '../revision.ts';
import { subAccountsById } from './find.ts';

/** An account below that of a platform. */
export interface SubAccount {
  /** `acc_` and the uuid. */
  id: string;
  /** What the app knows its user by. */
  externalId: string;
  name: string;
  status: AccountStatus;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
  revision: number;
  createdAt: string;
}

export function subAccountOf(row: SubAccountRow): SubAccount {
  return {
    id: accountIdOf(row.id),
    externalId: row.externalId,
    name: row.name,
    status: row.suspended ? 'Suspended' : 'Active',
    maxCollections: row.maxCollections,
    maxValuedCollections: row.maxValuedCollections,
    maxTransactions: row.maxTransactions,
    revision: row.revision,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

const KEPT_BY_PLATFORMS =
  'Accounts below another are kept with a token of the scope platform: ask /oauth2/token for it, with a client of an account that may have some.';

const OF_SUB_ACCOUNT =
  'This request is one of an account below another, which has none below itself: its platform asks with a token of the scope platform, and without the header Cardledger-Account.';

/** Throws `Forbidden`, with this message, where the caller is no platform that acts for itself. */
export function assertPlatform({ caller }: Context, message = KEPT_BY_PLATFORMS): void {
  if (caller.scope === 'platform') return;
  throw new DomainError('Forbidden', caller.platformId === undefined ? message : OF_SUB_ACCOUNT);
}

/**
 * The account as it is, with that of its platform locked. Throws `NotFound`, and `PreconditionFailed` at another revision.
 */
export async function lockSubAccount(
  tx: Database,
  parent: string,
  account: string,
  revisions: RequiredRevisions,
): Promise<SubAccountRow> {
  await tx.query(LOCK_ACCOUNT, [parent]);
  const known = (await subAccountsById(tx, parent, [account])).get(account);
  if (!known) throw notFound('account');
  checkRevision(known.revision, revisions);
  return known;
}

/** The uuid of the id of an account, as clients know it. Throws `NotFound`. */
export function subAccountUuid(id: string): string {
  const uuid = typeOfId(id) === 'Account' ? accountUuid(id) : null;
  if (uuid === null) throw notFound('account');
  return uuid;
}
