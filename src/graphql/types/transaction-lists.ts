import type { ObjectRef } from '@pothos/core';
import { DEFAULT_SORTS } from '../../domain/orders.ts';
import { HOLDING_ORDER } from '../../services/transactions/find.ts';
import { transactionOrder } from '../../services/transactions/list.ts';
import type { BuilderTypes } from '../builder.ts';
import type { KeptExtensions } from '../catalogue-texts.ts';
import { connectionOf } from '../connection.ts';
import type { SchemaParts } from './refs.ts';

const REVERSE = 'The same order from its other end.';
const OF_CALLER = { ofCaller: true } satisfies KeptExtensions;
/** Each collection is looked at. */
const POINTS_OF_ALL_COLLECTIONS = 20;

/** Transactions of a collection, of all, and of what was bought and sold; and what is held of that. */
export function addTransactionLists(parts: SchemaParts): void {
  const { builder, enums, AccountType, CollectionType, TransactionConnection, TransactionType } = parts;
  const which = filterArguments(parts);
  const reverse = builder.args((t) => ({
    reverse: t.boolean({ defaultValue: false, description: REVERSE }),
  }));
  const sort = builder.args((t) => ({
    sort: t.field({
      type: enums.TransactionSort,
      defaultValue: DEFAULT_SORTS.transactions,
      description: 'Order.',
    }),
  }));

  builder.objectFields(CollectionType, (t) => ({
    transactions: t.connection(
      {
        type: TransactionType,
        description: 'The transactions recorded in it.',
        args: { ...sort, ...reverse, ...which },
        resolve: (collection, { sort, reverse, filter, searchQuery, ...args }, { loaders }) => {
          const order = transactionOrder(sort ?? DEFAULT_SORTS.transactions, reverse ?? false);
          const asked = { filter, searchQuery };
          const isOfAll = filter == null && searchQuery == null;
          return connectionOf(
            args,
            order,
            (request) =>
              isOfAll
                ? loaders.transactions(collection, order, request)
                : loaders.found.ofCollection(collection, asked, order, request),
            () =>
              isOfAll ? collection.transactionCount : loaders.found.countOfCollection(collection, asked),
          );
        },
      },
      TransactionConnection,
    ),
  }));

  builder.objectFields(AccountType, (t) => ({
    transactions: t.connection(
      {
        type: TransactionType,
        description: 'The transactions of all its collections, the oldest first.',
        extensions: { points: POINTS_OF_ALL_COLLECTIONS },
        args: { ...reverse, ...which },
        resolve: (_account, { reverse, filter, searchQuery, ...args }, { loaders }) => {
          const order = transactionOrder(DEFAULT_SORTS.transactions, reverse ?? false);
          const asked = { filter, searchQuery };
          return connectionOf(
            args,
            order,
            (request) => loaders.found.ofAccount(asked, order, request),
            () => loaders.found.countOfAccount(asked),
          );
        },
      },
      TransactionConnection,
    ),
  }));
  addListsOf(parts, 'Variant');
  addListsOf(parts, 'Product');
}

function filterArguments({ builder, TransactionFilterInput }: SchemaParts) {
  return builder.args((t) => ({
    filter: t.field({ type: TransactionFilterInput, description: 'Only those that match.' }),
    searchQuery: t.string({
      description:
        'Only those of what matches, in the language of product search, which here knows `condition`, `language`, `tag` and `grade`, too.',
    }),
  }));
}

/** Of a variant or a product, over all collections of the caller. */
function addListsOf(parts: SchemaParts, parent: 'Variant' | 'Product'): void {
  const {
    builder,
    ProductType,
    SummaryType,
    SummaryConnection,
    TransactionConnection,
    TransactionType,
    VariantType,
  } = parts;
  const what = parent === 'Variant' ? 'it' : 'any of its variants';
  const fieldsOf = parent === 'Variant' ? VariantType : ProductType;
  builder.objectFields(fieldsOf as ObjectRef<BuilderTypes, { id: string }>, (t) => ({
    transactions: t.connection(
      {
        type: TransactionType,
        description: `Your transactions of ${what}, over all your collections, the oldest first.`,
        extensions: OF_CALLER,
        args: { reverse: t.arg.boolean({ defaultValue: false, description: REVERSE }) },
        resolve: ({ id }, { reverse, ...args }, { loaders }) => {
          const order = transactionOrder(DEFAULT_SORTS.transactions, reverse ?? false);
          return connectionOf(
            args,
            order,
            (request) => loaders.found.of(parent, id, order, request),
            () => loaders.found.countOf(parent, id),
          );
        },
      },
      TransactionConnection,
    ),
    holdings: t.connection(
      {
        type: SummaryType,
        description: `What your collections hold of ${what}, by the time that they were made.`,
        extensions: OF_CALLER,
        resolve: ({ id }, args, { loaders }) =>
          connectionOf(
            args,
            HOLDING_ORDER,
            (request) => loaders.found.holdings(parent, id, request),
            () => loaders.found.holdingCount(parent, id),
          ),
      },
      SummaryConnection,
    ),
  }));
}
