import { z } from '@hono/zod-openapi';
import { ACCOUNT_STATUSES, ACCOUNT_TOKEN_SCOPES } from '../domain/accounts.ts';
import { PRODUCT_TYPES } from '../domain/catalogue.ts';
import { COLLECTION_KINDS } from '../domain/collections.ts';
import { CURRENCIES } from '../domain/currencies.ts';
import { PROBLEMS } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { TRANSACTION_FORMATS } from '../domain/transaction-file.ts';
import { ACTIONS, CARD_CONDITIONS, LANGUAGES } from '../domain/transactions.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_STATUSES } from '../domain/webhooks.ts';

/** What REST answers with, by the contract's names. */

/** What the answers keep to: the longest texts of the catalogue are far shorter. */
const TEXT = { name: 500, short: 200, description: 10_000, url: 2000, warning: 10_000 } as const;

type Meta = { description?: string; example?: unknown };

const text = (kind: keyof typeof TEXT, meta: Meta = {}) => z.string().max(TEXT[kind]).meta(meta);

/** A whole number, with the format that OpenAPI has for its size. */
const whole = (min: number, max: number, meta: Meta = {}) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ format: max > 2 ** 31 - 1 ? 'int64' : 'int32', ...meta });

/** An id of ours: a prefix for its type, and what sets it apart. */
export const idOf = (prefix: string, example: string, description: string) =>
  z
    .string()
    .max(LIMITS.idCharacters)
    .meta({ pattern: `^${prefix}_[0-9A-Za-z_-]+$`, example, description });

export const EXAMPLE_IDS = {
  accountId: 'acc_019d8644-2100-7c3e-9f51-6b0d2e8a4c17',
  collectionId: 'col_01kn3w4v5h2c8q6r9t0m1n2p3q',
  transactionId: 'txn_01kn3w4v5h2c8q6r9t0m1n2p3q',
  productId: 'prd_5d2t71ehfc5gmd12',
  variantId: 'var_atzw90sz174deze4',
  importPreviewId: 'imp_01kp34h880fh70tcr0bdf4jpd3',
  webhookId: 'whk_01kn3w4v5h2c8q6r9t0m1n2p3q',
  deliveryId: 'msg_019d864421007c3e9f516b0d2e8a4c17_col_01kn3w4v5h2c8q6r9t0m1n2p3q_3',
} as const;

const collectionId = idOf('col', EXAMPLE_IDS.collectionId, 'Identifier of the collection');
const transactionId = idOf('txn', EXAMPLE_IDS.transactionId, 'Identifier of the transaction');
const productId = idOf('prd', EXAMPLE_IDS.productId, 'Identifier of the product');
const variantId = idOf('var', EXAMPLE_IDS.variantId, 'Identifier of the variant');
const fcId = text('short', { description: 'Catalogue identifier' });
const imageUrl = text('url', {
  description:
    'Address of a picture; empty where there is none. One that begins with a slash is of this service',
});

const amount = z.number().meta({ description: 'Decimal amount', example: 30 });

export const MoneySchema = z
  .strictObject({
    currency: z.enum(CURRENCIES).meta({ description: 'ISO 4217 code' }),
    value: amount,
  })
  .openapi('Money');

export const AccountSchema = z
  .strictObject({
    accountId: idOf('acc', EXAMPLE_IDS.accountId, 'Identifier of the account'),
    externalId: z
      .string()
      .max(LIMITS.externalIdCharacters)
      .meta({ description: 'What your app knows the user by' }),
    name: text('name').max(LIMITS.nameCharacters),
    status: z.enum(ACCOUNT_STATUSES).meta({ description: 'Nobody has access to it while it is Suspended' }),
    maxCollections: whole(0, LIMITS.maxCollections, { description: 'Collections that it may have' }),
    maxValuedCollections: whole(0, LIMITS.maxCollections, {
      description: 'Valued collections that it may have',
    }),
    maxTransactions: whole(0, LIMITS.maxTransactions, { description: 'Transactions that it may have' }),
    createdAt: z.iso.datetime().max(24).meta({ description: 'When it was created' }),
  })
  .openapi('AccountResponseModel');
export type AccountBody = z.output<typeof AccountSchema>;

export const AccountTokenSchema = z
  .strictObject({
    accessToken: z.string().max(4096).meta({ description: 'A JWT (RFC 9068)' }),
    tokenType: z.literal('Bearer'),
    expiresIn: whole(LIMITS.accountTokenMinSeconds, LIMITS.accountTokenMaxSeconds, {
      description: 'Seconds for which the token is good',
    }),
    scope: z.enum(ACCOUNT_TOKEN_SCOPES),
  })
  .openapi('AccountToken');

