import type { Parts } from '../lib/parts.ts';
import type { ProductType } from './catalogue.ts';
import {
  isInPool,
  type PoolKey,
  type PullRateCategory,
  type PullRateSet,
  packsIn,
} from './expected-value.ts';
import { parseFraction, toNumber } from './fraction.ts';

/** The spread of what a sealed product returns; amounts in US dollars. */
export interface EvDistribution {
  mean: number;
  p5: number;
  p25: number;
  median: number;
  p75: number;
  p95: number;
  /** Share of the samples that are worth more than the market price; null where there is none. */
  probabilityToBeatMarketPrice: number | null;
  samples: number;
  /** Standard error of the mean. */
  standardError: number;
}

/** Of the simulation, some milliseconds each. */
const PARTS = 100;

/** Prices in US dollars of the cards of each category, by the category's name. */
export type CategoryPrices = ReadonlyMap<string, readonly number[]>;

/** A case has as many packs as several boxes, so that fewer of them give the same certainty of the mean. */
export const SAMPLES: Record<ProductType, number> = { Pack: 10_000, Box: 10_000, Case: 2500 };

/** The known prices of a set's cards, by category; a price is decimal text, null where none is known. */
export function categoryPrices(
  set: PullRateSet,
  variants: readonly (PoolKey & { price: string | null })[],
): CategoryPrices {
  const priced = variants.filter((variant) => variant.price !== null);
  return new Map(
    set.categories.map((rates) => [
      rates.category,
      priced.filter((variant) => isInPool(set, rates, variant)).map((variant) => Number(variant.price)),
    ]),
  );
}

/**
 * Simulates a product, pack by pack, in parts; the same seed gives the same figures.
 *
 * A pack is opened slot by slot, independently. A slot that is published at T cards a pack gives T cards where T is
 * whole, otherwise the whole number below, and one more with the remaining probability. Which categories they are is
 * drawn at once for the slot (systematic sampling): a point u is drawn from [0, 1), the categories lie one after
 * another on a line, each as long as its odds, and u, u + 1, u + 2 … pick theirs. So every category has exactly its
 * published mean, a category of less than one a pack comes at most once, and the second rare of a 1.75 + 0.25 slot is
 * a rare or the one majestic. The card is any of its category's with a price, all equally likely. A category without
 * published odds or prices gives nothing, as in the expected value, which the mean therefore agrees with.
 */
export function* evDistribution(
  set: PullRateSet,
  productType: ProductType,
  prices: CategoryPrices,
  marketPrice: number | null,
  seed: number,
): Parts<EvDistribution> {
  const slots = slotsOf(set, prices);
  const packs = packsIn(set, productType);
  const random = new RandomNumbers(seed);
  const values = new Float64Array(SAMPLES[productType]);
  for (let sample = 0; sample < values.length; sample++) {
    let value = 0;
    for (let pack = 0; pack < packs; pack++) {
      for (const slot of slots) value += openSlot(slot, random);
    }
    values[sample] = value;
    if (sample % (values.length / PARTS) === 0) yield;
  }
  return describe(values.sort(), marketPrice);
}

interface Slot {
  /** Where each category ends on the slot's line. */
  ends: Float64Array;
  prices: Float64Array[];
}

function slotsOf(set: PullRateSet, prices: CategoryPrices): Slot[] {
  const published = set.categories.filter((rates) => rates.odds !== null);
  const bySlot = new Map<string, PullRateCategory[]>();
  for (const rates of published) bySlot.set(rates.slot, [...(bySlot.get(rates.slot) ?? []), rates]);
  return [...bySlot.values()].map((categories) => {
    let end = 0;
    return {
      ends: Float64Array.from(categories, (rates) => {
        end += toNumber(parseFraction(rates.odds!));
        return end;
      }),
      prices: categories.map((rates) => Float64Array.from(prices.get(rates.category) ?? [])),
    };
  });
}

function openSlot({ ends, prices }: Slot, random: RandomNumbers): number {
  let value = 0;
  let point = random.next();
  for (let category = 0; category < ends.length; category++) {
    const pool = prices[category]!;
    const end = ends[category]!;
    for (; point < end; point++) {
      if (pool.length > 0) value += pool[(random.next() * pool.length) | 0]!;
    }
  }
  return value;
}

function describe(sorted: Float64Array, marketPrice: number | null): EvDistribution {
  const samples = sorted.length;
  const mean = sorted.reduce((total, value) => total + value, 0) / samples;
  const variance = sorted.reduce((total, value) => total + (value - mean) ** 2, 0) / (samples - 1);
  return {
    mean,
    p5: quantile(sorted, 0.05),
    p25: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    p75: quantile(sorted, 0.75),
    p95: quantile(sorted, 0.95),
    probabilityToBeatMarketPrice: marketPrice === null ? null : countAbove(sorted, marketPrice) / samples,
    samples,
    standardError: Math.sqrt(variance / samples),
  };
}

function countAbove(values: Float64Array, least: number): number {
  return values.reduce((count, value) => count + (value > least ? 1 : 0), 0);
}

/** Between the two nearest ranks, linearly. */
function quantile(sorted: Float64Array, share: number): number {
  const rank = share * (sorted.length - 1);
  const below = sorted[Math.floor(rank)]!;
  const above = sorted[Math.ceil(rank)]!;
  return below + (above - below) * (rank - Math.floor(rank));
}

const WARM_UP_DRAWS = 15;

/** Chris Doty-Humphrey's sfc32: uniform numbers from [0, 1), 32 random bits each. */
class RandomNumbers {
  /** The three words and the counter; in a typed array they are never boxed. */
  readonly #state: Int32Array;

  constructor(seed: number) {
    this.#state = Int32Array.of(seed, seed / 2 ** 32, 0x9e3779b9, 1);
    for (let i = 0; i < WARM_UP_DRAWS; i++) this.next();
  }

  next(): number {
    const state = this.#state;
    const b = state[1]!;
    const c = state[2]!;
    const result = (state[0]! + b + state[3]!) | 0;
    state[3]! += 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + result;
    return (result >>> 0) / 2 ** 32;
  }
}
