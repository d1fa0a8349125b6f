import type { CatalogueProduct, CatalogueVariant, Finish, ProductType } from '../domain/catalogue.ts';
import { addDays, isCalendarDate } from '../domain/dates.ts';

/** Days of sales, the last one being today. */
const SALE_DAYS = 30;
const DAY_MILLISECONDS = 86_400_000;

/** One variant in this many has no price: the vendor has sold none lately. */
const VARIANTS_PER_UNPRICED = 100;

/** Made-up market data of a variant. */
export interface SampleMarketRow {
  variantId: string;
  /** USD as decimal text with two places, or null when no price is known. */
  marketPrice: string | null;
  /** Sales a day, oldest first. */
  saleVolumes: number[];
}

/** Typical price in cents of a non-foil card printed once, by rarity. */
const RARITY_CENTS: Record<string, number> = {
  Token: 12,
  Basic: 15,
  Common: 20,
  Rare: 45,
  'Super Rare': 180,
  Promo: 600,
  Majestic: 500,
  Legendary: 4_500,
  Marvel: 9_000,
  Fabled: 16_000,
};
const UNKNOWN_RARITY_CENTS = 50;

/** Percent of the non-foil price, and the least price in cents: a foil common is no penny card. */
const FINISH_FACTOR: Record<Finish, { percent: number; leastCents: number }> = {
  Normal: { percent: 100, leastCents: 5 },
  'Rainbow Foil': { percent: 160, leastCents: 25 },
  'Cold Foil': { percent: 280, leastCents: 150 },
  'Gold Foil': { percent: 700, leastCents: 5_000 },
};

/** Printings from Marvel up exist in foil only, so that their typical price is a foil's. */
const FOIL_ONLY = new Set(['Marvel', 'Promo']);

/** Percent by how sought after a card is, a card drawing one at random: most are near 1, a few are staples. */
const DEMAND_PERCENT = [
  45, 55, 60, 70, 75, 80, 90, 95, 100, 100, 105, 110, 120, 130, 150, 170, 200, 260, 400, 700,
];

/** Cents of a box by the year of release: the first sets were small and are long sold out. */
const FIRST_EDITION_BOX: Record<number, number> = { 2019: 280_000, 2020: 75_000, 2021: 16_000 };
const BOX_BY_YEAR: Record<number, number> = {
  2019: 16_000,
  2020: 12_500,
  2021: 8_500,
  2022: 8_000,
  2023: 7_500,
};
const RECENT_BOX = 9_000;
const PACKS_PER_BOX = 24;
const BOXES_PER_CASE = 4;

/** Sales a day, in hundredths, of a variant below the price in cents. */
const DAILY_SALES = [
  { belowCents: 100, hundredths: 90 },
  { belowCents: 1_000, hundredths: 160 },
  { belowCents: 5_000, hundredths: 70 },
  { belowCents: 50_000, hundredths: 20 },
  { belowCents: Number.POSITIVE_INFINITY, hundredths: 4 },
];

/**
 * Made-up prices and sales for a first run, plausible by rarity, finish, edition and age of the set. The same
 * catalogue gives the same prices on every machine and day, in whatever order; a day's sales belong to that day.
 * `today` is `YYYY-MM-DD`; throws when it is no calendar date.
 */
export function* sampleMarket(
  products: Iterable<CatalogueProduct>,
  today: string,
): Generator<SampleMarketRow, void, undefined> {
  const lastDay = epochDay(today);
  for (const product of products) {
    for (const variant of product.variants) {
      const random = sequence(variant.variantId);
      const unpriced = random() % VARIANTS_PER_UNPRICED === 0;
      const cents = unpriced ? null : priceInCents(product, variant, random());
      yield {
        variantId: variant.variantId,
        marketPrice: cents === null ? null : centsToText(cents),
        saleVolumes: saleVolumes(variant.variantId, cents, lastDay),
      };
    }
  }
}

/** Days from one made-up price of the past to the next. */
const PAST_STEP_DAYS = 28;

/** The days that made-up prices of the past are of, oldest first: back from `day` to `since` or a few days earlier. All `YYYY-MM-DD`. */
export function samplePastDays(day: string, since: string): string[] {
  const count = Math.max(0, Math.ceil((epochDay(day) - epochDay(since)) / PAST_STEP_DAYS));
  return Array.from({ length: count }, (_, i) => addDays(day, -PAST_STEP_DAYS * (count - i)));
}

