import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isListType,
  isObjectType,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { measureOperation } from '../../../src/graphql/cost/measure.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const SCHEMA = createSchema();

/** Lists that answer a mutation's input item by item, or have as many items as the `first` of the field around them says. */
const PER_ITEM = [
  'Allocation.parts',
  'CreateTransactionsPayload.transactionSummaries',
  'CreateTransactionsPayload.transactions',
  'Movers.movers',
  'ValidationFailed.errors',
];

/** Lists of values that come with the object that they are of, or with the answer to what was sent. */
const VALUES = [
  'Breach.path',
  'ImportRow.lacks',
  'Set.editions',
  'Transaction.tags',
  'Variant.saleVolumes',
  'Webhook.events',
];

it('every list of values comes with its object, or says what it takes', () => {
  const free: string[] = [];
  for (const type of Object.values(SCHEMA.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const { name, type: of, extensions } of Object.values(type.getFields())) {
      if (!isListType(getNullableType(of)) || isCompositeType(getNamedType(of))) continue;
      if (typeof extensions.points !== 'number') free.push(`${type.name}.${name}`);
    }
  }
  expect(free).toEqual(VALUES);
});

it('every list of objects is a page, or says how many it may have', () => {
  const unbounded: string[] = [];
  for (const type of Object.values(SCHEMA.getTypeMap())) {
    if (!isObjectType(type) || /^__|Connection$/.test(type.name)) continue;
    for (const { name, type: of, args, extensions } of Object.values(type.getFields())) {
      if (!isListType(getNullableType(of)) || !isCompositeType(getNamedType(of))) continue;
      const isSized = args.some(({ name }) => name === 'ids' || name === 'from');
      if (!isSized && typeof extensions.maxItems !== 'number') unbounded.push(`${type.name}.${name}`);
    }
  }
  expect(unbounded).toEqual(PER_ITEM);
});

it('what an input lists at any depth counts where the answer tells of each', () => {
  const breaches = '{ ... on ValidationFailed { errors { detail } } }';
  const costOf = (text: string, variables: Record<string, unknown>) => {
    const document = parse(text);
    return measureOperation(SCHEMA, document, getOperationAST(document)!, variables).cost;
  };
  const items = Array.from({ length: 1000 }, () => ({ variantId: 'x', quantity: 0 }));
  const sent = costOf(
    `mutation ($input: SetGoalCollectionInput!) { setGoalCollection(input: $input) ${breaches} }`,
    {
      input: { collectionId: 'x', target: { items } },
    },
  );
  const sentWithin = costOf(
    `mutation ($target: GoalTargetInput) { setGoalCollection(input: { collectionId: "x", target: $target }) ${breaches} }`,
    { target: { items } },
  );
  const written = costOf(
    `mutation ($item: GoalItemInput!) { setGoalCollection(input: { collectionId: "x", target: { items: [${'$item '.repeat(1000)}] } }) ${breaches} }`,
    { item: items[0] },
  );
  const few = costOf(
    `mutation { setGoalCollection(input: { collectionId: "x", target: { setCode: "WTR" } }) ${breaches} }`,
    {},
  );
  expect([sent, sentWithin, written]).toEqual([few + 995, few + 995, few + 995]);
});

it('a list within the items of a list is not another of them', () => {
  const document = parse(
    'mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { ... on CreateTransactionsPayload { transactions { id } } } }',
  );
  const costOf = (tags: string[]) => {
    const input = { collectionId: 'x', transactions: Array.from({ length: 1000 }, () => ({ tags })) };
    return measureOperation(SCHEMA, document, getOperationAST(document)!, { input }).cost;
  };
  expect(costOf(Array.from({ length: 10 }, String))).toBe(costOf([]));
});

it('a variable is looked through once, however often it stands in an input', () => {
  let reads = 0;
  const item = {
    get zeros() {
      reads++;
      return Array.from({ length: 2000 }, () => 0);
    },
  };
  const document = parse(
    `mutation ($item: TransactionEntryInput!) { createTransactions(input: { collectionId: "x", transactions: [${'$item '.repeat(900)}] }) { __typename } }`,
  );
  measureOperation(SCHEMA, document, getOperationAST(document)!, { item });
  expect(reads).toBe(1);
});
