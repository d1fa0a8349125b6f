import { summaryId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_SORTS } from '../../domain/orders.ts';
import { withCommas } from '../../lib/text.ts';
import { createCollection } from '../../services/collections/create.ts';
import { deleteCollection } from '../../services/collections/delete.ts';
import { collectionOrder, countCollections, listCollections } from '../../services/collections/list.ts';
import type { Collection } from '../../services/collections/model.ts';
import { updateCollection } from '../../services/collections/update.ts';
import { summaryOrder } from '../../services/summaries/list.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { addDeletion } from '../mutation.ts';
import { givenBy } from '../node.ts';
import type { SchemaParts } from './refs.ts';

const REVERSE = 'The same order from its other end.';

/** Collections: their type, the queries and the mutations on them. */
export function addCollections(parts: SchemaParts): void {
  addCollectionType(parts);
  addCollectionQueries(parts);
  addCollectionMutations(parts);
}

function addCollectionType(parts: SchemaParts): void {
  const {
    builder,
    enums,
    CollectionType,
    SummaryConnection,
    SummaryType,
    TotalsType,
    TransactionFilterInput,
  } = parts;
  builder.node(CollectionType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `col_…`.' },
    interfaces: [TotalsType],
    description: 'A collection of cards; what it holds follows from the transactions recorded in it.',
    fields: (t) => ({
      collectionId: t.exposeID('id', { description: 'The same as `id`, by the name that REST gives it.' }),
      name: t.exposeString('name', { description: `Name, 1 to ${LIMITS.nameCharacters} characters.` }),
      description: t.exposeString('description', {
        description: `Description, up to ${withCommas(LIMITS.descriptionCharacters)} characters.`,
      }),
      collectionKind: t.field({
        type: enums.CollectionKind,
        description: 'Whether it is of cards that you have, or would like to have.',
        // An answer that a node of the version before has kept for a key has none.
        resolve: ({ kind = 'Collection' }) => kind,
      }),
      valued: t.exposeBoolean('valued', { description: 'Whether it counts for the dashboard.' }),
      pinned: t.exposeBoolean('pinned', { description: 'Whether it is pinned.' }),
      isGoalCollection: t.exposeBoolean('isGoalCollection', {
        description: "Whether it is the account's goal: `goal` says what it is to hold.",
      }),
      image: t.exposeInt('image', { description: 'Number of a picture that the application has.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
      transactionSummary: t.field({
        type: SummaryType,
        nullable: true,
        description: 'What it holds of one variant; null where none of it was ever recorded.',
        args: { variantId: t.arg.id({ required: true, description: 'The variant.' }) },
        resolve: ({ id }, { variantId }, { loaders }) =>
          variantId.startsWith('var_') ? loaders.summary(summaryId(id, variantId)) : null,
      }),
      transactionSummaries: t.connection(
        {
          type: SummaryType,
          description: 'What it holds of each variant.',
          args: {
            sort: t.arg({
              type: enums.TransactionSummarySort,
              defaultValue: DEFAULT_SORTS.summaries,
              description: 'Order.',
            }),
            reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }),
            searchQuery: t.arg.string({
              description:
                'Only those that match, in the language of product search, which here knows what is held and recorded, too.',
            }),
            filter: t.arg({
              type: TransactionFilterInput,
              description: 'Only those of which a transaction matches.',
            }),
          },
          resolve: (collection, { sort, reverse, searchQuery, filter, ...args }, { loaders }) => {
            const order = summaryOrder(sort ?? DEFAULT_SORTS.summaries, reverse ?? false);
            const asked = { searchQuery: searchQuery ?? null, filter: filter ?? null };
            return connectionOf(
              args,
              order,
              (request) => loaders.summaries(collection, asked, order, request),
              () => loaders.summaryCount(collection, asked),
            );
          },
        },
        SummaryConnection,
      ),
    }),
  });
}

function addCollectionQueries({ builder, enums, CollectionType }: SchemaParts): void {
  builder.queryFields((t) => ({
    collection: t.field({
      type: CollectionType,
      nullable: true,
      description: 'A collection of yours; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.collection(id),
    }),
    collections: t.connection(
      {
        type: CollectionType,
        description: 'Your collections.',
        args: {
          kind: t.arg({ type: enums.CollectionKind, description: 'Only those of the kind.' }),
          sort: t.arg({
            type: enums.CollectionSort,
            defaultValue: DEFAULT_SORTS.collections,
            description: 'Order.',
          }),
          reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }),
        },
        resolve: (_root, { kind = null, sort, reverse, ...args }, { context }) => {
          const order = collectionOrder(sort ?? DEFAULT_SORTS.collections, reverse ?? false);
          return connectionOf(
            args,
            order,
            (request) => listCollections(context, order, request, kind),
            () => countCollections(context, kind),
          );
        },
      },
      ...connectionNames('Collection'),
    ),
  }));
}

function addCollectionMutations({ addMutation, enums, CollectionType }: SchemaParts): void {
  addMutation<{ collection: Collection }>({
    name: 'createCollection',
    description: 'Creates a collection.',
    problems: ['LimitExceeded'],
    fields: (t) => ({
      name: t.string({ required: true, description: `1 to ${LIMITS.nameCharacters} characters.` }),
      collectionKind: t.field({
        type: enums.CollectionKind,
        description: 'What it is for good; a collection where nothing is said.',
      }),
      valued: t.boolean({ description: 'Whether it counts for the dashboard; not where it is left out.' }),
    }),
    payload: (t) => ({
      collection: t.field({
        type: CollectionType,
        description: 'The new collection.',
        resolve: ({ collection }, _args, graphql) =>
          givenBy(graphql, collection, () => graphql.loaders.collection(collection.id)),
      }),
    }),
    verb: async (ctx, input) => ({ collection: await createCollection(ctx, input) }),
  });

  addMutation<{ collection: Collection }>({
    name: 'updateCollection',
    description: 'Changes the fields of a collection that are given.',
    problems: ['NotFound', 'LimitExceeded'],
    fields: (t) => ({
      id: t.id({ required: true, description: 'Its id.' }),
      name: t.string({ description: `1 to ${LIMITS.nameCharacters} characters.` }),
      description: t.string({ description: `Up to ${withCommas(LIMITS.descriptionCharacters)} characters.` }),
      valued: t.boolean({ description: 'Whether it counts for the dashboard.' }),
      pinned: t.boolean({ description: 'Whether it is pinned.' }),
      image: t.int({ description: 'Number of a picture that the application has.' }),
    }),
    payload: (t) => ({
      collection: t.field({
        type: CollectionType,
        description: 'The changed collection.',
        resolve: ({ collection }, _args, graphql) =>
          givenBy(graphql, collection, () => graphql.loaders.collection(collection.id)),
      }),
    }),
    verb: async (ctx, { id, ...changes }) => ({
      collection: await updateCollection(ctx, String(id), changes),
    }),
  });

  addDeletion(addMutation, {
    name: 'deleteCollection',
    description: 'Deletes a collection and its transactions.',
    problems: ['NotFound', 'CollectionInUse'],
    remove: deleteCollection,
  });
}
