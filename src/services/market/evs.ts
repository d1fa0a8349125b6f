import type { Database } from '../../db/client.ts';
import {
  MARKET_DATA,
  type MarketDataRow,
  PRICE_GROUPS,
  PULL_RATES,
  SEALED_PRODUCTS,
  UPSERT_PRODUCT_EVS,
} from '../../db/queries/market.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import { expectedValue, type PriceGroup, type PullRateSet } from '../../domain/expected-value.ts';

interface SealedProduct {
  productId: string;
  setType: string;
  productType: ProductType;
  marketPrice: string | null;
}

/**
 * Computes the expected value of every sealed product from the loaded pull rates and prices, in US dollars. Called
 * with each import of either, so that reads never compute. Gives the number of values that changed.
 */
export async function recomputeEvs(db: Database): Promise<number> {
  const sets = (await db.query<{ rates: PullRateSet }>(PULL_RATES)).map(({ rates }) => rates);
  const groups = await db.query<PriceGroup>(PRICE_GROUPS);
  const sealed = await db.query<SealedProduct>(SEALED_PRODUCTS);
  const imports = await db.query<MarketDataRow>(MARKET_DATA);
  const samplePrices = imports.some(({ kind, isSample }) => kind === 'prices' && isSample);
  const bySetType = new Map(sets.map((set) => [set.setType, set]));
  const rows = sealed.flatMap((product) => {
    const set = bySetType.get(product.setType);
    return set ? [evRow(set, product, groups, samplePrices)] : [];
  });
  return (await db.query(UPSERT_PRODUCT_EVS, [JSON.stringify(rows)])).length;
}

function evRow(set: PullRateSet, product: SealedProduct, groups: PriceGroup[], samplePrices: boolean) {
  const { productId, setType, productType, marketPrice } = product;
  const ev = expectedValue(set, productType, groups, { samplePrices, sealedPrice: marketPrice });
  return {
    set_type: setType,
    product_type: productType,
    product_id: productId,
    estimated_value: ev.currentEstimatedValue,
    market_price: marketPrice ?? '0',
    release_date: set.releaseDate,
    warning: ev.warning,
    categories: ev.categories,
  };
}
