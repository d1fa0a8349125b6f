import type { Account } from '../../services/accounts/get.ts';
import { updatePreferences } from '../../services/accounts/update-preferences.ts';
import { createCollection } from '../../services/collections/create.ts';
import { deleteCollection } from '../../services/collections/delete.ts';
import type { Collection } from '../../services/collections/model.ts';
import { setGoalCollection } from '../../services/collections/set-goal.ts';
import { updateCollection } from '../../services/collections/update.ts';
import { createTransaction, createTransactions } from '../../services/transactions/create.ts';
import { deleteTransaction } from '../../services/transactions/delete.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import { updateTransaction } from '../../services/transactions/update.ts';
import type { Builder } from '../builder.ts';
import type { Enums } from '../enums.ts';
import type { AddMutation, InputFields } from '../mutation.ts';
import type { addCollectionTypes } from './collections.ts';
import type { addMoney } from './money.ts';

interface Types {
  enums: Enums;
  money: ReturnType<typeof addMoney>;
  collections: ReturnType<typeof addCollectionTypes>;
}

/** The mutations on collections, transactions and the account. */
export function addMutations(builder: Builder, add: AddMutation, { enums, money, collections }: Types): void {
  const { CollectionType, TransactionType, AccountType } = collections;
  const { MoneyInput } = money;

  add<{ collection: Collection }>({
    name: 'createCollection',
    description: 'Creates a collection.',
    problems: ['LimitExceeded'],
    fields: (t) => ({ name: t.string({ required: true, description: '1 to 100 characters.' }) }),
    payload: (t) => ({
      collection: t.expose('collection', { type: CollectionType, description: 'The new collection.' }),
    }),
    verb: async (ctx, input) => ({ collection: await createCollection(ctx, input) }),
  });

  add<{ collection: Collection }>({
    name: 'updateCollection',
    description: 'Changes the fields of a collection that are given.',
    problems: ['NotFound', 'LimitExceeded'],
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its id.' }),
      name: t.string({ description: '1 to 100 characters.' }),
      description: t.string({ description: 'Up to 2,000 characters.' }),
      valued: t.boolean({ description: 'Whether it counts for the dashboard.' }),
      pinned: t.boolean({ description: 'Whether it is pinned.' }),
      image: t.int({ description: 'Number of a picture that the application has.' }),
    }),
    payload: (t) => ({
      collection: t.expose('collection', { type: CollectionType, description: 'The changed collection.' }),
    }),
    verb: async (ctx, { id, ...changes }) => ({
      collection: await updateCollection(ctx, String(id), changes),
    }),
  });

  add<{ deletedId: string }>({
    name: 'deleteCollection',
    description: 'Deletes a collection and its transactions.',
    problems: ['NotFound', 'CollectionInUse'],
    fields: (t) => ({ id: t.id({ required: true, description: 'Its id.' }) }),
    payload: (t) => ({ deletedId: t.exposeID('deletedId', { description: 'Id of what was deleted.' }) }),
    verb: async (ctx, { id }) => {
      await deleteCollection(ctx, String(id));
      return { deletedId: String(id) };
    },
  });

  const entryFields = (t: InputFields) => ({
    variantId: t.id({ required: true, description: 'What was bought or sold.' }),
    occurredDate: t.string({
      required: true,
      description: '`YYYY-MM-DD`, from 1970-01-01 to tomorrow in UTC.',
    }),
    action: t.field({ type: enums.Action, required: true, description: 'Purchase or sale.' }),
    quantity: t.int({ required: true, description: 'Number of cards, 1 to 1,000,000.' }),
    unitAmount: t.field({ type: MoneyInput, required: true, description: 'Price of one card.' }),
  });
  const EntryInput = builder.inputType('TransactionEntryInput', {
    description: 'One of many transactions that are created together.',
    fields: entryFields,
  });

  add<{ transaction: Transaction }>({
    name: 'createTransaction',
    description: 'Records a purchase or a sale in a collection.',
    problems: ['NotFound'],
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where it is recorded.' }),
      ...entryFields(t),
    }),
    payload: (t) => ({
      transaction: t.expose('transaction', { type: TransactionType, description: 'The new transaction.' }),
    }),
    verb: async (ctx, { collectionId, ...entry }) => ({
      transaction: await createTransaction(ctx, String(collectionId), entry),
    }),
  });

  add<{ transactions: Transaction[] }>({
    name: 'createTransactions',
    description: 'Records up to 1,000 transactions in a collection, all or none.',
    problems: ['NotFound'],
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where they are recorded.' }),
      transactions: t.field({ type: [EntryInput], required: true, description: '1 to 1,000 transactions.' }),
    }),
    payload: (t) => ({
      transactions: t.expose('transactions', {
        type: [TransactionType],
        description: 'The new transactions, in the order given.',
      }),
    }),
    verb: async (ctx, { collectionId, transactions }) => ({
      transactions: await createTransactions(ctx, String(collectionId), transactions),
    }),
  });

  add<{ transaction: Transaction }>({
    name: 'updateTransaction',
    description: 'Changes the fields of a transaction that are given.',
    problems: ['NotFound'],
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its id.' }),
      occurredDate: t.string({ description: '`YYYY-MM-DD`, from 1970-01-01 to tomorrow in UTC.' }),
      action: t.field({ type: enums.Action, description: 'Purchase or sale.' }),
      quantity: t.int({ description: 'Number of cards, 1 to 1,000,000.' }),
      unitAmount: t.field({ type: MoneyInput, description: 'Price of one card.' }),
    }),
    payload: (t) => ({
      transaction: t.expose('transaction', {
        type: TransactionType,
        description: 'The changed transaction.',
      }),
    }),
    verb: async (ctx, { id, ...changes }) => ({
      transaction: await updateTransaction(ctx, String(id), changes),
    }),
  });

  add<{ deletedId: string }>({
    name: 'deleteTransaction',
    description: 'Deletes a transaction.',
    problems: ['NotFound'],
    fields: (t) => ({ id: t.id({ required: true, description: 'Its id.' }) }),
    payload: (t) => ({ deletedId: t.exposeID('deletedId', { description: 'Id of what was deleted.' }) }),
    verb: async (ctx, { id }) => {
      await deleteTransaction(ctx, String(id));
      return { deletedId: String(id) };
    },
  });

  add<{ account: Account }>({
    name: 'updatePreferences',
    description:
      'Changes the preferences that are given. Another currency re-derives every amount of the account.',
    problems: [],
    fields: (t) => ({
      preferredCurrency: t.field({ type: enums.Currency, description: 'Of all derived amounts.' }),
      preferredPriceSource: t.field({ type: enums.PriceSource, description: 'Of market prices.' }),
    }),
    payload: (t) => ({
      account: t.expose('account', { type: AccountType, description: 'The changed account.' }),
    }),
    verb: async (ctx, input) => ({ account: await updatePreferences(ctx, input) }),
  });

  add<{ collection: Collection | null }>({
    name: 'setGoalCollection',
    description: 'Makes a collection the goal of the account; there is one at most.',
    problems: ['NotFound'],
    fields: (t) => ({ collectionId: t.id({ description: 'The new goal; none where it is left out.' }) }),
    payload: (t) => ({
      collection: t.expose('collection', {
        type: CollectionType,
        nullable: true,
        description: 'The goal collection.',
      }),
    }),
    verb: async (ctx, { collectionId }) => ({
      collection: await setGoalCollection(ctx, collectionId === undefined ? null : String(collectionId)),
    }),
  });
}
