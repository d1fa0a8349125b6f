import { z } from '@hono/zod-openapi';
import { CURRENCIES } from '../../domain/currencies.ts';
import { PRICE_SOURCES } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { getProduct } from '../../services/products/priced.ts';
import { searchProducts } from '../../services/products/search.ts';
import { EXAMPLE_IDS, idOf } from '../models/parts.ts';
import { ProductSchema, ProductSearchSchema, productBody, productSearchText } from '../models/products.ts';
import { PAGE_QUERY, pageText, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { RestApp } from '../route-description.ts';

const tag = 'Products';

export function addProductRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'get',
    path: '/product/search',
    operationId: 'searchProducts',
    summary: 'Search the catalogue, by relevance',
    description:
      'Words, and the filters that card players know, such as `class:ninja pitch:1`. 1,000 results are reachable.',
    tag,
    query: z.strictObject({
      q: z.string().meta({
        minLength: 1,
        maxLength: LIMITS.searchQueryCharacters,
        example: 'command and conquer',
        description: 'The search query',
      }),
      ...PAGE_QUERY,
    }),
    response: paginated(ProductSearchSchema, 'ProductSearchResults'),
    problems: ['NotFound', 'InvalidQuery'],
    handle: async ({ context, query, page: request }) => {
      const search = await searchProducts(context, query.q);
      return pageText(search.page(request), request, productSearchText);
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/product/{productId}',
    operationId: 'getProduct',
    summary: 'Get a product with its variants, prices and sale volumes',
    description:
      'A product is one printing of a card, or something sealed; a variant is one finish and edition of it.',
    tag,
    params: z.object({ productId: idOf('prd', EXAMPLE_IDS.productId, 'Identifier of the product') }),
    query: z.strictObject({
      currency: z
        .enum(CURRENCIES)
        .optional()
        .meta({ description: 'The preferred currency where it is left out', example: 'EUR' }),
      priceSource: z
        .enum(PRICE_SOURCES)
        .optional()
        .meta({ description: 'The preferred source where it is left out', example: 'VendorMarket' }),
    }),
    response: ProductSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, params, query }) => ({
      body: productBody(await getProduct(context, params.productId!, query)),
      etagOfBody: true,
    }),
  });
}
