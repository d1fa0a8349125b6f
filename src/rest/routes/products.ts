import { z } from '@hono/zod-openapi';
import { CURRENCIES } from '../../domain/currencies.ts';
import { notFound } from '../../domain/errors.ts';
import { PRICE_SOURCES } from '../../domain/inputs.ts';
import { getAccount } from '../../services/accounts/get.ts';
import { getMarketPrices, getProducts, getVariantsOfProducts } from '../../services/products/get.ts';
import { searchProducts } from '../../services/products/search.ts';
import { pageBody, productBody, productSearchBody } from '../representations.ts';
import { addRoute, type RestApp } from '../route.ts';
import { PAGE_QUERY, ProductSchema, ProductSearchSchema, paginated } from '../schemas.ts';

const tag = 'Products';

export function addProductRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'get',
    path: '/product/search',
    operationId: 'searchProducts',
    summary: 'Search the catalogue, by relevance',
    tag,
    query: z.strictObject({ q: z.string().meta({ example: 'command and conquer' }), ...PAGE_QUERY }),
    response: paginated(ProductSearchSchema, 'ProductSearchResults'),
    problems: ['NotFound', 'InvalidQuery'],
    handle: async ({ context, query, page: request }) => {
      const search = await searchProducts(context, query.q);
      return { body: pageBody(search.page(request), request, productSearchBody) };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/product/{productId}',
    operationId: 'getProduct',
    summary: 'Get a product with its variants, prices and sale volumes',
    tag,
    params: z.object({ productId: z.string() }),
    query: z.strictObject({
      currency: z
        .enum(CURRENCIES)
        .optional()
        .meta({ description: 'The preferred currency where it is left out' }),
      priceSource: z
        .enum(PRICE_SOURCES)
        .optional()
        .meta({ description: 'The preferred source where it is left out' }),
    }),
    response: ProductSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, params, query }) => {
      const [product] = await getProducts(context, [params.productId!]);
      if (!product) throw notFound('product');
      const { preferredCurrency, preferredPriceSource } = await getAccount(context);
      const [variants] = await getVariantsOfProducts(context, [product.id]);
      const ids = variants!.map(({ id }) => id);
      const currency = query.currency ?? preferredCurrency;
      const prices = await getMarketPrices(context, ids, currency, query.priceSource ?? preferredPriceSource);
      return { body: productBody(product, variants!, prices), etagOfBody: true };
    },
  });
}
