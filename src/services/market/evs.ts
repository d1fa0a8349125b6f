import { createHash } from 'node:crypto';
import type { Database } from '../../db/client.ts';
import { CARD_PRICES, PRICE_GROUPS, PULL_RATES, SEALED_PRODUCTS } from '../../db/queries/ev-sources.ts';
import {
  MARKET_DATA,
  type MarketDataRow,
  RECORD_CHANGE,
  revisionStep,
} from '../../db/queries/market-data.ts';
import {
  RECORD_EV_HISTORY,
  STORED_EVS,
  type StoredEv,
  UPSERT_PRODUCT_EVS,
} from '../../db/queries/stored-evs.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import {
  type CategoryPrices,
  categoryPrices,
  type EvDistribution,
  evDistribution,
} from '../../domain/ev-distribution.ts';
import {
  expectedValue,
  type PoolKey,
  type PriceGroup,
  type PullRateSet,
} from '../../domain/expected-value.ts';
import { productEvId } from '../../domain/ids.ts';
import { isEqual } from '../../domain/money.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedOneByOne, type Parts } from '../../lib/parts.ts';

interface SealedProduct {
  productId: string;
  setType: string;
  productType: ProductType;
  marketPrice: string | null;
}

/**
 * Computes the expected value of every sealed product from the loaded pull rates and prices, in US dollars, and the
 * spread of those whose value or price changed. Called with each import of either, so that reads never compute. Gives
 * the number of values that changed.
 */
export async function recomputeEvs(db: Database): Promise<number> {
  const fresh = await freshEvs(db);
  const stored = await storedEvs(db);
  const prices = await pricesBySet(
    db,
    fresh.filter((row) => !isStored(row, stored)),
  );
  const rows = [];
  for (const { set, ...row } of fresh) {
    // A simulation takes up to a fifth of a second: others of this process get their turn.
    rows.push({ ...row, distribution: await inTurns(distributionOf(set, row, stored, prices)) });
  }
  const changed = await db.query(UPSERT_PRODUCT_EVS, [JSON.stringify(rows)]);
  if (changed.length > 0) await db.query(RECORD_CHANGE, ['pull-rates', revisionStep()]);
  await db.query(RECORD_EV_HISTORY);
  return changed.length;
}

/** Where the stored expected values are not what they would be if they were computed now. */
export async function evDifferences(db: Database) {
  const stored = await storedEvs(db);
  return (await freshEvs(db)).flatMap((fresh) => {
    const row = stored.get(idOf(fresh));
    const fields = [
      { field: 'estimated_value', stored: row?.estimatedValue ?? null, expected: fresh.estimated_value },
      { field: 'market_price', stored: row?.marketPrice ?? null, expected: fresh.market_price },
    ];
    return fields
      .filter(({ stored, expected }) => stored === null || !isEqual(stored, expected))
      .map((difference) => ({ id: idOf(fresh), ...difference }));
  });
}

type FreshEv = Awaited<ReturnType<typeof freshEvs>>[number];
type EvRow = Omit<FreshEv, 'set'>;

function idOf({ set_type, product_type }: EvRow): string {
  return productEvId(set_type, product_type);
}

async function storedEvs(db: Database): Promise<Map<string, StoredEv>> {
  return new Map((await db.query<StoredEv>(STORED_EVS)).map((row) => [row.id, row]));
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
    set,
    set_type: setType,
    product_type: productType,
    product_id: productId,
    estimated_value: ev.currentEstimatedValue,
    market_price: marketPrice ?? '0',
    release_date: set.releaseDate,
    warning: ev.warning,
    categories: ev.categories,
    packs_per_box: set.packsPerBox,
  };
}

/** The cards' prices decide the value, so the spread of a value that did not change is what it was. */
function isStored(row: EvRow, stored: Map<string, StoredEv>): boolean {
  const known = stored.get(idOf(row));
  return (
    known !== undefined &&
    isEqual(known.estimatedValue, row.estimated_value) &&
    isEqual(known.marketPrice, row.market_price)
  );
}

async function pricesBySet(db: Database, rows: readonly FreshEv[]): Promise<Map<string, CategoryPrices>> {
  const sets = new Map(rows.map(({ set }) => [set.setType, set]));
  if (sets.size === 0) return new Map();
  const codes = [...new Set([...sets.values()].map(({ setCode }) => setCode))];
  const cards = await db.query<PoolKey & { price: string | null }>(CARD_PRICES, [JSON.stringify(codes)]);
  const pricesOf = ([setType, set]: [string, PullRateSet]) => [setType, categoryPrices(set, cards)] as const;
  return new Map(await inTurns(mappedOneByOne([...sets], pricesOf)));
}

function* distributionOf(
  set: PullRateSet,
  row: EvRow,
  stored: Map<string, StoredEv>,
  prices: Map<string, CategoryPrices>,
): Parts<EvDistribution | null> {
  if (isStored(row, stored)) return stored.get(idOf(row))!.distribution;
  if (isEqual(row.estimated_value, '0')) return null;
  const marketPrice = isEqual(row.market_price, '0') ? null : Number(row.market_price);
  return yield* evDistribution(
    set,
    row.product_type,
    prices.get(row.set_type)!,
    marketPrice,
    seedOf(idOf(row)),
  );
}

/** Each product has its own seed, the same at every import and on every node. */
function seedOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32LE();
}
