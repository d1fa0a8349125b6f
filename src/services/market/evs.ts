import type { Database } from '../../db/client.ts';
import {
  MARKET_DATA,
  type MarketDataRow,
  PRICE_GROUPS,
  PULL_RATES,
  SEALED_PRODUCTS,
  STORED_EVS,
  type StoredEv,
  UPSERT_PRODUCT_EVS,
} from '../../db/queries/market.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import { expectedValue, type PriceGroup, type PullRateSet } from '../../domain/expected-value.ts';
import { productEvId } from '../../domain/ids.ts';
import { isEqual } from '../../domain/money.ts';

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
  return (await db.query(UPSERT_PRODUCT_EVS, [JSON.stringify(await freshEvs(db))])).length;
}

/** Where the stored expected values are not what they would be if they were computed now. */
export async function evDifferences(db: Database) {
  const stored = await db.query<StoredEv>(STORED_EVS);
  const byId = new Map(stored.map((row) => [row.id, row]));
  return (await freshEvs(db)).flatMap((fresh) => {
    const id = productEvId(fresh.set_type, fresh.product_type);
    const row = byId.get(id);
    const fields = [
      { field: 'estimated_value', stored: row?.estimatedValue ?? null, expected: fresh.estimated_value },
      { field: 'market_price', stored: row?.marketPrice ?? null, expected: fresh.market_price },
    ];
    return fields
      .filter(({ stored, expected }) => stored === null || !isEqual(stored, expected))
      .map((difference) => ({ id, ...difference }));
  });
}

async function freshEvs(db: Database) {
  const sets = (await db.query<{ rates: PullRateSet }>(PULL_RATES)).map(({ rates }) => rates);
  const groups = await db.query<PriceGroup>(PRICE_GROUPS);
  const sealed = await db.query<SealedProduct>(SEALED_PRODUCTS);
  const imports = await db.query<MarketDataRow>(MARKET_DATA);
  const samplePrices = imports.some(({ kind, isSample }) => kind === 'prices' && isSample);
  const bySetType = new Map(sets.map((set) => [set.setType, set]));
  return sealed.flatMap((product) => {
    const set = bySetType.get(product.setType);
    return set ? [evRow(set, product, groups, samplePrices)] : [];
  });
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
