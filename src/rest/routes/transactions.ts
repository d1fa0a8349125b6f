import { z } from '@hono/zod-openapi';
import { CreateTransactionInput, MoneyInput, UpdateTransactionInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SUMMARY_SORTS, TRANSACTION_SORTS } from '../../domain/orders.ts';
import { getVariantLabels } from '../../services/products/get.ts';
import { summariesOf, summaryOrder } from '../../services/summaries/list.ts';
import { createTransaction } from '../../services/transactions/create.ts';
import { deleteTransaction } from '../../services/transactions/delete.ts';
import { transactionOrder, transactionsOf } from '../../services/transactions/list.ts';
import { updateTransaction } from '../../services/transactions/update.ts';
import { pageBody, pageText, summaryText, transactionBody } from '../representations.ts';
import { addRoute, queryFailed } from '../route.ts';
import type { RestApp } from '../route-description.ts';
import { EXAMPLE_IDS, idOf, PAGE_QUERY, paginated, SummarySchema, TransactionSchema } from '../schemas.ts';
import { COLLECTION_ID } from './collections.ts';

const tag = 'Transactions';
const TRANSACTION_ID = z.object({
  transactionId: idOf('txn', EXAMPLE_IDS.transactionId, 'Identifier of the transaction'),
});

/** The rule as the document has it: there, `nullish()` would be lost beside a reference to a component. */
const UPDATE_TRANSACTION = UpdateTransactionInput.extend({
  unitAmount: z.union([MoneyInput, z.null()]).optional(),
}).meta({ id: 'UpdateTransaction' });

export function addTransactionRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/collection/{collectionId}/transaction',
    operationId: 'createTransaction',
    summary: 'Record a purchase or a sale',
    description: 'The amount is kept as it is given, and converted at the rate of the day it occurred.',
    tag,
    params: COLLECTION_ID,
    body: CreateTransactionInput.meta({ id: 'CreateTransaction' }),
    response: TransactionSchema,
    problems: ['NotFound', 'IdempotencyMismatch'],
    handle: async ({ context, params, body }) => {
      const transaction = await createTransaction(context, params.collectionId!, body);
      return { body: transactionBody(transaction), revision: transaction.revision };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection/{collectionId}/transaction',
    operationId: 'listTransactions',
    summary: 'List the transactions of a collection',
    description: 'In pages; `Link` has the addresses of the others.',
    tag,
    params: COLLECTION_ID,
    query: z.strictObject({
      sortOrder: z
        .enum(TRANSACTION_SORTS)
        .default('Chronological')
        .meta({ description: 'The order', example: 'Alphabetical' }),
      ...PAGE_QUERY,
    }),
    response: paginated(TransactionSchema, 'Transactions'),
    problems: ['NotFound'],
    handle: async ({ context, params, query, page: request }) => {
      const order = transactionOrder(query.sortOrder);
      const page = await transactionsOf(context, params.collectionId!, order, request);
      return { body: pageBody(page, request, transactionBody) };
    },
  });

  addRoute(app, {
    method: 'patch',
    path: '/transaction/{transactionId}',
    operationId: 'updateTransaction',
    summary: 'Update a transaction',
    description: 'Only the fields that are there and not null are changed.',
    tag,
    params: TRANSACTION_ID,
    body: UPDATE_TRANSACTION,
    response: TransactionSchema,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, body, revisions }) => {
      const transaction = await updateTransaction(context, params.transactionId!, body, revisions);
      return { body: transactionBody(transaction), revision: transaction.revision };
    },
  });

  addRoute(app, {
    method: 'delete',
    path: '/transaction/{transactionId}',
    operationId: 'deleteTransaction',
    summary: 'Delete a transaction',
    description: 'The sums of its collection are as if it had never been.',
    tag,
    params: TRANSACTION_ID,
    response: null,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, revisions }) => {
      await deleteTransaction(context, params.transactionId!, revisions);
      return { body: null };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection/{collectionId}/transaction-summary',
    operationId: 'listTransactionSummaries',
    summary: 'List what the collection holds of each variant',
    description:
      'In pages; `Link` has the addresses of the others. A variant that is sold out keeps its summary.',
    tag,
    params: COLLECTION_ID,
    query: z.strictObject({
      sort: z
        .enum(SUMMARY_SORTS)
        .optional()
        .meta({ description: 'The order; Alphabetical where it is left out', example: 'MarketValue' }),
      sortOrder: z
        .enum(SUMMARY_SORTS)
        .optional()
        .meta({ description: 'Another name of sort', example: 'MarketValue' }),
      searchQuery: z.string().optional().meta({
        minLength: 1,
        maxLength: LIMITS.searchQueryCharacters,
        example: 'command',
        description: 'Only what this search finds; the language of `/product/search`',
      }),
      ...PAGE_QUERY,
    }),
    response: paginated(SummarySchema, 'TransactionSummaries'),
    problems: ['NotFound', 'InvalidQuery'],
    handle: async ({ context, params, query, page: request }) => {
      if (query.sort && query.sortOrder && query.sort !== query.sortOrder) {
        throw queryFailed([
          {
            path: ['sortOrder'],
            detail: 'must not differ from sort, of which it is another name',
            inQuery: true,
          },
        ]);
      }
      const order = summaryOrder(query.sort ?? query.sortOrder ?? 'Alphabetical');
      const page = await summariesOf(
        context,
        params.collectionId!,
        query.searchQuery ?? null,
        order,
        request,
      );
      const labels = await getVariantLabels(
        context,
        page.items.map(({ variantId }) => variantId),
      );
      return pageText(page, request, (summary, place) => summaryText(summary, labels[place]!));
    },
  });
}
