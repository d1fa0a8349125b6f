import { z } from '@hono/zod-openapi';
import { PRODUCT_TYPES } from '../domain/catalogue.ts';
import { CURRENCIES } from '../domain/currencies.ts';
import { PROBLEMS } from '../domain/errors.ts';
import { ACTIONS } from '../domain/inputs.ts';
import { LIMITS } from '../domain/limits.ts';

/** What REST answers with, by the contract's names. */

const amount = z.number().meta({ description: 'Decimal amount', example: 30 });

export const MoneySchema = z.object({ currency: z.enum(CURRENCIES), value: amount }).openapi('Money');

/** `nullable()` would be lost where the document refers to the component. */
const moneyOrNull = z.union([MoneySchema, z.null()]);

const derived = moneyOrNull.meta({ description: 'In the preferred currency, rounded to its minor unit' });

export const CollectionSchema = z
  .object({
    collectionId: z.string(),
    name: z.string(),
    valued: z.boolean().meta({ description: 'Whether the collection counts for the dashboard' }),
    pinned: z.boolean(),
    isGoalCollection: z.boolean(),
    description: z.string(),
    quantity: z.int().meta({ description: 'Cards held: bought less sold' }),
    image: z.int(),
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
  })
  .openapi('CollectionResponseModel');

export const TransactionSchema = z
  .object({
    transactionId: z.string(),
    variantId: z.string(),
    productId: z.string(),
    occurred: z.iso.datetime().meta({ description: 'The day it occurred, at noon UTC' }),
    action: z.enum(ACTIONS),
    quantity: z.int(),
    unitAmount: MoneySchema,
    variantName: z.string(),
    productName: z.string(),
    number: z.string().nullable().meta({ description: 'Card number' }),
    imageUrl: z.string(),
    fcId: z.string().meta({ description: 'Catalogue identifier of the variant' }),
  })
  .openapi('TransactionResponseModel');

export const SummarySchema = z
  .object({
    variantId: z.string(),
    variantName: z.string(),
    productId: z.string(),
    productName: z.string(),
    quantity: z.int().meta({ description: 'Net quantity held' }),
    imageUrl: z.string(),
    number: z.string().nullable(),
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
    fcId: z.string(),
  })
  .openapi('TransactionSummaryResponseModel');

export const VariantSchema = z
  .object({
    variantId: z.string(),
    variantName: z.string(),
    marketPrice: moneyOrNull,
    fcId: z.string(),
    saleVolumes: z
      .array(z.int())
      .length(LIMITS.saleVolumeDays)
      .meta({ description: 'Sales per day of the last 30 days, the newest last' }),
  })
  .openapi('VariantResponseModel');

const optionalText = z.string().nullable();

export const ProductSchema = z
  .object({
    productId: z.string(),
    vendorProductId: z.int().meta({ description: '0 where the vendor does not list the card' }),
    name: z.string(),
    number: optionalText,
    imageUrl: z.string(),
    description: z.string(),
    cardType: optionalText,
    cardSubType: optionalText,
    class: optionalText,
    rarity: optionalText,
    cost: optionalText,
    defenseValue: optionalText,
    pitchValue: optionalText,
    talent: optionalText,
    power: optionalText,
    intellect: optionalText,
    life: optionalText,
    variants: z.array(VariantSchema),
  })
  .openapi('ProductResponseModel');

export const ProductSearchSchema = z
  .object({ productId: z.string(), name: z.string(), imageUrl: z.string(), number: optionalText })
  .openapi('ProductSearchResponseModel');

export const EvCategorySchema = z
  .object({
    category: z.string(),
    categoryName: z.string(),
    multiplier: z.number().meta({ description: 'Expected number of cards of the category in the product' }),
    averageMarketPrice: MoneySchema,
    contributedValue: MoneySchema,
  })
  .openapi('EvCategory');

const warning = optionalText.meta({ description: 'What makes the estimate uncertain, in plain words' });

export const EvBreakdownSchema = z
  .object({
    productId: z.string(),
    productName: z.string(),
    fcId: z.string(),
    imageUrl: z.string(),
    currentEstimatedValue: MoneySchema,
    warning,
    categories: z.array(EvCategorySchema),
  })
  .openapi('EvBreakdownResponseModel');

export const ProductEvSchema = z
  .object({
    setType: z.string(),
    productType: z.enum(PRODUCT_TYPES),
    productId: z.string(),
    productImage: z.string(),
    productName: z.string(),
    fcId: z.string(),
    currentEstimatedValue: MoneySchema,
    marketPrice: MoneySchema,
    marketPriceDelta: MoneySchema,
    warning,
  })
  .openapi('ProductEvResponseModel');

export const ProblemSchema = z
  .object({
    type: z.string().meta({ example: '/problems/NotFound' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().meta({ description: 'The path of the request' }),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'With ValidationFailed: every breach, by JSON pointer or ?name' }),
    limit: z.int().optional().meta({ description: 'With LimitExceeded' }),
    current: z.int().optional().meta({ description: 'With LimitExceeded' }),
  })
  .openapi('Problem', { description: `RFC 9457; one of ${Object.keys(PROBLEMS).join(', ')}` });

/** One page of a list. */
export function paginated<T extends z.ZodType>(item: T, name: string) {
  return z
    .object({
      results: z.array(item),
      nextCursor: z.int().optional().meta({ description: 'Present only when there are more results' }),
    })
    .openapi(`Paginated${name}`);
}

export const PAGE_QUERY = {
  cursor: z
    .string()
    .optional()
    .meta({ description: 'The nextCursor of the page before; 0 for the first page', example: '0' }),
  pageSize: z
    .string()
    .optional()
    .meta({
      description: `Results on a page, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where it is left out`,
      example: '50',
    }),
};
