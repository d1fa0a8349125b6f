import { LRUCache } from 'lru-cache';
import type { EvPlace, HeldEvRow } from '../db/queries/evs.ts';
import type { CatalogueRevision } from '../db/queries/held-catalogue.ts';
import type { ProductRow } from '../db/queries/products.ts';
import type { ProductType } from '../domain/catalogue.ts';
import type { Currency } from '../domain/currencies.ts';
import type { Money } from '../domain/money.ts';
import { EvBreakdown } from '../domain/product-ev.ts';
import type { VariantMarket } from '../domain/search/search-market.ts';
import type { NamedVariant, Names, VariantLabel } from './names.ts';
import type { Pricing } from './pricing.ts';
import type { Sales } from './sales.ts';

/** Currencies whose expected values are kept once they were asked for. */
const MAX_CURRENCIES = 4;

/** A variant with its sales. */
export class HeldVariant {
  readonly id: string;
  readonly productId: string;
  readonly variantName: string;
  readonly fcId: string;
  /** Its place in the order of names. */
  readonly rank: number;
  readonly #place: number;
  readonly #sales: Sales;

  constructor({ id, productId, variantName, fcId, rank, place }: NamedVariant, sales: Sales) {
    this.id = id;
    this.productId = productId;
    this.variantName = variantName;
    this.fcId = fcId;
    this.rank = rank;
    this.#place = place;
    this.#sales = sales;
  }

  get saleVolumes(): number[] {
    return this.#sales.volumes(this.#place);
  }
}

/** The variants with their sales, each the same object each time: they stay when prices change. */
export class HeldVariants {
  readonly #names: Names;
  readonly #sales: Sales;
  /** By the variant's place, where one was asked for. */
  readonly #held: (HeldVariant | undefined)[] = [];

  constructor(names: Names, sales: Sales) {
    this.#names = names;
    this.#sales = sales;
  }

  get(id: string): HeldVariant | undefined {
    const variant = this.#names.variant(id);
    return variant && this.#of(variant);
  }

  /** In the order of their positions. */
  ofProduct(productId: string): readonly HeldVariant[] | undefined {
    return this.#names.variantsOf(productId)?.map((variant) => this.#of(variant));
  }

  #of(variant: NamedVariant): HeldVariant {
    this.#held[variant.place] ??= new HeldVariant(variant, this.#sales);
    return this.#held[variant.place]!;
  }
}

/** An expected value that is held, with its places in the orders. */
export class HeldEv extends EvBreakdown {
  readonly places: Readonly<Record<string, EvPlace>>;

  constructor(row: HeldEvRow, currency: Currency, rate: string) {
    super(row, currency, rate);
    this.places = row.places;
  }
}

/** What a catalogue is made of: each is of a revision of its own, and is taken over by the next catalogue where that has not changed. */
export interface CatalogueParts {
  names: Names;
  pricing: Pricing;
  sales: Sales;
  /** Of these names and sales. */
  variants: HeldVariants;
  evs: readonly HeldEvRow[];
}

/** Products, variants, market prices and expected values as of one revision of the market data. */
export class Catalogue {
  readonly revisions: CatalogueRevision;
  readonly parts: CatalogueParts;
  readonly #evsIn = new LRUCache<Currency, ReadonlyMap<string, HeldEv>>({ max: MAX_CURRENCIES });

  constructor(revisions: CatalogueRevision, parts: CatalogueParts) {
    this.revisions = revisions;
    this.parts = parts;
  }

  get revision(): number {
    return this.revisions.revision;
  }

  /** That of the prices, by which holdings are priced too. */
  get pricingRevision(): number {
    return this.revisions.pricingRevision;
  }

  product(id: string): ProductRow | undefined {
    return this.parts.names.products.get(id);
  }

  /** The same object each time. */
  variant(id: string): HeldVariant | undefined {
    return this.parts.variants.get(id);
  }

  /** The same object each time. */
  label(variantId: string): VariantLabel | undefined {
    return this.parts.names.label(variantId);
  }

  /** In the order of their positions. */
  variantsOf(productId: string): readonly HeldVariant[] | undefined {
    return this.parts.variants.ofProduct(productId);
  }

  /** The latest market price at the latest rate; null where none is known, undefined where the variant is not. */
  price(variantId: string, currency: Currency, source: string): Money | null | undefined {
    const variant = this.parts.names.variant(variantId);
    return variant && this.parts.pricing.rounded(variant.place, currency, source);
  }

  /** The same unrounded, as decimal text. */
  exactPrice(variantId: string, currency: Currency, source: string): string | null | undefined {
    const variant = this.parts.names.variant(variantId);
    return variant && this.parts.pricing.exact(variant.place, currency, source);
  }

  variantMarket(variantId: string): VariantMarket | undefined {
    const { names, pricing, sales } = this.parts;
    const variant = names.variant(variantId);
    if (!variant) return undefined;
    return {
      price: pricing.converted(variant.place, 'USD', 'VendorMarket'),
      eur: pricing.converted(variant.place, 'EUR', 'VendorMarket'),
      sales30: sales.total(variant.place),
    };
  }

  /** By id, the same objects each time; undefined where their currency has no rate. */
  evs(currency: Currency): ReadonlyMap<string, HeldEv> | undefined {
    const known = this.#evsIn.get(currency);
    const rate = this.parts.pricing.rates.rate('USD', currency);
    if (known || rate === undefined) return known;
    const evs = this.parts.evs.map((row) => new HeldEv(row, currency, rate));
    const byId = new Map(evs.map((ev) => [ev.id, ev]));
    this.#evsIn.set(currency, byId);
    return byId;
  }

  evCount(productType: ProductType | null): number {
    if (productType === null) return this.parts.evs.length;
    return this.parts.evs.filter((row) => row.productType === productType).length;
  }
}
