import type { ProductType } from './catalogue.ts';
import type { Currency } from './currencies.ts';
import type { EvDistribution as DistributionInDollars } from './ev-distribution.ts';
import type { ExpectedValueCategory } from './expected-value.ts';
import { productEvId } from './ids.ts';
import { decimalOf, derivedMoney, difference, isEqual, type Money, product as times } from './money.ts';

/** The expected value of a sealed product as it is stored: amounts are in US dollars. */
export interface EvInDollars {
  setType: string;
  productType: ProductType;
  productId: string;
  productName: string;
  productImage: string;
  fcId: string;
  estimatedValue: string;
  marketPrice: string;
  releaseDate: string | null;
  warning: string | null;
  packsPerBox: number;
}

/** With what it is made of. */
export interface EvBreakdownInDollars extends EvInDollars {
  categories: ExpectedValueCategory[];
  distribution: DistributionInDollars | null;
}

/**
 * The expected value of one sealed product (docs/decisions.md#expected-values), in a currency. Amounts are converted when they are asked for:
 * most answers ask for few of them.
 */
export class ProductEv {
  readonly id: string;
  readonly setType: string;
  readonly productType: ProductType;
  readonly productId: string;
  readonly productName: string;
  readonly productImage: string;
  readonly fcId: string;
  readonly releaseDate: string | null;
  readonly packsPerBox: number;
  readonly warning: string | null;
  readonly currency: Currency;
  readonly #estimatedValue: string;
  readonly #marketPrice: string;
  readonly #rate: string;

  /** @param rate from US dollars to the currency */
  constructor(row: EvInDollars, currency: Currency, rate: string) {
    this.id = productEvId(row.setType, row.productType);
    this.setType = row.setType;
    this.productType = row.productType;
    this.productId = row.productId;
    this.productName = row.productName;
    this.productImage = row.productImage;
    this.fcId = row.fcId;
    this.releaseDate = row.releaseDate;
    this.packsPerBox = row.packsPerBox;
    this.warning = row.warning;
    this.currency = currency;
    this.#estimatedValue = row.estimatedValue;
    this.#marketPrice = row.marketPrice;
    this.#rate = rate;
  }

  get currentEstimatedValue(): Money {
    return this.converted(this.#estimatedValue);
  }

  /** 0 where no price is known; the warning says so. */
  get marketPrice(): Money {
    return this.converted(this.#marketPrice);
  }

  /** Estimated value less market price. */
  get marketPriceDelta(): Money {
    return this.converted(difference(this.#estimatedValue, this.#marketPrice));
  }

  /** Estimated value ÷ market price; null where no price is known. */
  get evRatio(): number | null {
    if (isEqual(this.#marketPrice, '0')) return null;
    const [value, price] = [this.#estimatedValue, this.#marketPrice].map((usd) => times(usd, this.#rate));
    return Number(value) / Number(price);
  }

  protected converted(usd: string): Money {
    return derivedMoney(this.currency, times(usd, this.#rate));
  }
}

export interface EvCategory {
  category: string;
  categoryName: string;
  /** Expected number of cards in the product. */
  multiplier: number;
  averageMarketPrice: Money;
  contributedValue: Money;
}

/** The spread of what the product really returns, by simulation. */
export interface EvDistribution {
  mean: Money;
  median: Money;
  p5: Money;
  p25: Money;
  p75: Money;
  p95: Money;
  standardError: Money;
  /** Null where no market price is known. */
  probabilityToBeatMarketPrice: number | null;
  samples: number;
}

const AMOUNTS = ['mean', 'median', 'p5', 'p25', 'p75', 'p95', 'standardError'] as const;

/** With what it is made of. */
export class EvBreakdown extends ProductEv {
  readonly #categories: readonly ExpectedValueCategory[];
  readonly #distribution: DistributionInDollars | null;

  constructor(row: EvBreakdownInDollars, currency: Currency, rate: string) {
    super(row, currency, rate);
    this.#categories = row.categories;
    this.#distribution = row.distribution;
  }

  get categories(): EvCategory[] {
    return this.#categories.map((category) => ({
      ...category,
      averageMarketPrice: this.converted(category.averageMarketPrice),
      contributedValue: this.converted(category.contributedValue),
    }));
  }

  /** Null where the cards have no price. */
  get distribution(): EvDistribution | null {
    const stored = this.#distribution;
    if (!stored) return null;
    const amounts = AMOUNTS.map((name) => [name, this.converted(decimalOf(stored[name]))]);
    return { ...stored, ...(Object.fromEntries(amounts) as Record<(typeof AMOUNTS)[number], Money>) };
  }
}
