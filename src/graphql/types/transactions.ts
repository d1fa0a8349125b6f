import type { InputFieldMap } from '@pothos/core';
import { occurredAt } from '../../domain/dates.ts';
import { summaryId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Grade } from '../../domain/transactions.ts';
import { withCommas } from '../../lib/text.ts';
import { createTransaction, createTransactions } from '../../services/transactions/create.ts';
import { deleteTransaction, type TransactionPlace } from '../../services/transactions/delete.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import { updateTransaction } from '../../services/transactions/update.ts';
import type { GraphQLContext } from '../context.ts';
import type { InputFields } from '../mutation.ts';
import { collectionOf, mustExist } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** Transactions: their type, the query and the mutations on them. */
export function addTransactions(parts: SchemaParts): void {
  addTransactionType(parts);
  const detailFields = detailInputs(parts);
  addCreatingMutations(parts, detailFields);
  addChangingMutations(parts, detailFields);
}

function addTransactionType(parts: SchemaParts): void {
  const { builder, enums, CollectionType, MoneyType, TransactionType, VariantType } = parts;
  const GradeType = builder.objectRef<Grade>('Grade').implement({
    description: 'What a company that grades cards says of one.',
    fields: (t) => ({
      company: t.exposeString('company', { description: 'Who graded it, in capitals, such as `PSA`.' }),
      grade: t.exposeString('grade', { description: 'As the company writes it, such as `9.5`.' }),
      certificate: t.exposeString('certificate', {
        nullable: true,
        description: 'The number of its certificate.',
      }),
    }),
  });
  builder.node(TransactionType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `txn_…`.' },
    description: 'A purchase or a sale, recorded in a collection.',
    fields: (t) => ({
      transactionId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      occurred: t.field({
        type: 'DateTime',
        description: 'The day it occurred, at noon UTC.',
        resolve: ({ occurred }) => occurredAt(occurred),
      }),
      action: t.expose('action', { type: enums.Action, description: 'Purchase or sale.' }),
      quantity: t.expose('quantity', { type: 'SafeInt', description: 'Number of cards.' }),
      unitAmount: t.expose('unitAmount', {
        type: MoneyType,
        description: 'Price of one card, as it was given.',
      }),
      costUnknown: t.boolean({
        description: 'Of a purchase whose price nobody knows: `unitAmount` is 0, and no gain is made of it.',
        // An answer that a node of the version before has kept for a key does not say it.
        resolve: ({ costUnknown }) => costUnknown ?? false,
      }),
      fees: t.expose('fees', {
        type: MoneyType,
        nullable: true,
        description:
          'Fees of the whole transaction, as they were given: part of the cost of a purchase, taken from the proceeds of a sale. Null where there are none.',
      }),
      shipping: t.expose('shipping', {
        type: MoneyType,
        nullable: true,
        description:
          'Shipping of the whole transaction, which counts as `fees` do. Null where there is none.',
      }),
      cardCondition: t.expose('cardCondition', {
        type: enums.CardCondition,
        nullable: true,
        description: 'Of its cards; null where nothing is said. It changes no price.',
      }),
      grade: t.expose('grade', {
        type: GradeType,
        nullable: true,
        description: 'Of its cards; null where they have none. It changes no price.',
      }),
      language: t.expose('language', {
        type: enums.Language,
        nullable: true,
        description: 'That its cards are printed in; null where nothing is said. It changes no price.',
      }),
      notes: t.exposeString('notes', { description: 'Text of yours; empty where there is none.' }),
      tags: t.exposeStringList('tags', { description: 'Words of yours, in the order that they were given.' }),
      variant: t.field({
        type: VariantType,
        description: 'What was bought or sold.',
        resolve: ({ variantId }, _args, { loaders }) => mustExist(loaders.variant(variantId)),
      }),
      collection: t.field({
        type: CollectionType,
        description: 'Where it is recorded.',
        resolve: ({ collectionId }, _args, graphql) => collectionOf(collectionId, graphql),
      }),
    }),
  });

  builder.queryFields((t) => ({
    transaction: t.field({
      type: TransactionType,
      nullable: true,
      description: 'A transaction of yours; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.transaction(id),
    }),
  }));
}

