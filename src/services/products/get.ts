import { VARIANT_COUNT } from '../../db/queries/held-catalogue.ts';
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
import type { Catalogue } from '../../memory/catalogue.ts';
import { heldCatalogue, heldOr, memoryOf } from '../../memory/memory.ts';
import { labelOf, type VariantLabel } from '../../memory/names.ts';
import { type Context, observed } from '../context.ts';
import { type Product, type Variant, variantOf } from './model.ts';

/** How many variants the catalogue has, or had when this node read it last. */
export async function countVariants({ db }: Pick<Context, 'db'>): Promise<number> {
  const known = memoryOf(db).variantCount;
  if (known !== undefined) return known;
  const [row] = await db.query<{ count: number }>(VARIANT_COUNT);
  return row!.count;
}

/** The products in the order of the ids, with null where there is none. */
export async function getProducts(ctx: Context, ids: readonly string[]): Promise<(Product | null)[]> {
  const catalogue = await heldCatalogue(ctx);
  return heldOr<Product | null>(
    ids,
    (id) => catalogue?.product(id),
    async (missing) => {
      const known = missing.filter((id) => isIdOf('Product', id));
      const rows =
        known.length === 0 ? [] : await ctx.db.hot<Product>(PRODUCTS_BY_ID, [JSON.stringify(known)]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return (id) => byId.get(id) ?? null;
    },
  );
}

/** The variants in the order of the ids, with null where there is none. */
export async function getVariants(ctx: Context, ids: readonly string[]): Promise<(Variant | null)[]> {
  const catalogue = await heldCatalogue(ctx);
  return heldOr<Variant | null>(
    ids,
    (id) => catalogue?.variant(id),
    async (missing) => {
      const known = missing.filter((id) => isIdOf('Variant', id));
      const rows =
        known.length === 0 ? [] : await ctx.db.hot<VariantRow>(VARIANTS_BY_ID, [JSON.stringify(known)]);
      const byId = new Map(rows.map((row) => [row.id, variantOf(row)]));
      return (id) => byId.get(id) ?? null;
    },
  );
}

/** The variants of each product, in the order of the product ids. */
export async function getVariantsOfProducts(
  ctx: Context,
  productIds: readonly string[],
): Promise<(readonly Variant[])[]> {
  const catalogue = await heldCatalogue(ctx);
  return heldOr<readonly Variant[]>(
    productIds,
    (id) => catalogue?.variantsOf(id),
    async (missing) => {
      const rows = await ctx.db.hot<VariantRow>(VARIANTS_OF_PRODUCTS, [JSON.stringify(missing)]);
      const variants = new Map<string, Variant[]>(missing.map((id) => [id, []]));
      for (const row of rows) variants.get(row.productId)!.push(variantOf(row));
      return (id) => variants.get(id)!;
    },
  );
}

/** The labels of variants that are there, in the order of the ids. */
export async function getVariantLabels(ctx: Context, ids: readonly string[]): Promise<VariantLabel[]> {
  return (await findVariantLabels(ctx, ids)) as VariantLabel[];
}

/** The labels of variants in the order of the ids, with null where there is none. */
export async function findVariantLabels(
  ctx: Context,
  ids: readonly string[],
): Promise<(VariantLabel | null)[]> {
  const catalogue = await heldCatalogue(ctx);
  return heldOr<VariantLabel | null>(
    ids,
    (id) => catalogue?.label(id),
    async (missing) => {
      const variants = (await getVariants(ctx, missing)).filter((variant) => variant !== null);
      const products = await getProducts(
        ctx,
        variants.map(({ productId }) => productId),
      );
      const labels = new Map(variants.map((variant, i) => [variant.id, labelOf(variant, products[i]!)]));
      return (id) => labels.get(id) ?? null;
    },
  );
}

/** What prices are asked for in. */
export interface PriceChoice {
  currency?: Currency | null | undefined;
  priceSource?: PriceSource | null | undefined;
}

interface PriceRow {
  variantId: string;
  amount: string | null;
  marketRevision: number;
}

/** The latest market price of each variant in the currency, null where none is known. */
export async function getMarketPrices(
  ctx: Context,
  variantIds: readonly string[],
  currency: Currency,
  priceSource: PriceSource,
): Promise<(Money | null)[]> {
  const catalogue = await heldCatalogue(ctx);
  return heldOr<Money | null>(
    variantIds,
    (id) => priceAtHand(ctx, catalogue, id, currency, priceSource),
    async (missing) => {
      const rows = await ctx.db.hot<PriceRow>(PRICES, [JSON.stringify(missing), currency, priceSource]);
      const byId = new Map(observed(ctx, rows).map(({ variantId, amount }) => [variantId, amount]));
      return (id) => {
        const amount = byId.get(id) ?? null;
        return amount === null ? null : derivedMoney(currency, amount);
      };
    },
  );
}

/** The latest market price of a variant, null where none is known; undefined where the variant is not at hand. */
export function priceAtHand(
  ctx: Context,
  catalogue: Catalogue | null,
  variantId: string,
  currency: Currency,
  priceSource: PriceSource,
): Money | null | undefined {
  const price = catalogue?.price(variantId, currency, priceSource);
  // That none is known may be otherwise by another market, too.
  if (price !== undefined) ctx.seen?.note('marketRevision', catalogue!.pricingRevision);
  return price;
}
