import { LIMITS } from '../../domain/limits.ts';
import { withCommas } from '../../lib/text.ts';
import { type Moved, mergeCollections, moveTransactions } from '../../services/transactions/move.ts';
import { collectionOf } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** Transactions that go from one collection to another. */
export function addMoves(parts: SchemaParts): void {
  const { addMutation, CollectionType } = parts;
  addMutation<Moved>({
    name: 'moveTransactions',
    description: `Moves transactions from one collection to another, all or none: up to ${withCommas(LIMITS.bulkTransactions)} by their ids, or all of a variant, up to ${withCommas(LIMITS.movedTransactions)}. They keep their ids.`,
    problems: ['NotFound', 'LimitExceeded'],
    fields: (t) => ({
      fromCollectionId: t.id({ required: true, description: 'Where they are.' }),
      toCollectionId: t.id({ required: true, description: 'Where they are to be: another collection.' }),
      transactionIds: t.idList({
        description: `1 to ${withCommas(LIMITS.bulkTransactions)} ids of transactions of the first collection.`,
      }),
      variantId: t.id({ description: 'Instead of them, the variant of which all transactions are moved.' }),
    }),
    payload: (t) => ({
      movedCount: t.exposeInt('movedCount', { description: 'How many transactions were moved.' }),
      fromCollection: t.field({
        type: CollectionType,
        description: 'Where they were, as it is now.',
        resolve: ({ fromCollectionId }, _args, graphql) => collectionOf(fromCollectionId, graphql),
      }),
      toCollection: t.field({
        type: CollectionType,
        description: 'Where they are, as it is now.',
        resolve: ({ toCollectionId }, _args, graphql) => collectionOf(toCollectionId, graphql),
      }),
    }),
    verb: moveTransactions,
  });

  addMutation<Moved>({
    name: 'mergeCollections',
    description: `Moves all transactions of a collection, up to ${withCommas(LIMITS.movedTransactions)}, to another, and deletes it. They keep their ids.`,
    problems: ['NotFound', 'LimitExceeded', 'CollectionInUse'],
    fields: (t) => ({
      fromCollectionId: t.id({ required: true, description: 'The collection that goes.' }),
      intoCollectionId: t.id({
        required: true,
        description: 'The one that has all transactions afterwards.',
      }),
    }),
    payload: (t) => ({
      movedCount: t.exposeInt('movedCount', { description: 'How many transactions were moved.' }),
      deletedId: t.exposeID('fromCollectionId', { description: 'Id of what was deleted.' }),
      collection: t.field({
        type: CollectionType,
        description: 'The one that has them all, as it is now.',
        resolve: ({ toCollectionId }, _args, graphql) => collectionOf(toCollectionId, graphql),
      }),
    }),
    verb: mergeCollections,
  });
}