/** What a transaction may cost beside its cards. */
const chargeFields = (t: InputFields, MoneyInput: SchemaParts['MoneyInput'], other: string) => ({
  fees: t.field({
    type: MoneyInput,
    description: `Fees of the whole transaction, in the currency of \`unitAmount\`: part of the cost of a purchase, taken from the proceeds of a sale.${other}`,
  }),
  shipping: t.field({
    type: MoneyInput,
    description: `Shipping of the whole transaction, which counts as \`fees\` do.${other}`,
  }),
});

/** What a collection holds of the variant of a transaction, after it. */
function summaryAfter(
  { collectionId, variantId }: Pick<Transaction, 'collectionId' | 'variantId'>,
  { loaders }: GraphQLContext,
) {
  return loaders.summary(summaryId(collectionId, variantId));
}

const SUMMARY_AFTER =
  'What the collection holds of the variant now; null where nothing of it is recorded any more.';

/** What can be said of the cards, when they are recorded and later. */
function detailInputs({ builder, enums }: SchemaParts): (t: InputFields) => InputFieldMap {
  const GradeInput = builder.inputType('GradeInput', {
    description: 'What a company that grades cards says of one.',
    fields: (t) => ({
      company: t.string({
        required: true,
        description: `Who graded it, 1 to ${LIMITS.gradeCompanyCharacters} characters, such as \`PSA\`.`,
      }),
      grade: t.string({
        required: true,
        description: `As it writes it, 1 to ${LIMITS.gradeCharacters} characters, such as \`9.5\`.`,
      }),
      certificate: t.string({
        description: `The number of its certificate, 1 to ${LIMITS.certificateCharacters} characters.`,
      }),
    }),
  });
  return (t) => ({
    cardCondition: t.field({ type: enums.CardCondition, description: 'Of the cards. It changes no price.' }),
    grade: t.field({ type: GradeInput, description: 'Of the cards. It changes no price.' }),
    language: t.field({
      type: enums.Language,
      description: 'That the cards are printed in. It changes no price.',
    }),
    notes: t.string({ description: `Up to ${LIMITS.notesCharacters} characters.` }),
    tags: t.stringList({
      description: `Up to ${LIMITS.tags}, each of 1 to ${LIMITS.tagCharacters} characters without commas and semicolons.`,
    }),
  });
}

