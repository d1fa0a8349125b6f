import type { Edition, Finish, ProductType } from './catalogue.ts';
import {
  add,
  divide,
  type Fraction,
  fraction,
  multiply,
  parseFraction,
  sum,
  toDecimal,
  toNumber,
  ZERO,
} from './fraction.ts';

/** The published pull rates of one set and edition; the fields are explained in data/pull-rates.json itself. */
export interface PullRateSet {
  /** e.g. `Wtr1stEdition`, `Out`. */
  setType: string;
  setCode: string;
  setName: string;
  edition: Edition | null;
  /** `YYYY-MM-DD`. */
  releaseDate: string;
  packsPerBox: number;
  boxesPerCase: number;
  /** False where no source states the two sizes for this set. */
  packagingVerified: boolean;
  /** Address of the page that publishes the rates. */
  source: string;
  /** The published total of a slot, by the slot's name. */
  slotTotals: Record<string, { odds: string; rate: string; poolSize: number | null }>;
  categories: PullRateCategory[];
}

/** One slot outcome. */
export interface PullRateCategory {
  /** e.g. `RainbowFoilMajestic`. */
  category: string;
  categoryName: string;
  slot: string;
  /** Null where the catalogue has no such cards, e.g. puzzle inserts. */
  pool: CategoryPool | null;
  /** Expected cards in one pack, an exact fraction such as `1/96`; null where it is not published. */
  odds: string | null;
  /** The published words behind `odds`. */
  rate: string | null;
  /** Published number of different cards. */
  poolSize: number | null;
  remainder?: true;
  /** What is not published about the category, so that it is counted at its cheapest cards. */
  lowerBound?: 'rarity' | 'finish';
  /** Published rates that are part of this one and are not added again. */
  includes?: { name: string; odds: string; rate: string }[];
  note?: string;
}

export interface CategoryPool {
  finishes: Finish[];
  rarities: string[];
  /** Where it is left out, cards of the set and of its expansion slot are both in the pool. */
  isExpansionSlot?: boolean;
}

/** What decides the pools that a variant is in; prices can be grouped by it. */
export interface PoolKey {
  setCode: string;
  edition: Edition | null;
  finish: Finish;
  /** Null for sealed products, which are in no pool. */
  rarity: string | null;
  isExpansionSlot: boolean;
}

/** The market prices of all variants that share a pool key. */
export interface PriceGroup extends PoolKey {
  /** Variants, with or without a price. */
  cards: number;
  /** Variants with a price. */
  priced: number;
  /** Exact sum of the prices in US dollars, as decimal text. */
  priceSum: string;
}

export interface ExpectedValue {
  /** US dollars, decimal text with 30 decimals: the exact sum of the contributed values, rounded once. */
  currentEstimatedValue: string;
  /** Plain sentences, one space between; null where there is nothing to say. */
  warning: string | null;
  /** Those with published odds, in the order of the pull rates. */
  categories: ExpectedValueCategory[];
}

export interface ExpectedValueCategory {
  category: string;
  categoryName: string;
  /** Expected cards in the product, to the nearest double. */
  multiplier: number;
  /** US dollars, decimal text with 30 decimals; 0 where no card has a price. */
  averageMarketPrice: string;
  contributedValue: string;
}

/**
 * Decimals of amounts. Values are summed as fractions and rounded to this scale once, so that an amount converted at
 * any exchange rate is off by far less than 1e-15 before it is rounded for display. The displayed total is the rounded
 * exact total: the displayed parts may differ from it by a cent when they are added up.
 */
const AMOUNT_DECIMALS = 30;

/** Whether a variant is one of the cards of a category. A set of one edition takes the cards of any edition. */
export function isInPool(set: PullRateSet, { pool }: PullRateCategory, key: PoolKey): boolean {
  return (
    pool !== null &&
    key.setCode === set.setCode &&
    (set.edition === null || key.edition === set.edition) &&
    pool.finishes.includes(key.finish) &&
    key.rarity !== null &&
    pool.rarities.includes(key.rarity) &&
    (pool.isExpansionSlot === undefined || pool.isExpansionSlot === key.isExpansionSlot)
  );
}

/** How many packs a product holds. */
export function packsIn(set: PullRateSet, productType: ProductType): number {
  const packs = { Pack: 1, Box: set.packsPerBox, Case: set.packsPerBox * set.boxesPerCase };
  return packs[productType];
}

