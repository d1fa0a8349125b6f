import { z } from '@hono/zod-openapi';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_SORTS, SUMMARY_SORTS } from '../../domain/orders.ts';
import { labelledSummariesOf } from '../../services/summaries/labelled.ts';
import { summaryOrder } from '../../services/summaries/list.ts';
import { SummarySchema, summaryText } from '../models/summaries.ts';
import { PAGE_QUERY, pageText, paginated } from '../pages.ts';
import { addRoute, queryFailed } from '../route.ts';
import type { RestApp } from '../route-description.ts';
import { COLLECTION_ID, unknownIn } from './collections.ts';

export function addSummaryRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'get',
    path: '/collection/{collectionId}/transaction-summary',
    operationId: 'listTransactionSummaries',
    summary: 'List what the collection holds of each variant',
    description:
      'In pages; `Link` has the addresses of the others. A variant that is sold out keeps its summary.',
    tag: 'Transactions',
    params: COLLECTION_ID,
    query: z.strictObject({
      sort: z
        .enum(SUMMARY_SORTS)
        .optional()
        .meta({
          description: `The order; ${DEFAULT_SORTS.summaries} where it is left out`,
          example: 'MarketValue',
        }),
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
    hasHeldValues: true,
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
      const order = summaryOrder(query.sort ?? query.sortOrder ?? DEFAULT_SORTS.summaries);
      const page = await labelledSummariesOf(
        context,
        params.collectionId!,
        query.searchQuery ?? null,
        order,
        request,
      );
      const reply = pageText(page, request, summaryText);
      return { ...reply, ...unknownIn(page.items.map(({ summary }) => summary)) };
    },
  });
}