/**
 * Made-up prices of so many steps that lead up to `price` (decimal text with two places), oldest first: from one to the next
 * they fall by up to 8 % or rise by up to 9 %. The same variant gives the same moves.
 */
export function samplePast(variantId: string, price: string, steps: number): string[] {
  const random = sequence(`${variantId} before`);
  let millicents = Math.round(Number(price) * 100) * 1000;
  const amounts = Array.from({ length: steps }, () => {
    millicents = Math.round((millicents * 100) / (92 + (random() % 18)));
    return centsToText(Math.max(1, Math.round(millicents / 1000)));
  });
  return amounts.reverse();
}

function priceInCents(product: CatalogueProduct, variant: CatalogueVariant, seed: number): number {
  // A tenth up or down, so that no two variants have the same price.
  const jitterPercent = 90 + (seed % 21);
  const typical =
    product.sealed === null
      ? cardCents(product, variant)
      : sealedCents(product, variant, product.sealed.productType);
  return Math.max(1, percentOf(typical, jitterPercent));
}

function cardCents(product: CatalogueProduct, variant: CatalogueVariant): number {
  const rarity = variant.rarity ?? '';
  const { percent, leastCents } = FINISH_FACTOR[variant.finish];
  // By name, not by variant: a card that is sought after is so in every printing.
  const demand = DEMAND_PERCENT[sequence(product.name)() % DEMAND_PERCENT.length]!;
  const plain = RARITY_CENTS[rarity] ?? UNKNOWN_RARITY_CENTS;
  const finished = FOIL_ONLY.has(rarity) ? plain : percentOf(plain, percent);
  const aged = percentOf(finished, agePercent(product, variant));
  return Math.max(leastCents, percentOf(aged, demand));
}

function agePercent(product: CatalogueProduct, variant: CatalogueVariant): number {
  if (variant.edition === 'Unlimited') return 85;
  const year = releaseYear(product);
  const old = variant.edition === '1st' && year <= 2020;
  if (old && variant.finish === 'Cold Foil') return year <= 2019 ? 1_500 : 500;
  if (old) return year <= 2019 ? 350 : 180;
  return variant.edition === '1st' ? 120 : 100;
}

function sealedCents(product: CatalogueProduct, variant: CatalogueVariant, productType: ProductType): number {
  const year = releaseYear(product);
  const byYear = variant.edition === '1st' ? FIRST_EDITION_BOX : BOX_BY_YEAR;
  const box = byYear[year] ?? RECENT_BOX;
  if (productType === 'Box') return box;
  // Single packs cost a little more, whole cases a little less.
  if (productType === 'Pack') return percentOf(Math.round(box / PACKS_PER_BOX), 120);
  return percentOf(box * BOXES_PER_CASE, 96);
}

/** Promos and decks of unknown date count as recent. */
function releaseYear(product: CatalogueProduct): number {
  return product.releaseDate === null ? Number.POSITIVE_INFINITY : Number(product.releaseDate.slice(0, 4));
}

function saleVolumes(variantId: string, cents: number | null, lastDay: number): number[] {
  const volumes: number[] = [];
  for (let day = lastDay - SALE_DAYS + 1; day <= lastDay; day++) {
    volumes.push(cents === null ? 0 : salesOn(variantId, cents, day));
  }
  return volumes;
}

/** Between none and twice the usual number, rounded by chance so that rare sales happen on some days. */
function salesOn(variantId: string, cents: number, day: number): number {
  const { hundredths } = DAILY_SALES.find(({ belowCents }) => cents < belowCents)!;
  const random = sequence(`${variantId}@${day}`);
  const wanted = Math.floor((hundredths * (random() % 201)) / 100);
  return Math.floor((wanted + (random() % 100)) / 100);
}

function percentOf(cents: number, percent: number): number {
  return Math.round((cents * percent) / 100);
}

function centsToText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function epochDay(date: string): number {
  if (!isCalendarDate(date)) throw new Error(`"${date}" is not a calendar date; give one as YYYY-MM-DD`);
  return Date.parse(`${date}T00:00:00Z`) / DAY_MILLISECONDS;
}

/** Whole numbers from 0 to 2^32 − 1 that depend on the seed alone: FNV-1a, then the finaliser of MurmurHash3. */
function sequence(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}
