import type { HeldVariantRow } from '../db/queries/held-catalogue.ts';
import type { ProductRow } from '../db/queries/products.ts';

/** What the contract shows of a variant and its product beside an amount. */
export interface VariantLabel {
  variantId: string;
  variantName: string;
  fcId: string;
  productId: string;
  productName: string;
  number: string | null;
  imageUrl: string;
}

export function labelOf(
  { id, variantName, fcId, productId }: Omit<HeldVariantRow, 'position'>,
  product: ProductRow,
): VariantLabel {
  const { name, number, imageUrl } = product;
  return { variantId: id, variantName, fcId, productId, productName: name, number, imageUrl };
}

export interface NamedVariant extends HeldVariantRow {
  /** In the order of ids: by it prices and sales are kept. */
  place: number;
  /** Its place in the order of names. */
  rank: number;
}

/** Products and variants: what follows from the catalogue alone, and stays when prices, rates or sales change. */
export class Names {
  readonly products = new Map<string, ProductRow>();
  readonly #variants = new Map<string, NamedVariant>();
  readonly #ofProduct = new Map<string, NamedVariant[]>();
  /** By the variant's place, where one was asked for. */
  readonly #labels: (VariantLabel | undefined)[] = [];

  addProduct(product: ProductRow): void {
    this.products.set(product.id, product);
    this.#ofProduct.set(product.id, []);
  }

  /** In the order of their ids; their products are there. */
  addVariant(row: HeldVariantRow): void {
    const variant = { ...row, place: this.#variants.size, rank: 0 };
    this.#variants.set(variant.id, variant);
    this.#ofProduct.get(variant.productId)!.push(variant);
  }

  /** Takes the ids in the order of product names, variant names and ids, and puts those of each product in the order of positions. */
  arrange(variantIds: readonly string[]): void {
    for (const [rank, id] of variantIds.entries()) this.#variants.get(id)!.rank = rank;
    for (const variants of this.#ofProduct.values()) variants.sort((a, b) => a.position - b.position);
  }

  get variantCount(): number {
    return this.#variants.size;
  }

  /** Ascending. */
  variantIds(): string[] {
    return [...this.#variants.keys()];
  }

  variant(id: string): NamedVariant | undefined {
    return this.#variants.get(id);
  }

  /** In the order of their positions. */
  variantsOf(productId: string): readonly NamedVariant[] | undefined {
    return this.#ofProduct.get(productId);
  }

  /** The same object each time. */
  label(variantId: string): VariantLabel | undefined {
    const variant = this.#variants.get(variantId);
    if (!variant) return undefined;
    this.#labels[variant.place] ??= labelOf(variant, this.products.get(variant.productId)!);
    return this.#labels[variant.place];
  }
}
