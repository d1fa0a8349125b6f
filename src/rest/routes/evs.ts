import { z } from '@hono/zod-openapi';
import { PRODUCT_TYPES } from '../../domain/catalogue.ts';
import { DEFAULT_SORTS, PRODUCT_EV_SORTS } from '../../domain/orders.ts';
import { getEvBreakdown } from '../../services/evs/breakdown.ts';
import { listProductEvs, productEvOrder } from '../../services/evs/list.ts';
import { EvBreakdownSchema, evBreakdownText, ProductEvSchema, productEvText } from '../models/evs.ts';
import { PAGE_QUERY, pageText, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { RestApp } from '../route-description.ts';

const tag = 'Expected values';

export function addEvRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'get',
    path: '/ev/breakdown',
    operationId: 'getEvBreakdown',
    summary: 'Get the expected value of a sealed product by category',
    description:
      'A category is one outcome of a slot, such as a rainbow foil majestic; the contributions add up to the value.',
    tag,
    query: z.strictObject({
      setType: z
        .string()
        .meta({ maxLength: 100, example: 'Wtr1stEdition', description: 'The set and edition' }),
      productType: z.enum(PRODUCT_TYPES).meta({ example: 'Box', description: 'What is sealed' }),
    }),
    response: EvBreakdownSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, query }) => ({
      body: {},
      text: evBreakdownText(await getEvBreakdown(context, query.setType, query.productType)),
      etagOfBody: true,
    }),
  });

  addRoute(app, {
    method: 'get',
    path: '/ev/list',
    operationId: 'listProductEvs',
    summary: 'List the expected values of sealed products',
    description: 'In pages; `Link` has the addresses of the others.',
    tag,
    query: z.strictObject({
      sort: z
        .enum(PRODUCT_EV_SORTS)
        .default(DEFAULT_SORTS.productEvs)
        .meta({ description: 'The order', example: 'HighestEstimatedValue' }),
      productType: z
        .enum(PRODUCT_TYPES)
        .optional()
        .meta({ description: 'All where it is left out', example: 'Box' }),
      ...PAGE_QUERY,
    }),
    response: paginated(ProductEvSchema, 'ProductEvs'),
    problems: ['NotFound'],
    handle: async ({ context, query, page: request }) => {
      const page = await listProductEvs(
        context,
        query.productType ?? null,
        productEvOrder(query.sort),
        request,
      );
      return pageText(page, request, productEvText);
    },
  });
}