function addCreatingMutations(
  { builder, addMutation, enums, MoneyInput, SummaryType, TransactionType }: SchemaParts,
  detailFields: (t: InputFields) => InputFieldMap,
): void {
  const entryFields = (t: InputFields) => ({
    variantId: t.id({ required: true, description: 'What was bought or sold.' }),
    occurredDate: t.field({
      type: 'Date',
      required: true,
      description: 'From 1970-01-01 to tomorrow in UTC.',
    }),
    action: t.field({ type: enums.Action, required: true, description: 'Purchase or sale.' }),
    quantity: t.int({ required: true, description: `Number of cards, 1 to ${withCommas(LIMITS.quantity)}.` }),
    unitAmount: t.field({ type: MoneyInput, required: true, description: 'Price of one card.' }),
    costUnknown: t.boolean({
      description: 'Of a purchase whose price nobody knows: `unitAmount` is 0, and no gain is made of it.',
    }),
    ...chargeFields(t, MoneyInput, ''),
    ...detailFields(t),
  });
  const EntryInput = builder.inputType('TransactionEntryInput', {
    description: 'One of many transactions that are created together.',
    fields: entryFields,
  });

  addMutation<{ transaction: Transaction }>({
    name: 'createTransaction',
    description: 'Records a purchase or a sale in a collection.',
    problems: ['NotFound', 'LimitExceeded'],
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where it is recorded.' }),
      ...entryFields(t),
    }),
    payload: (t) => ({
      transaction: t.expose('transaction', { type: TransactionType, description: 'The new transaction.' }),
      transactionSummary: t.field({
        type: SummaryType,
        nullable: true,
        description: SUMMARY_AFTER,
        resolve: ({ transaction }, _args, graphql) => summaryAfter(transaction, graphql),
      }),
    }),
    verb: async (ctx, { collectionId, ...entry }) => ({
      transaction: await createTransaction(ctx, String(collectionId), entry),
    }),
  });

  addMutation<{ transactions: Transaction[] }>({
    name: 'createTransactions',
    description: `Records up to ${withCommas(LIMITS.bulkTransactions)} transactions in a collection, all or none.`,
    problems: ['NotFound', 'LimitExceeded'],
    pointsPerItem: 0.5,
    fields: (t) => ({
      collectionId: t.id({ required: true, description: 'Where they are recorded.' }),
      transactions: t.field({
        type: [EntryInput],
        required: true,
        description: `1 to ${withCommas(LIMITS.bulkTransactions)} transactions.`,
      }),
    }),
    payload: (t) => ({
      transactions: t.expose('transactions', {
        type: [TransactionType],
        description: 'The new transactions, in the order given.',
      }),
      transactionSummaries: t.field({
        type: [SummaryType],
        description: 'What the collection holds now of each of their variants, in the same order.',
        resolve: async ({ transactions }, _args, graphql) => {
          const ofVariants = new Map(transactions.map((each) => [each.variantId, each]));
          const summaries = [...ofVariants.values()].map((each) => summaryAfter(each, graphql));
          return (await Promise.all(summaries)).filter((summary) => summary !== null);
        },
      }),
    }),
    verb: async (ctx, { collectionId, transactions }) => ({
      transactions: await createTransactions(ctx, String(collectionId), transactions),
    }),
  });
}

function addChangingMutations(
  { addMutation, enums, MoneyInput, SummaryType, TransactionType }: SchemaParts,
  detailFields: (t: InputFields) => InputFieldMap,
): void {
  addMutation<{ transaction: Transaction }>({
    name: 'updateTransaction',
    description: 'Changes the fields of a transaction that are given.',
    problems: ['NotFound'],
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its id.' }),
      occurredDate: t.field({ type: 'Date', description: 'From 1970-01-01 to tomorrow in UTC.' }),
      action: t.field({ type: enums.Action, description: 'Purchase or sale.' }),
      quantity: t.int({ description: `Number of cards, 1 to ${withCommas(LIMITS.quantity)}.` }),
      unitAmount: t.field({
        type: MoneyInput,
        description: 'Price of one card, which is known then.',
      }),
      costUnknown: t.boolean({
        description:
          'True where nobody knows the price of a purchase, which is 0 then; false where that is its price.',
      }),
      ...chargeFields(t, MoneyInput, ' 0 takes them away.'),
      ...detailFields(t),
      clear: t.field({
        type: [enums.ClearedDetail],
        description: 'What is to be said no more; empty `notes` and `tags` take away those.',
      }),
    }),
    payload: (t) => ({
      transaction: t.expose('transaction', {
        type: TransactionType,
        description: 'The changed transaction.',
      }),
      transactionSummary: t.field({
        type: SummaryType,
        nullable: true,
        description: SUMMARY_AFTER,
        resolve: ({ transaction }, _args, graphql) => summaryAfter(transaction, graphql),
      }),
    }),
    verb: async (ctx, { id, ...changes }) => ({
      transaction: await updateTransaction(ctx, String(id), changes),
    }),
  });

  addMutation<{ deletedId: string; place: TransactionPlace | null }>({
    name: 'deleteTransaction',
    description: 'Deletes a transaction.',
    problems: ['NotFound'],
    fields: (t) => ({ id: t.id({ required: true, description: 'Its id.' }) }),
    payload: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'Id of what was deleted.' }),
      transactionSummary: t.field({
        type: SummaryType,
        nullable: true,
        description: SUMMARY_AFTER,
        resolve: ({ place }, _args, graphql) => place && summaryAfter(place, graphql),
      }),
    }),
    verb: async (ctx, { id }) => ({
      place: await deleteTransaction(ctx, String(id)),
      deletedId: String(id),
    }),
  });
}
