import type { EvPlace, HeldEvRow } from '../../db/queries/evs.ts';
import type { CatalogueRevision, HeldVariantRow } from '../../db/queries/held-catalogue.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import { type Currency, isCurrency } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { derivedMoney, type Money, product as times } from '../../domain/money.ts';
import { EvBreakdown } from '../evs/model.ts';
import { type Product, saleVolumesOf, type Variant } from '../products/model.ts';

/** Currencies whose amounts are kept once they were asked for; a currency takes some 80 bytes a variant. */
const MAX_CURRENCIES = 4;

const NO_SALES = new Uint16Array(0);

/** A variant that is held; what few ask for is made when they do. */
export class HeldVariant implements Variant {
  readonly id: string;
  readonly productId: string;
  readonly variantName: string;
  readonly fcId: string;
  readonly place: number;
  /** Its place in the order of names. */
  rank = 0;
  readonly #daily: Uint16Array | Uint32Array;
  readonly #through: string | null;
  readonly #newestDay: string | null;

  constructor(row: HeldVariantRow, place: number, newestDay: string | null) {
    this.id = row.id;
    this.productId = row.productId;
    this.variantName = row.variantName;
    this.fcId = row.fcId;
    this.place = place;
    this.#daily = compact(row.daily ?? []);
    this.#through = row.through;
    this.#newestDay = newestDay;
  }

