import type { KnownVariant } from '../../db/queries/catalogue-import.ts';
import type { CatalogueProduct, CatalogueVariant } from '../../domain/catalogue.ts';
import { LIMITS } from '../../domain/limits.ts';
import { RejectedRow } from '../../importers/import-file.ts';
import { Counts } from '../../lib/counts.ts';

interface KnownCatalogue {
  byCode: Map<string, KnownVariant>;
  byId: Map<string, KnownVariant>;
  productIds: ReadonlySet<string>;
  /** How many variants each product has, with those of the file so far, which are named beside it. */
  variantCounts: Counts;
  newIds: Set<string>;
}

/**
 * The products with the ids that the database has for them, by the codes of their variants: collections refer to these
 * ids, and a card keeps them when the vendor begins to list it or names its variant otherwise. A variant whose code
 * belongs to one of another product is rejected, and so is one above what a product may have.
 * @param names whether a known variant takes the name that is given or keeps the one it has
 */
export function withKnownIds(
  products: readonly CatalogueProduct[],
  variants: readonly KnownVariant[],
  names: 'new names' | 'known names',
): (CatalogueProduct | RejectedRow)[] {
  const known: KnownCatalogue = {
    byCode: new Map(variants.map((variant) => [variant.fcId, variant])),
    byId: new Map(variants.map((variant) => [variant.variantId, variant])),
    productIds: new Set(variants.map(({ productId }) => productId)),
    variantCounts: new Counts(),
    newIds: new Set(),
  };
  for (const { productId } of variants) known.variantCounts.add(productId, 1);
  return products.flatMap((product) => {
    const productId = knownProductId(product, known);
    const kept: CatalogueVariant[] = [];
    const rejected: RejectedRow[] = [];
    for (const variant of product.variants) {
      const owner = known.byCode.get(variant.fcId);
      if (owner && owner.productId !== productId) rejected.push(rejectedCode(product, variant, owner));
      else {
        const taken = withKnownId(variant, owner, known, names);
        if (hasRoom(productId, taken, known)) kept.push(taken);
        else rejected.push(rejectedVariant(product, variant));
      }
    }
    return kept.length === 0 ? rejected : [{ ...product, productId, variants: kept }, ...rejected];
  });
}

/** The product's own id, or that of the unlisted product that has its codes. */
function knownProductId(
  { productId, vendorProductId, variants }: CatalogueProduct,
  known: KnownCatalogue,
): string {
  if (known.productIds.has(productId) || vendorProductId === null) return productId;
  const owners = variants.flatMap(({ fcId }) => known.byCode.get(fcId) ?? []);
  const [first] = owners;
  const isOne = first && owners.every((owner) => owner.productId === first.productId);
  const isListed = first && first.vendorProductId !== null && first.vendorProductId !== vendorProductId;
  return isOne && !isListed ? first.productId : productId;
}

function withKnownId(
  variant: CatalogueVariant,
  owner: KnownVariant | undefined,
  known: KnownCatalogue,
  names: 'new names' | 'known names',
): CatalogueVariant {
  if (owner) {
    const variantName = names === 'known names' ? owner.name : variant.variantName;
    return { ...variant, variantId: owner.variantId, variantName };
  }
  const same = known.byId.get(variant.variantId);
  return same && names === 'known names' ? { ...variant, fcId: same.fcId } : variant;
}

/** Counts the variant, where it is a new one. */
function hasRoom(
  productId: string,
  { variantId }: CatalogueVariant,
  { byId, variantCounts, newIds }: KnownCatalogue,
): boolean {
  const newId = `${productId} ${variantId}`;
  if (byId.has(variantId) || newIds.has(newId)) return true;
  if (variantCounts.of(productId) >= LIMITS.productVariants) return false;
  variantCounts.add(productId, 1);
  newIds.add(newId);
  return true;
}

function rejectedVariant(product: CatalogueProduct, { variantName }: CatalogueVariant): RejectedRow {
  const reason = `${product.name} (${product.productId}): a product has at most ${LIMITS.productVariants} variants, and ${variantName} is a further one`;
  return new RejectedRow({ file: null, line: null }, 'too many variants', reason);
}

function rejectedCode(
  product: CatalogueProduct,
  variant: CatalogueVariant,
  owner: KnownVariant,
): RejectedRow {
  const reason = `${product.name}: the code ${variant.fcId} belongs to ${owner.variantId} of ${owner.productId}`;
  return new RejectedRow({ file: null, line: null }, 'code of another product', reason);
}
