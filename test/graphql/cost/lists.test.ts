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
