import { z } from '@hono/zod-openapi';
import {
  CreateAccountTokenInput,
  CreateSubAccountInput,
  ExternalId,
  UpdateSubAccountInput,
} from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { exportAccount } from '../../services/accounts/export.ts';
import { importAccount } from '../../services/accounts/import.ts';
import { createSubAccount } from '../../services/sub-accounts/create.ts';
import { createAccountToken } from '../../services/sub-accounts/create-token.ts';
import { deleteSubAccount } from '../../services/sub-accounts/delete.ts';
import { getSubAccount } from '../../services/sub-accounts/get.ts';
import { listSubAccounts } from '../../services/sub-accounts/list.ts';
import type { SubAccount } from '../../services/sub-accounts/model.ts';
import { updateSubAccount } from '../../services/sub-accounts/update.ts';
import { AccountSchema, AccountTokenSchema, accountBody, ImportedAccountSchema } from '../models/accounts.ts';
import { EXAMPLE_IDS, idOf } from '../models/parts.ts';
import { PAGE_QUERY, pageBody, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { Reply, RestApp } from '../route-description.ts';

const tag = 'Accounts';
const scope = 'platform';

const ACCOUNT_ID = z.object({
  accountId: idOf('acc', EXAMPLE_IDS.accountId, 'Identifier of the account'),
});

const ARCHIVE_TYPE = 'application/gzip';
const MOST_DOWNLOADED_BYTES = 2 ** 31 - 1;

function accountReply(account: SubAccount): Reply {
  return { body: accountBody(account), revision: account.revision };
}

/** The accounts below that of a platform. */
export function addAccountRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/account',
    operationId: 'createAccount',
    summary: 'Create an account below yours',
    description:
      'The same `externalId` gives the same account again, as it is. It begins with your preferences, and with the usual limits, or yours where those are lower.',
    tag,
    scope,
    body: CreateSubAccountInput.meta({ id: 'CreateAccount' }),
    response: AccountSchema,
    problems: ['LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, body }) => {
      const account = await createSubAccount(context, body);
      return { ...accountReply(account), location: `/account/${account.id}` };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/account',
    operationId: 'listAccounts',
    summary: 'List the accounts below yours',
    description:
      'In pages, oldest first; `Link` has the addresses of the others. With `externalId` the one that has it. A page far down the list costs what is before it: GraphQL has cursors that do not.',
    tag,
    scope,
    query: z.strictObject({ externalId: ExternalId.optional(), ...PAGE_QUERY }),
    response: paginated(AccountSchema, 'Accounts'),
    problems: ['NotFound'],
    handle: async ({ context, query, page: request }) => {
      const page = await listSubAccounts(context, request, query.externalId);
      return { body: pageBody(page, request, accountBody) };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/account/{accountId}',
    operationId: 'getAccount',
    summary: 'Get an account below yours',
    description: 'What it has is read by acting for it.',
    tag,
    scope,
    params: ACCOUNT_ID,
    response: AccountSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, params }) => accountReply(await getSubAccount(context, params.accountId!)),
  });

  addRoute(app, {
    method: 'patch',
    path: '/account/{accountId}',
    operationId: 'updateAccount',
    summary: 'Update an account below yours, suspend it or resume it',
    description:
      'Only the fields that are there and not null are changed. No limit may be above your own. While it is suspended nobody has access to it: its tokens end within 60 seconds.',
    tag,
    scope,
    params: ACCOUNT_ID,
    body: UpdateSubAccountInput.meta({ id: 'UpdateAccount' }),
    response: AccountSchema,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, body, revisions }) =>
      accountReply(await updateSubAccount(context, params.accountId!, body, revisions)),
  });

  addRoute(app, {
    method: 'post',
    path: '/account/{accountId}/token',
    operationId: 'createAccountToken',
    summary: 'Get a token of an account below yours, for a browser or a phone',
    description: `It acts as the account. It ends when it expires, and within 60 seconds of the account being suspended or deleted. An account may be given ${LIMITS.accountTokensPerMinute} a minute. With an idempotency key the same token is signed again.`,
    tag,
    scope,
    params: ACCOUNT_ID,
    body: CreateAccountTokenInput.meta({ id: 'CreateAccountToken' }),
    response: AccountTokenSchema,
    isTransient: true,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params, body }) => {
      const { accessToken, scope, expiresIn } = await createAccountToken(context, params.accountId!, body);
      return { body: { accessToken, tokenType: 'Bearer', expiresIn, scope } };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/account/{accountId}/export',
    operationId: 'exportAccount',
    summary: 'Export your account, or one below it',
    description: `All that it has as a .tar.gz of JSON and CSV, as it is at one moment; importAccount takes it in again. A caller may have ${LIMITS.archivesPerCaller} under way at a time.`,
    tag,
    params: ACCOUNT_ID,
    response: z.string().max(MOST_DOWNLOADED_BYTES).meta({ description: 'The archive', format: 'binary' }),
    downloads: ARCHIVE_TYPE,
    problems: ['NotFound'],
    handle: async ({ context, params }) => {
      const { bytes, stream } = await exportAccount(context, params.accountId!);
      return { fileName: 'cardledger-account.tar.gz', bytes, stream };
    },
  });

  addRoute(app, {
    method: 'post',
    path: '/account/{accountId}/import',
    operationId: 'importAccount',
    summary: 'Take the archive of an account into yours, or into one below it',
    description:
      'The account must have no collections and price alerts. All of the archive is taken in, under new ids, or nothing. The command line takes larger ones.',
    tag,
    params: ACCOUNT_ID,
    file: 'archive',
    response: ImportedAccountSchema,
    problems: ['NotFound', 'LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, params, file }) => {
      const accountId = params.accountId!;
      const imported = await importAccount(context, accountId, file());
      return { body: { accountId, ...imported } };
    },
  });

  addRoute(app, {
    method: 'delete',
    path: '/account/{accountId}',
    operationId: 'deleteAccount',
    summary: 'Delete an account below yours and all that it has',
    description:
      'Nobody has access to it any more, and its `externalId` is free; its tokens end within 60 seconds. What it has is removed in parts afterwards.',
    tag,
    scope,
    params: ACCOUNT_ID,
    response: null,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, revisions }) => {
      await deleteSubAccount(context, params.accountId!, revisions);
      return { body: null };
    },
  });
}
