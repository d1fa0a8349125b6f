import { parse as parseWithPositions } from 'lossless-json';
import { z } from 'zod';
import { EDITIONS, FINISHES } from '../domain/catalogue.ts';
import type { PullRateCategory, PullRateSet } from '../domain/expected-value.ts';
import {
  compare,
  type Fraction,
  fraction,
  multiply,
  negate,
  parseFraction,
  subtract,
  sum,
  toDecimal,
  toText,
  ZERO,
} from '../domain/fraction.ts';
import { LIMITS } from '../domain/limits.ts';
import { ImportFileError, newlinesIn, sourceOf, wholeText } from './import-file.ts';

const text = z.string().min(1);
const odds = z
  .string()
  .refine(isPositiveFraction, 'must be an exact fraction above 0, such as "1/96" or "7/4"');
const poolSize = z.int().min(1).nullable();

const category = z.strictObject({
  category: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be a name without spaces, such as "RainbowFoilRare"'),
  categoryName: text,
  slot: text,
  pool: z
    .strictObject({
      finishes: z.array(z.enum(FINISHES)).min(1),
      rarities: z.array(text).min(1),
      isExpansionSlot: z.boolean().optional(),
    })
    .nullable(),
  odds: odds.nullable(),
  rate: text.nullable(),
  poolSize,
  remainder: z.literal(true).optional(),
  lowerBound: z.enum(['rarity', 'finish']).optional(),
  includes: z.array(z.strictObject({ name: text, odds, rate: text })).optional(),
  note: text.optional(),
});

const set = z.strictObject({
  setType: z.string().regex(/^[A-Za-z0-9]+$/, 'must be letters and digits, such as "Wtr1stEdition"'),
  setCode: text,
  setName: text,
  edition: z.enum(EDITIONS).nullable(),
  releaseDate: z.iso.date(),
  packsPerBox: z.int().min(1).max(1000),
  boxesPerCase: z.int().min(1).max(1000),
  packagingVerified: z.boolean(),
  source: z.url({ protocol: /^https?$/ }),
  slotTotals: z.record(text, z.strictObject({ odds, rate: text, poolSize })),
  categories: z
    .array(category)
    .min(1)
    .max(LIMITS.pullRateCategories, `must be ${LIMITS.pullRateCategories} at most`),
});

const pullRatesFile = z.strictObject({
  format: z.literal(1),
  about: z.array(z.string()).optional(),
  fields: z.record(z.string(), z.string()).optional(),
  sets: z.array(set).min(1),
});

/** No booster pack has as many cards: what is above is a slip, such as a rate per box. */
const MOST_CARDS_IN_PACK = fraction(25n);
/** Published parts of a slot are rounded: they may add up to this share more or less than its published total. */
const SLOT_TOLERANCE = parseFraction('0.05');
const MOST_ERRORS_SHOWN = 10;
/** The shipped file has 65,000. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads pull rates in our own format (data/pull-rates.json, which explains its fields). Throws an error that lists what
 * is wrong by set and category.
 */
export async function readPullRatesFile(path: string): Promise<PullRateSet[]> {
  const content = await wholeText(sourceOf(path), MOST_CHARACTERS).catch((error: Error) =>
    fail(path, [error instanceof ImportFileError ? `line ${error.line}: ${error.problem}` : error.message]),
  );
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    return fail(path, [`it is not JSON${lineOfError(content)} (${(error as Error).message})`]);
  }
  const file = pullRatesFile.safeParse(json);
  if (!file.success) {
    return fail(
      path,
      file.error.issues.map(({ path: place, message }) => `${describePlace(json, place)}: ${message}`),
    );
  }
  const breaches = [
    ...repeated(file.data.sets.map((entry) => entry.setType)).map((name) => `set ${name} is there twice`),
    ...file.data.sets.flatMap((entry) =>
      breachesOf(entry).map((breach) => `set ${entry.setType}, ${breach}`),
    ),
  ];
  return breaches.length > 0 ? fail(path, breaches) : file.data.sets;
}

/** Where JSON breaks; the error of `JSON.parse` does not always say. */
function lineOfError(content: string): string {
  try {
    parseWithPositions(content);
    return '';
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    return position === undefined ? '' : `, line ${1 + newlinesIn(content.slice(0, Number(position)))}`;
  }
}

function fail(path: string, problems: string[]): never {
  const more = problems.length - MOST_ERRORS_SHOWN;
  const shown = problems.slice(0, MOST_ERRORS_SHOWN);
  if (more > 0) shown.push(`and ${more} more`);
  const mend = 'Correct the file and import it again; data/pull-rates.json explains the format.';
  throw new Error(`Cannot read the pull rates in ${path}: ${shown.join('; ')}. ${mend}`);
}

/** e.g. `set Wtr1stEdition, category Majestic, odds` for the path sets.0.categories.2.odds. */
function describePlace(json: unknown, place: PropertyKey[]): string {
  let value = json;
  const words = place.flatMap((key, depth) => {
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
    const { setType, category } = (value ?? {}) as Partial<PullRateSet & PullRateCategory>;
    if (setType) return [`set ${setType}`];
    if (category) return [`category ${category}`];
    const isListName = typeof place[depth + 1] === 'number';
    return isListName && (key === 'sets' || key === 'categories') ? [] : [String(key)];
  });
  return words.join(', ') || 'the file';
}

function breachesOf(entry: PullRateSet): string[] {
  const cards = total(entry.categories);
  const breaches = repeated(entry.categories.map(({ category }) => category)).map(
    (name) => `category ${name} is there twice`,
  );
  if (compare(cards, MOST_CARDS_IN_PACK) > 0) {
    breaches.push(`categories: their odds add up to ${toDecimal(cards, 2)} cards in a pack`);
  }
  for (const rates of entry.categories) {
    if (rates.remainder && !entry.slotTotals[rates.slot]) {
      breaches.push(`category ${rates.category}: slot ${rates.slot} has no total to be the remainder of`);
    }
    if (rates.includes && compare(total(rates.includes), parseFraction(rates.odds ?? '0')) > 0) {
      breaches.push(`category ${rates.category}: what it includes is more than its own odds`);
    }
  }
  return [...breaches, ...slotBreaches(entry)];
}

function slotBreaches({ slotTotals, categories }: PullRateSet): string[] {
  return Object.entries(slotTotals).flatMap(([slot, published]) => {
    const parts = categories.filter((rates) => rates.slot === slot);
    const remainders = parts.filter((rates) => rates.remainder).length;
    if (remainders > 1) return [`slot ${slot}: ${remainders} categories claim to be its remainder`];
    const expected = parseFraction(published.odds);
    const excess = subtract(total(parts), expected);
    const allowed = remainders === 1 ? ZERO : multiply(expected, SLOT_TOLERANCE);
    const sane = isWithin(excess, allowed);
    const sums = `its categories add up to ${toText(total(parts))}, and its total is ${published.odds}`;
    return sane ? [] : [`slot ${slot}: ${sums}`];
  });
}

function total(rates: readonly { odds: string | null }[]): Fraction {
  return sum(rates.flatMap((rate) => (rate.odds === null ? [] : [parseFraction(rate.odds)])));
}

function isWithin(value: Fraction, limit: Fraction): boolean {
  return compare(value, limit) <= 0 && compare(negate(value), limit) <= 0;
}

function isPositiveFraction(value: string): boolean {
  try {
    return parseFraction(value).numerator > 0n;
  } catch {
    return false;
  }
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, position) => names.indexOf(name) !== position))];
}
