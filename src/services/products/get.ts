import {
  PRICES,
  PRODUCTS_BY_ID,
  VARIANTS_BY_ID,
  VARIANTS_OF_PRODUCTS,
  type VariantRow,
} from '../../db/queries/products.ts';
import type { Currency } from '../../domain/currencies.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import { type Context, observed } from '../context.ts';
import { type Product, type Variant, variantOf } from './model.ts';

/** The products in the order of the ids, with null where there is none. */
export async function getProducts(ctx: Context, ids: readonly string[]): Promise<(Product | null)[]> {
  const known = ids.filter((id) => isIdOf('Product', id));
  const rows = known.length === 0 ? [] : await ctx.db.read<Product>(PRODUCTS_BY_ID, [JSON.stringify(known)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** The variants in the order of the ids, with null where there is none. */
export async function getVariants(ctx: Context, ids: readonly string[]): Promise<(Variant | null)[]> {
  const known = ids.filter((id) => isIdOf('Variant', id));
  const rows =
    known.length === 0 ? [] : await ctx.db.read<VariantRow>(VARIANTS_BY_ID, [JSON.stringify(known)]);
  const byId = new Map(rows.map((row) => [row.id, variantOf(row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** The variants of each product, in the order of the product ids. */
export async function getVariantsOfProducts(
  ctx: Context,
  productIds: readonly string[],
): Promise<Variant[][]> {
  const rows = await ctx.db.read<VariantRow>(VARIANTS_OF_PRODUCTS, [JSON.stringify(productIds)]);
  const variants = new Map<string, Variant[]>(productIds.map((id) => [id, []]));
  for (const row of rows) variants.get(row.productId)!.push(variantOf(row));
  return productIds.map((id) => variants.get(id)!);
}

interface PriceRow {
  variantId: string;
  amount: string;
  marketRevision: number;
}

/** The latest market price of each variant in the currency, null where none is known. */
export async function getMarketPrices(
  ctx: Context,
  variantIds: readonly string[],
  currency: Currency,
  priceSource: PriceSource,
): Promise<(Money | null)[]> {
  const rows = await ctx.db.read<PriceRow>(PRICES, [JSON.stringify(variantIds), currency, priceSource]);
  const byId = new Map(
    observed(ctx, rows).map(({ variantId, amount }) => [variantId, derivedMoney(currency, amount)]),
  );
  return variantIds.map((id) => byId.get(id) ?? null);
}
