import type { SearchEntry } from './entries.ts';
import { COMPARISONS, scaled } from './field-search.ts';
import { type Found, ofVariantsWhere, type VariantStarts } from './found.ts';
import type { Operator } from './query.ts';
import type { DocumentOrder, Ranks } from './ranks.ts';

/** What changes with the market alone: the prices of variants, and which products sell best. */
export class MarketValues {
  /** The documents by their sales, then as they are. */
  readonly order: DocumentOrder;
  readonly #prices: Record<'price' | 'eur', Float64Array>;

  constructor(entries: readonly SearchEntry[]) {
    this.order = bySales(entries);
    const variants = entries.flatMap(({ variants }) => variants);
    this.#prices = {
      price: Float64Array.from(variants, ({ price }) => scaled(price)),
      eur: Float64Array.from(variants, ({ eur }) => scaled(eur)),
    };
  }

  /** The variants whose price compares so; one without a price matches nothing. */
  rankPrice(
    field: 'price' | 'eur',
    operator: Operator,
    value: string,
    starts: VariantStarts,
    within: Ranks | null,
  ): Found {
    const wanted = scaled(value);
    const holds = COMPARISONS[operator];
    const prices = this.#prices[field];
    const isMeant = (variant: number) => !Number.isNaN(prices[variant]!) && holds(prices[variant]!, wanted);
    return ofVariantsWhere(isMeant, starts, within);
  }
}

function bySales(entries: readonly SearchEntry[]): DocumentOrder {
  const documents = Uint32Array.from(entries.keys()).sort(
    (a, b) => entries[b]!.sales30 - entries[a]!.sales30 || a - b,
  );
  const positions = new Uint32Array(documents.length);
  for (const [position, document] of documents.entries()) positions[document] = position;
  return { documents, positions };
}
