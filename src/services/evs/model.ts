import type { EvRow } from '../../db/queries/evs.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import type { Currency } from '../../domain/currencies.ts';
import { productEvId } from '../../domain/ids.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';

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

export interface EvBreakdown extends ProductEv {
  categories: EvCategory[];
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
  };
}
