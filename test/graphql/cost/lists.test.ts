import { getNamedType, getNullableType, isCompositeType, isListType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
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
