import { occurredAt } from '../../domain/dates.ts';
import type { Account, Dashboard } from '../../services/accounts/get.ts';
import { collectionOrder, countCollections, listCollections } from '../../services/collections/list.ts';
import type { Collection, Totals } from '../../services/collections/model.ts';
import { summaryOrder } from '../../services/summaries/list.ts';
import type { TransactionSummary } from '../../services/summaries/model.ts';
import { transactionOrder } from '../../services/transactions/list.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import type { Builder } from '../builder.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import type { Enums } from '../enums.ts';
import { mustExist, unlessDeleted } from '../node.ts';
import type { addCatalogueTypes } from './catalogue.ts';
import type { addMoney } from './money.ts';

type MoneyTypes = ReturnType<typeof addMoney>;
type CatalogueTypes = ReturnType<typeof addCatalogueTypes>;

const REVERSE = 'The same order from its other end.';

/** What belongs to an account: collections, transactions, summaries and the account itself. */
export function addCollectionTypes(
  builder: Builder,
  enums: Enums,
  { MoneyType }: MoneyTypes,
  { VariantType }: CatalogueTypes,
) {
  const CollectionType = builder.objectRef<Collection>('Collection');
  const TransactionType = builder.objectRef<Transaction>('Transaction');
  const SummaryType = builder.objectRef<TransactionSummary>('TransactionSummary');

  const TotalsType = builder.interfaceRef<Totals>('Totals').implement({
    description: 'Amounts in the preferred currency, rounded once to its minor unit.',
    fields: (t) => ({
      quantity: t.expose('quantity', {
        type: 'SafeInt',
        description: 'Cards held: bought less sold.',
      }),
      cashPosition: t.expose('cashPosition', {
        type: MoneyType,
        nullable: true,
        description: 'Proceeds of all sales less the cost of all purchases.',
      }),
      invested: t.expose('invested', {
        type: MoneyType,
        nullable: true,
        description: 'What the cards that are held cost: average purchase cost × quantity.',
      }),
      profit: t.expose('profit', {
        type: MoneyType,
        nullable: true,
        description: 'Realised: proceeds less the average purchase cost of what was sold.',
      }),
      gain: t.expose('gain', {
        type: MoneyType,
        nullable: true,
        description: 'Unrealised: marketValue − invested.',
      }),
      marketValue: t.expose('marketValue', {
        type: MoneyType,
        description: 'Market price × quantity, at the latest prices.',
      }),
      percentageGain: t.exposeFloat('percentageGain', {
        nullable: true,
        description: 'gain ÷ invested, e.g. 0.25; null when nothing is invested.',
      }),
    }),
  });

  builder.node(CollectionType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `col_…`.' },
    interfaces: [TotalsType],
    description: 'A collection of cards; what it holds follows from the transactions recorded in it.',
    fields: (t) => ({
      collectionId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      name: t.exposeString('name', { description: 'Name, 1 to 100 characters.' }),
      description: t.exposeString('description', { description: 'Description, up to 2,000 characters.' }),
      valued: t.exposeBoolean('valued', { description: 'Whether it counts for the dashboard.' }),
      pinned: t.exposeBoolean('pinned', { description: 'Whether it is pinned.' }),
      isGoalCollection: t.exposeBoolean('isGoalCollection', {
        description: "Whether it is the account's goal.",
      }),
      image: t.exposeInt('image', { description: 'Number of a picture that the application has.' }),
      createdAt: t.exposeString('createdAt', { description: 'When it was created, ISO 8601.' }),
      transactions: t.connection(
        {
          type: TransactionType,
          description: 'The transactions recorded in it.',
          args: {
            sort: t.arg({
              type: enums.TransactionSort,
              defaultValue: 'Chronological',
              description: 'Order.',
            }),
            reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }),
          },
          resolve: ({ id, transactionCount }, { sort, reverse, ...args }, { loaders }) => {
            const order = transactionOrder(sort ?? 'Chronological', reverse ?? false);
            return connectionOf(
              args,
              order,
              (request) => loaders.transactions(id, order, request),
              () => transactionCount,
            );
          },
        },
        ...connectionNames('Transaction'),
      ),
      transactionSummaries: t.connection(
        {
          type: SummaryType,
          description: 'What it holds of each variant.',
          args: {
            sort: t.arg({
              type: enums.TransactionSummarySort,
              defaultValue: 'Alphabetical',
              description: 'Order.',
            }),
            reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }),
            searchQuery: t.arg.string({
              description: 'Only those that match, in the language of product search.',
            }),
          },
          resolve: (collection, { sort, reverse, searchQuery, ...args }, { loaders }) => {
            const order = summaryOrder(sort ?? 'Alphabetical', reverse ?? false);
            const query = searchQuery ?? null;
            return connectionOf(
              args,
              order,
              (request) => loaders.summaries(collection, query, order, request),
              () => loaders.summaryCount(collection.id, query),
            );
          },
        },
        ...connectionNames('TransactionSummary'),
      ),
    }),
  });

  builder.node(TransactionType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `txn_…`.' },
    description: 'A purchase or a sale, recorded in a collection.',
    fields: (t) => ({
      transactionId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      occurred: t.string({
        description: 'The day it occurred, at noon UTC, ISO 8601.',
        resolve: ({ occurred }) => occurredAt(occurred),
      }),
      action: t.expose('action', { type: enums.Action, description: 'Purchase or sale.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Number of cards.' }),
      unitAmount: t.expose('unitAmount', {
        type: MoneyType,
        description: 'Price of one card, as it was given.',
      }),
      variant: t.field({
        type: VariantType,
        description: 'What was bought or sold.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      collection: t.field({
        type: CollectionType,
        description: 'Where it is recorded.',
        resolve: ({ collectionId }, _args, { context, loaders }) =>
          unlessDeleted('collection', loaders.collection(collectionId), context.seen),
      }),
    }),
  });

  builder.node(SummaryType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `sum_…`.' },
    interfaces: [TotalsType],
    description: 'What a collection holds of one variant, derived from its transactions.',
    fields: (t) => ({
      variant: t.field({
        type: VariantType,
        description: 'What is held.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      warning: t.exposeString('warning', {
        nullable: true,
        description: 'What makes the figures less than they seem, in plain words.',
      }),
    }),
  });

  const DashboardType = builder.objectRef<Dashboard>('Dashboard').implement({
    interfaces: [TotalsType],
    description: 'The sums over the valued collections.',
    fields: (t) => ({
      collectionCount: t.exposeInt('collectionCount', { description: 'Number of valued collections.' }),
    }),
  });

  const AccountLimitsType = builder.objectRef<Account>('AccountLimits').implement({
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
    }),
  });

  const AccountType = builder.objectRef<Account>('Account');
  builder.node(AccountType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `acc_…`.' },
    description: 'The account that the access token belongs to.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name.' }),
      preferredCurrency: t.expose('preferredCurrency', {
        type: enums.Currency,
        description: 'Of all derived amounts.',
      }),
      preferredPriceSource: t.expose('preferredPriceSource', {
        type: enums.PriceSource,
        description: 'Of market prices.',
      }),
      dashboard: t.field({
        type: DashboardType,
        description: 'The sums over the valued collections.',
        resolve: (_account, _args, { loaders }) => loaders.dashboard(),
      }),
      limits: t.field({
        type: AccountLimitsType,
        description: 'What the account may have, and has.',
        resolve: (account) => account,
      }),
    }),
  });

  builder.queryFields((t) => ({
    viewer: t.field({
      type: AccountType,
      description: 'Your account.',
      resolve: (_root, _args, { loaders }) => loaders.account(),
    }),
    collection: t.field({
      type: CollectionType,
      nullable: true,
      description: 'A collection of yours; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.collection(id),
    }),
    transaction: t.field({
      type: TransactionType,
      nullable: true,
      description: 'A transaction of yours; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.transaction(id),
    }),
    collections: t.connection(
      {
        type: CollectionType,
        description: 'Your collections.',
        args: {
          sort: t.arg({
            type: enums.CollectionSort,
            defaultValue: 'Chronological',
            description: 'Order.',
          }),
          reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }),
        },
        resolve: (_root, { sort, reverse, ...args }, { context }) => {
          const order = collectionOrder(sort ?? 'Chronological', reverse ?? false);
          return connectionOf(
            args,
            order,
            (request) => listCollections(context, order, request),
            () => countCollections(context),
          );
        },
      },
      ...connectionNames('Collection'),
    ),
  }));

  return { CollectionType, TransactionType, SummaryType, AccountType };
}
