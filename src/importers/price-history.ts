import { basename } from 'node:path';
import { z } from 'zod';
import {
  type ByteSource,
  checkedRows,
  ImportFileError,
  type RowPlace,
  type Rows,
  sourceOf,
} from './import-file.ts';
import { jsonItems } from './json-items.ts';
import { amountField, dayField, firstProblem, isVendorId, quantityField } from './values.ts';

/** What a file of price-history buckets says of a variant. */
export interface VariantHistory {
  place: RowPlace;
  vendorProductId: number;
  variantName: string;
  /** Days that each bucket covers: 1, or more in the files for longer times. */
  bucketDays: number;
  /** Ascending. */
  buckets: HistoryBucket[];
}

export interface HistoryBucket {
  day: string;
  /** Sold of all conditions and languages. */
  sold: number;
  /** In US dollars, of near mint English ones; null where it is not known. */
  price: string | null;
}

/** Nobody keeps more variants, conditions and languages of one product, or more buckets. */
const MOST_RESULTS = 1000;
const MOST_BUCKETS = 1000;

const historyItem = z.object({
  variant: z.string().min(1),
  condition: z.string().min(1),
  language: z.string().min(1),
  buckets: z
    .array(
      z.object({
        bucketStartDate: dayField,
        marketPrice: amountField.nullable(),
        quantitySold: quantityField,
      }),
    )
    .max(MOST_BUCKETS),
});

type HistoryItem = z.infer<typeof historyItem>;

/**
 * Reads the price-history buckets of one product. Which one, the file does not say: it is named after the vendor's
 * product id, as in `225211.json`, or the id is given. Throws an `ImportFileError` for what is broken.
 */
export async function readPriceHistory(
  input: string | ByteSource,
  vendorProductId: number | null = null,
): Promise<Rows<VariantHistory>> {
  const source = sourceOf(input);
  const id = vendorProductId ?? idInName(source);
  return checkedRows(() => histories(source, id));
}

function idInName({ name }: ByteSource): number {
  const id = /^(\d+)(?:\.0)?\.json$/.exec(basename(name))?.[1];
  if (id !== undefined && isVendorId(id)) return Number(id);
  const advice = 'name the file after it, as in 225211.json, or give it with --product';
  throw new ImportFileError(name, 1, `which product is it? The file says no vendor product id; ${advice}`);
}

async function* histories(source: ByteSource, vendorProductId: number): AsyncGenerator<VariantHistory> {
  const variants = new Map<string, VariantHistoryBuilder>();
  const seen = new Set<string>();
  for await (const { line, value } of jsonItems(source, 'result')) {
    const result = historyItem.safeParse(value);
    if (!result.success) throw new ImportFileError(source.name, line, firstProblem(result.error));
    const item = result.data;
    const kind = `${item.variant}, ${item.condition}, ${item.language}`;
    if (seen.has(kind)) throw new ImportFileError(source.name, line, `${kind} is there twice`);
    if (seen.add(kind).size > MOST_RESULTS) {
      throw new ImportFileError(source.name, line, `the product has more than ${MOST_RESULTS} results`);
    }
    const builder = variants.get(item.variant) ?? new VariantHistoryBuilder({ file: source.name, line });
    variants.set(item.variant, builder);
    builder.add(item, line);
  }
  const bucketDays = bucketDaysOf([...variants.values()].flatMap(({ days }) => days));
  for (const [variantName, { place, buckets }] of variants) {
    if (buckets.length > 0) yield { place, vendorProductId, variantName, bucketDays, buckets };
  }
}

class VariantHistoryBuilder {
  readonly place: RowPlace;
  private readonly byDay = new Map<string, HistoryBucket>();

  constructor(place: RowPlace) {
    this.place = place;
  }

  add(item: HistoryItem, line: number): void {
    const isPriced = item.condition === 'Near Mint' && item.language === 'English';
    const own = new Set<string>();
    for (const { bucketStartDate: day, quantitySold, marketPrice } of item.buckets) {
      if (own.has(day))
        throw new ImportFileError(this.place.file, line, `the bucket of ${day} is there twice`);
      own.add(day);
      const bucket = this.byDay.get(day) ?? { day, sold: 0, price: null };
      bucket.sold += quantitySold;
      // The vendor gives 0 where it has no market price.
      if (isPriced && marketPrice !== null && Number(marketPrice) > 0) bucket.price = marketPrice;
      this.byDay.set(day, bucket);
    }
  }

  get days(): string[] {
    return [...this.byDay.keys()];
  }

  get buckets(): HistoryBucket[] {
    return [...this.byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  }
}

const DAY_MILLIS = 86_400_000;

/** The shortest distance between two buckets; 1 where there is one bucket only. */
function bucketDaysOf(days: readonly string[]): number {
  const numbers = [...new Set(days)].map((day) => Date.parse(day) / DAY_MILLIS).sort((a, b) => a - b);
  const distances = numbers.slice(1).map((day, i) => day - numbers[i]!);
  return distances.length === 0 ? 1 : Math.min(...distances);
}
