import type { HeldVariantRow } from '../db/queries/held-catalogue.ts';
import type { ProductRow } from '../db/queries/products.ts';
import { naturalKey } from '../domain/natural-order.ts';
import { countedInParts, type Parts, sortedInParts } from '../lib/parts.ts';

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
  /** Its place in the order of card numbers. */
  numberRank: number;
}

/** Products and variants: what follows from the catalogue alone, and stays when prices, rates or sales change. */
export class Names {
  readonly products: ReadonlyMap<string, ProductRow>;
  readonly #variants = new Map<string, NamedVariant>();
  readonly #byPlace: NamedVariant[] = [];
  readonly #ofProduct = new Map<string, NamedVariant[]>();
  /** By the variant's place, where one was asked for. */
  readonly #labels: (VariantLabel | undefined)[] = [];

  constructor(products: ReadonlyMap<string, ProductRow>) {
    this.products = products;
  }

  /** In the order of their ids. */
  addVariant(row: HeldVariantRow): void {
    const variant = { ...row, place: this.#variants.size, rank: 0, numberRank: 0 };
    this.#variants.set(variant.id, variant);
    this.#byPlace.push(variant);
    const variants = this.#ofProduct.get(variant.productId);
    if (variants) variants.push(variant);
    else this.#ofProduct.set(variant.productId, [variant]);
  }

  /**
   * Puts all variants in the orders of names and numbers, and those of each product in that of their positions.
   * @param orderedIds of all variants in the order of product names, variant names and ids, a line each
   */
  *arrange(orderedIds: string): Parts<void> {
    let start = 0;
    yield* countedInParts(this.#variants.size, (rank) => {
      const end = orderedIds.indexOf('\n', start);
      const id = orderedIds.slice(start, end === -1 ? undefined : end);
      this.#variants.get(id)!.rank = rank;
      start = end + 1;
    });
    const byNumber: [key: string, variant: NamedVariant][] = [];
    yield* countedInParts(this.#byPlace.length, (place) => {
      const variant = this.#byPlace[place]!;
      byNumber.push([naturalKey(this.products.get(variant.productId)!.number), variant]);
    });
    const sorted = yield* sortedInParts(byNumber, ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    for (const [rank, [, variant]] of sorted.entries()) variant.numberRank = rank;
    const products = [...this.#ofProduct.values()];
    yield* countedInParts(products.length, (i) => products[i]!.sort((a, b) => a.position - b.position));
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

  /** That of a place. */
  at(place: number): NamedVariant {
    return this.#byPlace[place]!;
  }

  /** In the order of their positions. */
  variantsOf(productId: string): readonly NamedVariant[] | undefined {
    return this.#ofProduct.get(productId) ?? (this.products.has(productId) ? [] : undefined);
  }

  /** The same object each time. */
  label(variantId: string): VariantLabel | undefined {
    const variant = this.#variants.get(variantId);
    if (!variant) return undefined;
    this.#labels[variant.place] ??= labelOf(variant, this.products.get(variant.productId)!);
    return this.#labels[variant.place];
  }
}
