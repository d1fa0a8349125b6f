import type { EvRow } from '../../db/queries/evs.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { Currency } from '../../domain/currencies.ts';
import { productEvId } from '../../domain/ids.ts';
import { derivedMoney, isEqual, type Money } from '../../domain/money.ts';

/** The expected value of one sealed product (decisions §7). */
export interface ProductEv {
  id: string;
  setType: string;
  productType: ProductType;
  productId: string;
  productName: string;
  productImage: string;
  fcId: string;
  currentEstimatedValue: Money;
  /** 0 where no price is known; the warning says so. */
  marketPrice: Money;
  /** Estimated value less market price. */
  marketPriceDelta: Money;
  releaseDate: string | null;
  packsPerBox: number;
  /** Estimated value ÷ market price; null where no price is known. */
  evRatio: number | null;
  warning: string | null;
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

export interface EvBreakdown extends ProductEv {
  categories: EvCategory[];
  /** Null where the cards have no price. */
  distribution: EvDistribution | null;
}

export function productEvOf(
  { estimatedValue, marketPrice, marketPriceDelta, marketRevision: _, ...row }: EvRow,
  currency: Currency,
): ProductEv {
  return {
    id: productEvId(row.setType, row.productType),
    ...row,
    currentEstimatedValue: derivedMoney(currency, estimatedValue),
    marketPrice: derivedMoney(currency, marketPrice),
    marketPriceDelta: derivedMoney(currency, marketPriceDelta),
    evRatio: isEqual(marketPrice, '0') ? null : Number(estimatedValue) / Number(marketPrice),
  };
}
