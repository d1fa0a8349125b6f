import { z } from '@hono/zod-openapi';
import { ACCOUNT_STATUSES, ACCOUNT_TOKEN_SCOPES } from '../../domain/accounts.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { SubAccount } from '../../services/sub-accounts/model.ts';
import { EXAMPLE_IDS, idOf, text, whole } from './parts.ts';

export const AccountSchema = z
  .strictObject({
    accountId: idOf('acc', EXAMPLE_IDS.accountId, 'Identifier of the account'),
    externalId: z
      .string()
      .max(LIMITS.externalIdCharacters)
      .meta({ description: 'What your app knows the user by' }),
    name: text('name').max(LIMITS.nameCharacters),
    status: z.enum(ACCOUNT_STATUSES).meta({ description: 'Nobody has access to it while it is Suspended' }),
    maxCollections: whole(0, LIMITS.maxCollections, { description: 'Collections that it may have' }),
    maxValuedCollections: whole(0, LIMITS.maxCollections, {
      description: 'Valued collections that it may have',
    }),
    maxTransactions: whole(0, LIMITS.maxTransactions, { description: 'Transactions that it may have' }),
    createdAt: z.iso.datetime().max(24).meta({ description: 'When it was created' }),
  })
  .openapi('AccountResponseModel');
type AccountBody = z.output<typeof AccountSchema>;

export const AccountTokenSchema = z
  .strictObject({
    accessToken: z.string().max(4096).meta({ description: 'A JWT (RFC 9068)' }),
    tokenType: z.literal('Bearer'),
    expiresIn: whole(LIMITS.accountTokenMinSeconds, LIMITS.accountTokenMaxSeconds, {
      description: 'Seconds for which the token is good',
    }),
    scope: z.enum(ACCOUNT_TOKEN_SCOPES),
  })
  .openapi('AccountToken');

export const ImportedAccountSchema = z
  .strictObject({
    accountId: idOf('acc', EXAMPLE_IDS.accountId, 'Identifier of the account'),
    collectionCount: whole(0, LIMITS.maxCollections, { description: 'Collections that were taken in' }),
    transactionCount: whole(0, LIMITS.maxTransactions, { description: 'Transactions of all of them' }),
    priceAlertCount: whole(0, LIMITS.priceAlerts, { description: 'Price alerts that were taken in' }),
  })
  .openapi('ImportedAccount');

export function accountBody({ id, revision: _, ...account }: SubAccount): AccountBody {
  return { accountId: id, ...account };
}

export const ACCOUNT: AccountBody = {
  accountId: EXAMPLE_IDS.accountId,
  externalId: 'user-4711',
  name: 'Ada',
  status: 'Active',
  maxCollections: 200,
  maxValuedCollections: 20,
  maxTransactions: 2_000_000,
  createdAt: '2026-04-13T10:00:00.000Z',
};
