import { LIMITS } from '../../domain/limits.ts';
import { createSubAccount } from '../../services/sub-accounts/create.ts';
import { type AccountToken, createAccountToken } from '../../services/sub-accounts/create-token.ts';
import { deleteSubAccount } from '../../services/sub-accounts/delete.ts';
import { findSubAccount } from '../../services/sub-accounts/get.ts';
import { countSubAccounts, listSubAccounts, SUB_ACCOUNT_ORDER } from '../../services/sub-accounts/list.ts';
import type { SubAccount } from '../../services/sub-accounts/model.ts';
import { updateSubAccount } from '../../services/sub-accounts/update.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { addDeletion, type InputFields, idField } from '../mutation.ts';
import type { SchemaParts } from './refs.ts';

/** The accounts below that of a platform. */
export function addSubAccounts(parts: SchemaParts): void {
  const SubAccountType = addSubAccountType(parts);
  addQueries(parts, SubAccountType);
  addCreation(parts, SubAccountType);
  addChanges(parts, SubAccountType);
  addTokens(parts);
  addDeletion(parts.addMutation, {
    name: 'deleteAccount',
    description:
      'Deletes an account below yours and all that it has. Nobody has access to it any more, and its `externalId` is free; its tokens end within 60 seconds.',
    problems: ['NotFound'],
    remove: deleteSubAccount,
  });
}

type SubAccountRef = ReturnType<typeof addSubAccountType>;

function addSubAccountType({ builder, enums }: SchemaParts) {
  return builder.objectRef<SubAccount>('SubAccount').implement({
    description:
      'An account below yours, such as that of a user of your app. What it has is read by acting for it.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id, `acc_…`.' }),
      externalId: t.exposeString('externalId', { description: 'What your app knows the user by.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      status: t.expose('status', {
        type: enums.AccountStatus,
        description: 'Nobody has access to it while it is suspended.',
      }),
      maxCollections: t.exposeInt('maxCollections', { description: 'Collections that it may have.' }),
      maxValuedCollections: t.exposeInt('maxValuedCollections', {
        description: 'Valued collections that it may have.',
      }),
      maxTransactions: t.exposeInt('maxTransactions', { description: 'Transactions that it may have.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    }),
  });
}

function addQueries({ builder }: SchemaParts, SubAccountType: SubAccountRef): void {
  builder.queryFields((t) => ({
    account: t.field({
      type: SubAccountType,
      nullable: true,
      description:
        'An account below yours by its id; null where there is none with it. Needs a token of the scope `platform`.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { context }) => findSubAccount(context, id),
    }),
    accounts: t.connection(
      {
        type: SubAccountType,
        description: 'The accounts below yours, oldest first. Needs a token of the scope `platform`.',
        args: { externalId: t.arg.string({ description: 'Only the one that your app knows by this.' }) },
        resolve: (_root, { externalId = null, ...args }, { context }) =>
          connectionOf(
            args,
            SUB_ACCOUNT_ORDER,
            (request) => listSubAccounts(context, request, externalId),
            () => countSubAccounts(context, externalId),
          ),
      },
      ...connectionNames('SubAccount'),
    ),
  }));
}

function addCreation({ addMutation }: SchemaParts, SubAccountType: SubAccountRef): void {
  addMutation<{ account: SubAccount }>({
    name: 'createAccount',
    description:
      'Creates an account below yours; the same `externalId` gives the same account again, as it is. It begins with your preferences, and with the usual limits, or yours where those are lower. Needs a token of the scope `platform`, as all that keeps accounts does.',
    problems: ['LimitExceeded'],
    fields: (t) => ({
      name: t.string({ required: true, description: 'Name.' }),
      externalId: t.string({ required: true, description: 'What your app knows the user by.' }),
    }),
    payload: (t) => ({
      account: t.expose('account', { type: SubAccountType, description: 'The account.' }),
    }),
    verb: async (ctx, input) => ({ account: await createSubAccount(ctx, input) }),
  });
}

function addChanges({ addMutation }: SchemaParts, SubAccountType: SubAccountRef): void {
  const change = (name: string, description: string, fields: (t: InputFields) => object, more: object = {}) =>
    addMutation<{ account: SubAccount }>({
      name,
      description,
      problems: ['NotFound'],
      fields: (t) => ({ ...idField(t), ...fields(t) }),
      payload: (t) => ({
        account: t.expose('account', { type: SubAccountType, description: 'The changed account.' }),
      }),
      verb: async (ctx, { id, ...input }) => ({
        account: await updateSubAccount(ctx, String(id), { ...input, ...more }),
      }),
    });

  change(
    'updateAccount',
    'Changes the name and the limits that are given of an account below yours. No limit may be above your own; what the account has already stays.',
    (t) => ({
      name: t.string({ description: 'Name.' }),
      maxCollections: t.int({ description: 'Collections that it may have.' }),
      maxValuedCollections: t.int({ description: 'Valued collections that it may have.' }),
      maxTransactions: t.int({ description: 'Transactions that it may have.' }),
    }),
  );
  change(
    'suspendAccount',
    'Ends all access to an account below yours: its tokens end within 60 seconds. Nothing of it is lost.',
    () => ({}),
    { status: 'Suspended' },
  );
  change('resumeAccount', 'Gives the access to a suspended account back.', () => ({}), { status: 'Active' });
}

function addTokens({ addMutation, enums }: SchemaParts): void {
  addMutation<AccountToken>({
    name: 'createAccountToken',
    description: `Gives a token of an account below yours, for a browser or a phone. It acts as the account, and ends when it expires, and within 60 seconds of the account being suspended or deleted. An account may be given ${LIMITS.accountTokensPerMinute} a minute. With an idempotency key the same token is signed again.`,
    problems: ['NotFound'],
    fields: (t) => ({
      ...idField(t),
      scope: t.field({
        type: enums.AccountTokenScope,
        required: true,
        description: 'What it may do.',
      }),
      expiresIn: t.int({
        required: true,
        description: `Seconds for which it is good, ${LIMITS.accountTokenMinSeconds} to ${LIMITS.accountTokenMaxSeconds}.`,
      }),
    }),
    payload: (t) => ({
      accessToken: t.exposeString('accessToken', { description: 'The token: a JWT (RFC 9068).' }),
      scope: t.expose('scope', { type: enums.AccountTokenScope, description: 'What it may do.' }),
      expiresIn: t.exposeInt('expiresIn', { description: 'Seconds for which it is good.' }),
    }),
    verb: (ctx, { id, ...input }) => createAccountToken(ctx, String(id), input),
  });
}