export const IdentityProviderSchema = z
  .strictObject({
    issuer: z.string().max(LIMITS.issuerCharacters).meta({ description: 'The issuer of the tokens' }),
    audience: z
      .string()
      .max(LIMITS.issuerCharacters)
      .meta({ description: 'What the tokens have as their audience' }),
    createsAccounts: z
      .boolean()
      .meta({ description: 'Whether a user who is seen for the first time is given an account' }),
    defaultScope: z
      .string()
      .max(LIMITS.scopeCharacters)
      .meta({ description: "The value of a token's scope with which it may do everything of the account" }),
    readScope: z
      .string()
      .max(LIMITS.scopeCharacters)
      .meta({ description: "The value of a token's scope with which it may read, without any change" }),
  })
  .openapi('IdentityProviderResponseModel');
export type IdentityProviderBody = z.output<typeof IdentityProviderSchema>;

const time = (description: string) => z.iso.datetime().max(24).meta({ description });

const WEBHOOK = {
  webhookId: idOf('whk', EXAMPLE_IDS.webhookId, 'Identifier of the webhook'),
  url: z.string().max(LIMITS.webhookUrlCharacters).meta({ description: 'Where messages are sent' }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .max(WEBHOOK_EVENTS.length)
    .meta({ description: 'What it is told of' }),
  allAccounts: z.boolean().meta({ description: 'Whether it is told of all accounts below yours, too' }),
  status: z.enum(WEBHOOK_STATUSES).meta({ description: 'Nothing is sent while it is Disabled' }),
  disabledReason: text('name', { description: 'Why it was switched off, unless you did it' }).nullable(),
  failingSince: time('Since when all attempts have failed').nullable(),
  createdAt: time('When it was created'),
};

export const WebhookSchema = z.strictObject(WEBHOOK).openapi('WebhookResponseModel');
export type WebhookBody = z.output<typeof WebhookSchema>;

export const WebhookSecretSchema = z
  .strictObject({
    ...WEBHOOK,
    secret: text('short', {
      description: 'By which messages are signed: it is shown this once',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }),
  })
  .openapi('WebhookWithSecret');

export const WebhookDeliverySchema = z
  .strictObject({
    deliveryId: idOf('msg', EXAMPLE_IDS.deliveryId, 'Identifier of the message: its webhook-id'),
    type: text('short', { description: 'What it tells of', example: 'collection.changed' }),
    payload: text('description', { description: 'The JSON that is sent' }),
    status: z.enum(DELIVERY_STATUSES),
    occurredAt: time('When that happened'),
    attempts: whole(0, 100, { description: 'How often it was sent' }),
    nextAttemptAt: time('When it is sent again; null where it is not').nullable(),
    lastAttemptAt: time('When it was sent last').nullable(),
    responseStatus: whole(100, 999, { description: 'Status of the last answer' }).nullable(),
    error: text('name', { description: 'What went wrong the last time' }).nullable(),
  })
  .openapi('WebhookDelivery');
export type WebhookDeliveryBody = z.output<typeof WebhookDeliverySchema>;

export const ImportedAccountSchema = z
  .strictObject({
    accountId: idOf('acc', EXAMPLE_IDS.accountId, 'Identifier of the account'),
    collectionCount: whole(0, LIMITS.maxCollections, { description: 'Collections that were taken in' }),
    transactionCount: whole(0, LIMITS.maxTransactions, { description: 'Transactions of all of them' }),
    priceAlertCount: whole(0, LIMITS.priceAlerts, { description: 'Price alerts that were taken in' }),
  })
  .openapi('ImportedAccount');

/** `nullable()` would be lost where the document refers to the component. */
const moneyOrNull = z.union([MoneySchema, z.null()]);

const derived = moneyOrNull.meta({ description: 'In the preferred currency, rounded to its minor unit' });

const held = whole(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, {
  description: 'Cards held: bought less sold',
});

const optionalText = z.string().max(TEXT.short).nullable();

/** No product has more variants, or more categories, than this. */
const MAX_PARTS = 1000;

/** A detail may repeat names of what was sent. */
const MAX_DETAIL = LIMITS.bodyBytes;

export const CollectionSchema = z
  .strictObject({
    collectionId,
    name: text('name').max(LIMITS.nameCharacters),
    valued: z.boolean().meta({ description: 'Whether the collection counts for the dashboard' }),
    pinned: z.boolean(),
    isGoalCollection: z.boolean(),
    description: text('description', { description: 'Text of yours' }).max(LIMITS.descriptionCharacters),
    quantity: held,
    image: whole(0, LIMITS.image),
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
    collectionKind: z
      .enum(COLLECTION_KINDS)
      .optional()
      .meta({ description: 'Wishlist where it is one; left out of others' }),
  })
  .openapi('CollectionResponseModel');
export type CollectionBody = z.output<typeof CollectionSchema>;

const unlessUnsaid = (what: string) => `${what}; left out where nothing is said`;

const GradeSchema = z
  .strictObject({
    company: z
      .string()
      .max(LIMITS.gradeCompanyCharacters)
      .meta({ description: 'Who graded it, in capitals' }),
    grade: z.string().max(LIMITS.gradeCharacters).meta({ description: 'As the company writes it' }),
    certificate: z
      .string()
      .max(LIMITS.certificateCharacters)
      .optional()
      .meta({ description: unlessUnsaid('The number of its certificate') }),
  })
  .openapi('Grade', { description: 'Of a company that grades cards; left out where the cards have none' });

export const TransactionSchema = z
  .strictObject({
    transactionId,
    variantId,
    productId,
    occurred: z.iso.datetime().max(20).meta({ description: 'The day it occurred, at noon UTC' }),
    action: z.enum(ACTIONS),
    quantity: whole(1, LIMITS.quantity),
    unitAmount: MoneySchema,
    variantName: text('name'),
    productName: text('name'),
    number: optionalText,
    imageUrl,
    fcId,
    fees: MoneySchema.optional(),
    shipping: MoneySchema.optional(),
    costUnknown: z.literal(true).optional().meta({
      description: 'Of a purchase whose price nobody knows: unitAmount is 0, and no gain is made of it',
    }),
    cardCondition: z
      .enum(CARD_CONDITIONS)
      .optional()
      .meta({ description: unlessUnsaid('How well the cards are kept') }),
    grade: GradeSchema.optional(),
    language: z
      .enum(LANGUAGES)
      .optional()
      .meta({ description: unlessUnsaid('That the cards are printed in') }),
    notes: z
      .string()
      .max(LIMITS.notesCharacters)
      .optional()
      .meta({ description: unlessUnsaid('Text of yours') }),
    tags: z
      .array(z.string().max(LIMITS.tagCharacters))
      .max(LIMITS.tags)
      .optional()
      .meta({ description: unlessUnsaid('Words of yours') }),
  })
  .openapi('TransactionResponseModel');
export type TransactionBody = z.output<typeof TransactionSchema>;

const rows = (description: string) => whole(0, 2 ** 31 - 1, { description });

export const ImportPreviewSchema = z
  .strictObject({
    importPreviewId: idOf('imp', EXAMPLE_IDS.importPreviewId, 'Identifier of the preview'),
    collectionId,
    createdAt: z.iso.datetime().max(24).meta({ description: 'When the file was read' }),
    format: z.enum(TRANSACTION_FORMATS).meta({ description: 'The format that it was read by' }),
    rowCount: rows('Rows below the header that are not empty'),
    skipped: z
      .array(z.strictObject({ reason: text('short'), count: rows('How many rows') }))
      .max(MAX_PARTS)
      .meta({ description: 'Rows that stand for no transaction, by the reason' }),
    counts: z
      .strictObject({
        matched: rows('Rows that are all right'),
        unclear: rows('Rows of which it is not clear which card is meant'),
        wrong: rows('Rows with another error'),
        skipped: rows('Rows that are listed and stand for no transaction'),
      })
      .meta({ description: 'Rows by what is known of them' }),
  })
  .openapi('ImportPreviewResponseModel');
export type ImportPreviewBody = z.output<typeof ImportPreviewSchema>;

export const SummarySchema = z
  .strictObject({
    variantId,
    variantName: text('name'),
    productId,
    productName: text('name'),
    quantity: held,
    imageUrl,
    number: optionalText,
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
    fcId,
    warning: text('warning', {
      description: 'What makes the figures less than they seem; left out where there is nothing of the kind',
    }).optional(),
  })
  .openapi('TransactionSummaryResponseModel');
export type SummaryBody = z.output<typeof SummarySchema>;

export const VariantSchema = z
  .strictObject({
    variantId,
    variantName: text('name'),
    marketPrice: moneyOrNull,
    fcId,
    saleVolumes: z
      .array(whole(0, 2 ** 31 - 1))
      .min(LIMITS.saleVolumeDays)
      .max(LIMITS.saleVolumeDays)
      .meta({ description: `Sales per day of the last ${LIMITS.saleVolumeDays} days, the newest last` }),
  })
  .openapi('VariantResponseModel');

export const ProductSchema = z
  .strictObject({
    productId,
    vendorProductId: whole(0, 2 ** 31 - 1, { description: '0 where the vendor does not list the card' }),
    name: text('name'),
    number: optionalText,
    imageUrl,
    description: text('description', { description: 'Text of the card' }),
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
    variants: z.array(VariantSchema).max(MAX_PARTS),
  })
  .openapi('ProductResponseModel');
export type ProductBody = z.output<typeof ProductSchema>;

export const ProductSearchSchema = z
  .strictObject({ productId, name: text('name'), imageUrl, number: optionalText })
  .openapi('ProductSearchResponseModel');
export type ProductSearchBody = z.output<typeof ProductSearchSchema>;

export const EvCategorySchema = z
  .strictObject({
    category: text('short', { description: 'Identifier of the category' }),
    categoryName: text('name', { description: 'Display name' }),
    multiplier: z.number().meta({ description: 'Expected number of cards of the category in the product' }),
    averageMarketPrice: MoneySchema,
    contributedValue: MoneySchema,
  })
  .openapi('EvCategory');

const warning = z
  .string()
  .max(TEXT.warning)
  .nullable()
  .meta({ description: 'What makes the estimate uncertain, in plain words' });

export const EvBreakdownSchema = z
  .strictObject({
    productId,
    productName: text('name'),
    fcId,
    imageUrl,
    currentEstimatedValue: MoneySchema,
    warning,
    categories: z.array(EvCategorySchema).max(MAX_PARTS),
  })
  .openapi('EvBreakdownResponseModel');
export type EvBreakdownBody = z.output<typeof EvBreakdownSchema>;

export const ProductEvSchema = z
  .strictObject({
    setType: text('short', { description: 'The set and edition, such as Wtr1stEdition' }),
    productType: z.enum(PRODUCT_TYPES),
    productId,
    productImage: imageUrl,
    productName: text('name'),
    fcId,
    currentEstimatedValue: MoneySchema,
    marketPrice: MoneySchema,
    marketPriceDelta: MoneySchema,
    warning,
  })
  .openapi('ProductEvResponseModel');
export type ProductEvBody = z.output<typeof ProductEvSchema>;

export const ProblemSchema = z
  .strictObject({
    type: z
      .enum(Object.keys(PROBLEMS).map((name) => `/problems/${name}`))
      .meta({ description: 'The address of a page that explains it' }),
    title: text('short'),
    status: whole(400, 599),
    detail: z.string().max(MAX_DETAIL).meta({ description: 'What is wrong here' }),
    instance: z
      .string()
      .max(MAX_DETAIL)
      .meta({ format: 'uri-reference', description: 'The path of the request' }),
    requestId: z.string().max(128).meta({ description: 'Finds the request in the log' }),
    errors: z
      .array(z.strictObject({ pointer: z.string().max(MAX_DETAIL), detail: z.string().max(MAX_DETAIL) }))
      .max(LIMITS.breaches)
      .optional()
      .meta({
        description: `With ValidationFailed: every breach, up to ${LIMITS.breaches}, by JSON pointer or ?name`,
      }),
    limit: whole(0, 2 ** 31 - 1)
      .optional()
      .meta({ description: 'With LimitExceeded' }),
    current: whole(0, 2 ** 31 - 1)
      .optional()
      .meta({ description: 'With LimitExceeded' }),
  })
  .openapi('Problem', { description: `RFC 9457; one of ${Object.keys(PROBLEMS).join(', ')}` });

/** One page of a list. */
export function paginated<T extends z.ZodType>(item: T, name: string) {
  return z
    .object({
      results: z.array(item).max(LIMITS.pageSize),
      nextCursor: whole(1, Number.MAX_SAFE_INTEGER, {
        description: 'Present only when there are more results',
      }).optional(),
    })
    .openapi(`Paginated${name}`);
}

/** Texts in the URL, so the rules of `pageByPosition` read them; the document says what they stand for. */
export const PAGE_QUERY = {
  cursor: z
    .string()
    .optional()
    .meta({
      ...{ type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: 'The nextCursor of the page before; 0 for the first page',
      example: 0,
    }),
  pageSize: z
    .string()
    .optional()
    .meta({
      ...{ type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.pageSize },
      description: `Results on a page, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where it is left out`,
      example: 2,
    }),
};
