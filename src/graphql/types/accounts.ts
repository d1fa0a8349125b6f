import type { Account } from '../../services/accounts/get.ts';
import { updatePreferences } from '../../services/accounts/update-preferences.ts';
import { givenBy } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** The account that asks, with its dashboard and its preferences. */
export function addAccounts(parts: SchemaParts): void {
  const { builder, enums, addMutation, AccountType, DashboardType } = parts;
  addDashboard(parts);
  const AccountLimitsType = addAccountLimits(parts);

  builder.node(AccountType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `acc_…`.' },
    description: 'The account that the access token belongs to.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name.' }),
      preferredCurrency: t.expose('preferredCurrency', {
        type: enums.Currency,
        description: 'The currency of all derived amounts.',
      }),
      preferredPriceSource: t.expose('preferredPriceSource', {
        type: enums.PriceSource,
        description: 'Where market prices come from.',
      }),
      costBasis: t.field({
        type: enums.CostBasis,
        description:
          'How the cost of cards that are sold is worked out: `invested`, `profit` and `gain` go by it.',
        // An answer that a node of the version before has kept for a key has none.
        resolve: ({ costBasis }: Partial<Account>, _args, { loaders }) =>
          costBasis ?? loaders.account().then((account) => account.costBasis),
      }),
      dashboard: t.field({
        type: DashboardType,
        description: 'The sums over the valued collections.',
        resolve: (_account, _args, { loaders }) => loaders.dashboard(),
      }),
      limits: t.field({
        type: AccountLimitsType,
        description: 'What the account may have, and has.',
        // As it is now, of which an answer that was kept says less.
        resolve: (_account, _args, { loaders }) => loaders.account(),
      }),
    }),
  });

  builder.queryFields((t) => ({
    viewer: t.field({
      type: AccountType,
      description: 'Your account.',
      resolve: (_root, _args, { loaders }) => loaders.account(),
    }),
  }));

  addMutation<{ account: Account }>({
    name: 'updatePreferences',
    description:
      'Changes the preferences that are given. Another currency or cost basis re-derives every amount of the account.',
    problems: [],
    fields: (t) => ({
      preferredCurrency: t.field({
        type: enums.Currency,
        description: 'The currency of all derived amounts.',
      }),
      preferredPriceSource: t.field({
        type: enums.PriceSource,
        description: 'Where market prices come from.',
      }),
      costBasis: t.field({
        type: enums.CostBasis,
        description:
          'How the cost of cards that are sold is worked out: `invested`, `profit` and `gain` go by it.',
      }),
    }),
    payload: (t) => ({
      account: t.field({
        type: AccountType,
        description: 'The changed account.',
        resolve: ({ account }, _args, graphql) => givenBy(graphql, account, () => graphql.loaders.account()),
      }),
    }),
    verb: async (ctx, input) => ({ account: await updatePreferences(ctx, input) }),
  });
}

function addDashboard({ DashboardType, TotalsType }: SchemaParts): void {
  DashboardType.implement({
    interfaces: [TotalsType],
    description: 'The sums over the valued collections.',
    fields: (t) => ({
      collectionCount: t.exposeInt('collectionCount', { description: 'Number of valued collections.' }),
    }),
  });
}

function addAccountLimits({ builder }: SchemaParts) {
  return builder.objectRef<Account>('AccountLimits').implement({
    description: 'What the account may have, and has.',
    fields: (t) => ({
      maxCollections: t.exposeInt('maxCollections', { description: 'Collections that it may have.' }),
      collectionCount: t.exposeInt('collectionCount', { description: 'Collections that it has.' }),
      maxValuedCollections: t.exposeInt('maxValuedCollections', {
        description: 'Valued collections that it may have.',
      }),
      valuedCollectionCount: t.exposeInt('valuedCollectionCount', {
        description: 'Valued collections that it has.',
      }),
      maxTransactions: t.exposeInt('maxTransactions', { description: 'Transactions that it may have.' }),
      transactionCount: t.field({
        type: 'SafeInt',
        description: 'Transactions that it has.',
        resolve: (_account, _args, { loaders }) => loaders.transactionCount(),
      }),
      maxAccounts: t.exposeInt('maxAccounts', { description: 'Accounts below it that it may have.' }),
      accountCount: t.exposeInt('accountCount', { description: 'Accounts below it that it has.' }),
    }),
  });
}
