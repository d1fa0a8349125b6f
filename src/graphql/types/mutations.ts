import type { FieldMap, InputFieldBuilder, InputFieldMap, ObjectFieldBuilder } from '@pothos/core';
import type { Account } from '../../services/accounts/get.ts';
import { updatePreferences } from '../../services/accounts/update-preferences.ts';
import { createCollection } from '../../services/collections/create.ts';
import { deleteCollection } from '../../services/collections/delete.ts';
import type { Collection } from '../../services/collections/model.ts';
import { setGoalCollection } from '../../services/collections/set-goal.ts';
import { updateCollection } from '../../services/collections/update.ts';
import type { Context } from '../../services/context.ts';
import { idempotently } from '../../services/idempotency.ts';
import { createTransaction, createTransactions } from '../../services/transactions/create.ts';
import { deleteTransaction } from '../../services/transactions/delete.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import { updateTransaction } from '../../services/transactions/update.ts';
import type { Builder, BuilderTypes } from '../builder.ts';
import type { Enums } from '../enums.ts';
import { createLoaders } from '../loaders.ts';
import type { addCollectionTypes } from './collections.ts';
import { asData, type DataProblem, type ErrorTypes, type Failure, isFailure } from './errors.ts';
import type { addMoney } from './money.ts';

interface Types {
  enums: Enums;
  money: ReturnType<typeof addMoney>;
  collections: ReturnType<typeof addCollectionTypes>;
  errors: ErrorTypes;
}

type InputFields = InputFieldBuilder<BuilderTypes, 'InputObject'>;
type PayloadFields<Payload> = ObjectFieldBuilder<BuilderTypes, Payload>;

/** As GraphQL has coerced it, without the nulls; the verb checks the values. */
type Input = Record<string, unknown>;

/** Every mutation: one input with an optional idempotency key, and a union of its payload and the errors it can meet. */
export function addMutations(builder: Builder, { enums, money, collections, errors }: Types): void {
  const { CollectionType, TransactionType, AccountType } = collections;
  const { MoneyInput } = money;
  builder.mutationType({
    description: 'Changes. Each takes one input and answers with its payload or an expected failure.',
  });

  const add = <Payload extends object>(mutation: {
    name: string;
    description: string;
    problems: readonly DataProblem[];
    fields: (t: InputFields) => InputFieldMap;
    payload: (t: PayloadFields<Payload>) => FieldMap;
    verb: (ctx: Context, input: Input) => Promise<Payload>;
  }) => {
    const { name, description, verb } = mutation;
    const problems: DataProblem[] = [...mutation.problems, 'ValidationFailed', 'IdempotencyMismatch'];
    const typeName = name[0]!.toUpperCase() + name.slice(1);
    const PayloadType = builder.objectRef<Payload>(`${typeName}Payload`).implement({
      description: `What ${name} gives when it has done it.`,
      fields: mutation.payload,
    });
    const ResultType = builder.unionType(`${typeName}Result`, {
      description: `What ${name} answers with: its payload, or an expected failure.`,
      types: [PayloadType, ...problems.map((problem) => errors[problem])],
      resolveType: (value) => (isFailure(value) ? value.problem : `${typeName}Payload`),
    });
    const answer = async (context: Context, input: Input): Promise<Payload | Failure> => {
      const { idempotencyKey = null, ...given } = withoutNulls(input);
      try {
        const run = (ctx: Context) => verb(ctx, given);
        return (await idempotently(context, idempotencyKey as string | null, name, given, run)).value;
      } catch (error) {
        return asData(error, problems);
      }
    };
    const InputType = builder.inputRef<Input>(`${typeName}Input`).implement({
      description: `What ${name} needs.`,
      fields: (t) => ({
        ...mutation.fields(t),
        idempotencyKey: t.string({
          description:
            'Makes it safe to repeat: the same key and input give the first answer again for 24 hours.',
        }),
      }),
    });
    builder.mutationField(name, (t) =>
      t.field({
        type: ResultType,
        description,
        args: { input: t.arg({ type: InputType, required: true, description: 'What it needs.' }) },
        // A union of a generic payload is more than the types can follow; resolveType tells the members apart.
        resolve: (_root, { input }, graphql) => {
          // What earlier mutations of the operation have loaded is out of date.
          graphql.loaders = createLoaders(graphql.context);
          return answer(graphql.context, input) as never;
        },
      }),
    );
  };

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

/** A field that is null is one that is not given. */
function withoutNulls(input: Input): Input {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  );
}