  get saleVolumes(): number[] {
    return saleVolumesOf({ daily: this.#daily, through: this.#through, newestDay: this.#newestDay });
  }
}

function compact(daily: readonly number[]): Uint16Array | Uint32Array {
  const last = daily.slice(-LIMITS.saleVolumeDays);
  if (!last.some((sales) => sales !== 0)) return NO_SALES;
  return Math.max(...last) < 65_536 ? Uint16Array.from(last) : Uint32Array.from(last);
}

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

export function labelOf({ id, variantName, fcId, productId }: Variant, product: Product): VariantLabel {
  const { name, number, imageUrl } = product;
  return { variantId: id, variantName, fcId, productId, productName: name, number, imageUrl };
}

/** An expected value that is held, with its places in the orders. */
export class HeldEv extends EvBreakdown {
  readonly places: Readonly<Record<string, EvPlace>>;

  constructor(row: HeldEvRow, currency: Currency, rate: string) {
    super(row, currency, rate);
    this.places = row.places;
  }
}

interface PriceList {
  /** By the variant's place: undefined where no price is known. */
  currencies: (string | undefined)[];
  amounts: (string | undefined)[];
}

/** Products, variants, market prices and expected values as of one revision of the market data. */
export class Catalogue {
  readonly revision: number;
  /** That of the prices, by which holdings are priced too. */
  readonly pricingRevision: number;
  readonly #products = new Map<string, Product>();
  readonly #variants = new Map<string, HeldVariant>();
  readonly #variantsOfProduct = new Map<string, HeldVariant[]>();
  readonly #prices = new Map<string, PriceList>();
  readonly #rates = new Map<string, string>();
  /** By the variant's place, where one was asked for. */
  readonly #labels: (VariantLabel | undefined)[] = [];
  /** By source and currency: null where no price is known. */
  readonly #amounts = new Map<string, (Money | null | undefined)[]>();
  readonly #evs: HeldEvRow[] = [];
  readonly #evsIn = new BoundedMap<Currency, ReadonlyMap<string, HeldEv>>(MAX_CURRENCIES);

  constructor({ revision, pricingRevision }: CatalogueRevision) {
    this.revision = revision;
    this.pricingRevision = pricingRevision;
  }

  addProduct(product: Product): void {
    this.#products.set(product.id, product);
    this.#variantsOfProduct.set(product.id, []);
  }

  /** In the order of their ids; their products are there. */
  addVariant(row: HeldVariantRow, newestDay: string | null): void {
    const variant = new HeldVariant(row, this.#variants.size, newestDay);
    this.#variants.set(variant.id, variant);
    this.#variantsOfProduct.get(variant.productId)!.push(variant);
  }

  /** Takes the ids in the order of product names, variant names and ids. */
  rank(variantIds: readonly string[]): void {
    for (const [rank, id] of variantIds.entries()) this.#variants.get(id)!.rank = rank;
  }

  addPrice(variantId: string, source: string, currency: string, amount: string): void {
    const list = this.#prices.get(source) ?? { currencies: [], amounts: [] };
    this.#prices.set(source, list);
    const { place } = this.#variants.get(variantId)!;
    list.currencies[place] = currency;
    list.amounts[place] = amount;
  }

  addRate(from: string, to: string, rate: string): void {
    this.#rates.set(`${from} ${to}`, rate);
  }

  addEv(row: HeldEvRow): void {
    this.#evs.push(row);
  }

  /** Puts the variants of each product into the order of their positions. */
  arrange(positionOf: ReadonlyMap<string, number>): void {
    for (const variants of this.#variantsOfProduct.values())
      variants.sort((a, b) => positionOf.get(a.id)! - positionOf.get(b.id)!);
  }

  product(id: string): Product | undefined {
    return this.#products.get(id);
  }

  variant(id: string): HeldVariant | undefined {
    return this.#variants.get(id);
  }

  /** The same object each time. */
  label(variantId: string): VariantLabel | undefined {
    const variant = this.#variants.get(variantId);
    if (!variant) return undefined;
    this.#labels[variant.place] ??= labelOf(variant, this.#products.get(variant.productId)!);
    return this.#labels[variant.place];
  }

  /** In the order of their positions. */
  variantsOf(productId: string): readonly HeldVariant[] | undefined {
    return this.#variantsOfProduct.get(productId);
  }

  /** The latest market price at the latest rate; null where none is known, undefined where the variant is not. */
  price(variantId: string, currency: Currency, source: string): Money | null | undefined {
    const variant = this.#variants.get(variantId);
    if (!variant) return undefined;
    const amounts = this.#amountsIn(source, currency);
    let money = amounts[variant.place];
    if (money === undefined) {
      money = this.#converted(variant.place, currency, source);
      amounts[variant.place] = money;
    }
    return money;
  }

  /** The same, exact, as decimal text. */
  exactPrice(variantId: string, currency: Currency, source: string): string | null | undefined {
    const variant = this.#variants.get(variantId);
    if (!variant) return undefined;
    const list = this.#prices.get(source);
    const from = list?.currencies[variant.place];
    if (from === currency) return list!.amounts[variant.place]!;
    const rate = from && isCurrency(currency) ? this.#rates.get(`${from} ${currency}`) : undefined;
    return rate === undefined ? null : times(list!.amounts[variant.place]!, rate);
  }

  /** By id, the same objects each time; undefined where their currency has no rate. */
  evs(currency: Currency): ReadonlyMap<string, HeldEv> | undefined {
    const known = this.#evsIn.get(currency);
    const rate = this.#rates.get(`USD ${currency}`);
    if (known || rate === undefined) return known;
    const evs = this.#evs.map((row) => new HeldEv(row, currency, rate));
    const byId = new Map(evs.map((ev) => [ev.id, ev]));
    this.#evsIn.set(currency, byId);
    return byId;
  }

  evCount(productType: ProductType | null): number {
    if (productType === null) return this.#evs.length;
    return this.#evs.filter((row) => row.productType === productType).length;
  }

  #amountsIn(source: string, currency: Currency): (Money | null | undefined)[] {
    const key = `${source} ${currency}`;
    let amounts = this.#amounts.get(key);
    if (!amounts) {
      amounts = new Array(this.#variants.size);
      this.#amounts.set(key, amounts);
      if (this.#amounts.size > MAX_CURRENCIES) this.#amounts.delete(this.#amounts.keys().next().value!);
    }
    return amounts;
  }

  #converted(place: number, currency: Currency, source: string): Money | null {
    const list = this.#prices.get(source);
    const from = list?.currencies[place];
    const rate = from && isCurrency(currency) ? this.#rates.get(`${from} ${currency}`) : undefined;
    // As in SQL, an amount of a currency without a rate is not known.
    return rate === undefined ? null : derivedMoney(currency, times(list!.amounts[place]!, rate));
  }
}
