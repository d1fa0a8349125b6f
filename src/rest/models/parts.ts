import { z } from '@hono/zod-openapi';
import { CURRENCIES } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Money, toNumber } from '../../domain/money.ts';

/**
 * What the models are made of. Each is a schema by the contract's names, the service's result in that shape, of which what is
 * forgotten is an error of types, and its example in the document.
 */

/** What the answers keep to: the longest texts of the catalogue are far shorter. */
export const TEXT = { name: 500, short: 200, description: 10_000, url: 2000, warning: 10_000 } as const;

type Meta = { description?: string; example?: unknown };

export const text = (kind: keyof typeof TEXT, meta: Meta = {}) => z.string().max(TEXT[kind]).meta(meta);

/** A whole number, with the format that OpenAPI has for its size. */
export const whole = (min: number, max: number, meta: Meta = {}) =>
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

export const collectionId = idOf('col', EXAMPLE_IDS.collectionId, 'Identifier of the collection');
export const transactionId = idOf('txn', EXAMPLE_IDS.transactionId, 'Identifier of the transaction');
export const productId = idOf('prd', EXAMPLE_IDS.productId, 'Identifier of the product');
export const variantId = idOf('var', EXAMPLE_IDS.variantId, 'Identifier of the variant');
export const fcId = text('short', { description: 'Catalogue identifier' });
export const imageUrl = text('url', {
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

export const time = (description: string) => z.iso.datetime().max(24).meta({ description });

/** `nullable()` would be lost where the document refers to the component. */
export const nullableMoney = z.union([MoneySchema, z.null()]);

export const derived = nullableMoney.meta({
  description: 'In the preferred currency, rounded to its minor unit',
});

export const held = whole(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, {
  description: 'Cards held: bought less sold',
});

export const optionalText = z.string().max(TEXT.short).nullable();

/** No product has more variants, or more categories, than this. */
export const MAX_PARTS = 1000;

export function money(amount: Money) {
  return { currency: amount.currency, value: toNumber(amount) };
}

export function moneyOrNull(amount: Money | null) {
  return amount && money(amount);
}

export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

/** Makes the text of an object once: those of the catalogue in memory stay the same objects until the next import. */
export function oncePerObject<K extends object, T>(make: (object: K) => T): (object: K) => T {
  const made = new WeakMap<K, T>();
  return (object) => {
    let text = made.get(object);
    if (text === undefined) {
      text = make(object);
      made.set(object, text);
    }
    return text;
  };
}
