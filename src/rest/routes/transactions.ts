import { z } from '@hono/zod-openapi';
import {
  CreateTransactionInput,
  GradeInput,
  MoneyInput,
  UpdateTransactionInput,
} from '../../domain/inputs.ts';
import { DEFAULT_SORTS, TRANSACTION_SORTS } from '../../domain/orders.ts';
import { deleteTransaction } from '../../services/transactions/delete.ts';
import { createLabelled, labelled, labelledTransactionsOf } from '../../services/transactions/labelled.ts';
import { transactionOrder } from '../../services/transactions/list.ts';
import { updateTransaction } from '../../services/transactions/update.ts';
import { EXAMPLE_IDS, idOf } from '../models/parts.ts';
import { TransactionSchema, transactionBody } from '../models/transactions.ts';
import { PAGE_QUERY, pageBody, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { RestApp } from '../route-description.ts';
import { COLLECTION_ID } from './collections.ts';

const tag = 'Transactions';
const TRANSACTION_ID = z.object({
  transactionId: idOf('txn', EXAMPLE_IDS.transactionId, 'Identifier of the transaction'),
});

/** The rule as the document has it: there, `nullish()` would be lost beside a reference to a component. */
const UPDATE_TRANSACTION = UpdateTransactionInput.extend({
  unitAmount: z.union([MoneyInput, z.null()]).optional(),
  fees: z.union([MoneyInput, z.null()]).optional(),
  shipping: z.union([MoneyInput, z.null()]).optional(),
  grade: z.union([GradeInput, z.null()]).optional(),
}).meta({ id: 'UpdateTransaction' });

export function addTransactionRoutes(app: RestApp): void {
  addLedgerRoutes(app);
  addChangeRoutes(app);
}

function addLedgerRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/collection/{collectionId}/transaction',
    operationId: 'createTransaction',
    summary: 'Record a purchase or a sale',
    description:
      'The amount is kept as it is given, and converted at the rate of the day it occurred. Fees and shipping are those of all cards together, in its currency.',
    tag,
    params: COLLECTION_ID,
    body: CreateTransactionInput.meta({ id: 'CreateTransaction' }),
    response: TransactionSchema,
    problems: ['NotFound', 'LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, params, body }) => {
      const created = await createLabelled(context, params.collectionId!, body as object);
      const { id, revision } = created.transaction;
      return { body: transactionBody(created), revision, location: `/transaction/${id}` };
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
        .default(DEFAULT_SORTS.transactions)
        .meta({ description: 'The order', example: 'Alphabetical' }),
      ...PAGE_QUERY,
    }),
    response: paginated(TransactionSchema, 'Transactions'),
    problems: ['NotFound'],
    handle: async ({ context, params, query, page: request }) => {
      const order = transactionOrder(query.sortOrder);
      const page = await labelledTransactionsOf(context, params.collectionId!, order, request);
      return { body: pageBody(page, request, transactionBody) };
    },
  });
}

function addChangeRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'patch',
    path: '/transaction/{transactionId}',
    operationId: 'updateTransaction',
    summary: 'Update a transaction',
    description:
      'Only the fields that are there and not null are changed; fees or shipping of 0 are taken away.',
    tag,
    params: TRANSACTION_ID,
    body: UPDATE_TRANSACTION,
    response: TransactionSchema,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, params, body, revisions }) => {
      const transaction = await updateTransaction(context, params.transactionId!, body, revisions);
      const { revision } = transaction;
      return { body: transactionBody(await labelled(context, transaction)), revision };
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
}
