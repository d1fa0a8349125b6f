import { notFound } from '../../domain/errors.ts';
import type { Money } from '../../domain/money.ts';
import { untilChecked } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { Loaders } from '../loaders/loaders.ts';
import type { PriceChoice } from './get.ts';
import type { Product, Variant } from './model.ts';

export interface PricedProduct {
  product: Product;
  variants: readonly Variant[];
  /** Of each variant; null where none is known. */
  prices: (Money | null)[];
}

/** A product with its variants and their market prices, by the caller's preferences where it is not said. Throws `NotFound`. */
export async function getProduct(ctx: Context, id: string, choice: PriceChoice): Promise<PricedProduct> {
  await untilChecked(ctx);
  const loaders = new Loaders(ctx);
  const product = await loaders.product(id);
  if (!product) throw notFound('product');
  const variants = await loaders.variantsOfProduct(id);
  const prices = await Promise.all(variants.map((variant) => loaders.marketPrice(variant.id, choice)));
  return { product, variants, prices };
}