interface PricedCategory {
  rates: PullRateCategory;
  multiplier: Fraction;
  cards: number;
  priced: number;
  average: Fraction;
  value: Fraction;
}

/**
 * The expected value of a sealed product (docs/decisions.md#expected-values): for each category its expected number of cards times the mean
 * price of its cards that have one. `groups` may hold other sets' prices too.
 */
export function expectedValue(
  set: PullRateSet,
  productType: ProductType,
  groups: readonly PriceGroup[],
  market: { samplePrices: boolean; sealedPrice: string | null },
): ExpectedValue {
  const packs = fraction(BigInt(packsIn(set, productType)));
  const categories = set.categories
    .filter((rates) => rates.odds !== null)
    .map((rates) => priceCategory(set, rates, packs, groups));
  const sentences = [
    market.samplePrices ? 'Prices are sample data, not real market prices.' : null,
    market.sealedPrice === null ? 'The sealed product has no market price; it counts as 0.' : null,
    unpublishedWarning(set),
    ...lowerBoundWarnings(set),
    ...categories.flatMap(poolWarnings),
    packagingWarning(set, productType),
  ].filter((sentence) => sentence !== null);
  return {
    currentEstimatedValue: amount(sum(categories.map((category) => category.value))),
    warning: sentences.join(' ') || null,
    categories: categories.map(({ rates, multiplier, average, value }) => ({
      category: rates.category,
      categoryName: rates.categoryName,
      multiplier: toNumber(multiplier),
      averageMarketPrice: amount(average),
      contributedValue: amount(value),
    })),
  };
}

function priceCategory(
  set: PullRateSet,
  rates: PullRateCategory,
  packs: Fraction,
  groups: readonly PriceGroup[],
): PricedCategory {
  let cards = 0;
  let priced = 0;
  let total = ZERO;
  for (const group of groups) {
    if (!isInPool(set, rates, group)) continue;
    cards += group.cards;
    priced += group.priced;
    total = add(total, parseFraction(group.priceSum));
  }
  const multiplier = multiply(parseFraction(rates.odds!), packs);
  const average = priced === 0 ? ZERO : divide(total, fraction(BigInt(priced)));
  return { rates, multiplier, cards, priced, average, value: multiply(multiplier, average) };
}

function amount(value: Fraction): string {
  return toDecimal(value, AMOUNT_DECIMALS);
}

function unpublishedWarning(set: PullRateSet): string | null {
  const names = set.categories.filter((rates) => rates.odds === null).map((rates) => rates.categoryName);
  if (names.length === 0) return null;
  return names.length === 1
    ? `The pull rate of ${names[0]} is not published; it adds nothing.`
    : `The pull rates of ${list(names)} are not published; they add nothing.`;
}

function lowerBoundWarnings(set: PullRateSet): string[] {
  return set.categories.flatMap(({ odds, lowerBound, categoryName, pool }) => {
    if (odds === null || lowerBound === undefined || pool === null) return [];
    const counted =
      lowerBound === 'rarity'
        ? `by rarity, and counted at the mean price of its ${list(pool.rarities).toLowerCase()}s`
        : 'by finish, and counted without its cold foils';
    return [`${categoryName} is published without its split ${counted}, a lower bound.`];
  });
}

function poolWarnings({ rates, cards, priced }: PricedCategory): string[] {
  const name = `${rates.categoryName} cards`;
  if (cards === 0) return [`The catalogue has no ${name}; they add nothing.`];
  const warnings = [];
  // Two tokens on one piece of card are one product of the vendor's, and the publisher counts both.
  if (rates.slot !== 'Token' && cards < (rates.poolSize ?? 0)) {
    warnings.push(`The catalogue has ${cards} of ${rates.poolSize} ${name}.`);
  }
  const missing = cards - priced;
  if (missing > 0) {
    warnings.push(`${missing} of ${cards} ${name} ${missing === 1 ? 'has' : 'have'} no market price.`);
  }
  return warnings;
}

function packagingWarning(set: PullRateSet, productType: ProductType): string | null {
  if (set.packagingVerified || productType === 'Pack') return null;
  const size =
    productType === 'Box'
      ? `${set.packsPerBox} packs in a box`
      : `${set.packsPerBox} packs in a box and ${set.boxesPerCase} boxes in a case`;
  return `No source confirms ${size} for this set.`;
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
