import { countedInParts, type Parts, sortedInParts } from '../../lib/parts.ts';
import { COMPARISONS, scaled } from './field-search.ts';
import { type Found, type Hit, ofVariantsWhere, type VariantStarts } from './found.ts';
import type { Operator } from './query.ts';
import type { DocumentOrder, Ranks } from './ranks.ts';

/** What the search looks at of a variant's market. */
export interface VariantMarket {
  /** Market prices in US dollars and in euros, in plain decimal notation. */
  price: string | null;
  eur: string | null;
  /** Of the last 30 days. */
  sales30: number;
}

/** What changes with the market alone: the prices of variants, and which products sell best. */
export class SearchMarket {
  /** The documents by their sales, then as they are. */
  readonly popularity: DocumentOrder;
  /** Of 30 days, by document. */
  readonly sales: Float64Array;
  /** The documents in orders that were asked for (product-orders.ts). */
  readonly sorted = new Map<string, readonly number[]>();
  readonly #starts: VariantStarts;
  readonly #prices: Record<'price' | 'eur', Float64Array>;

  private constructor(
    popularity: DocumentOrder,
    sales: Float64Array,
    starts: VariantStarts,
    prices: Record<'price' | 'eur', Float64Array>,
  ) {
    this.popularity = popularity;
    this.sales = sales;
    this.#starts = starts;
    this.#prices = prices;
  }

  /**
   * To be made again when prices, rates or sales change.
   * @param variantIds those of a text index
   */
  static *of(
    variantIds: readonly string[],
    starts: VariantStarts,
    marketOf: (variantId: string) => VariantMarket,
  ): Parts<SearchMarket> {
    const prices = {
      price: new Float64Array(variantIds.length),
      eur: new Float64Array(variantIds.length),
    };
    const sales = new Float64Array(starts.length - 1);
    let document = 0;
    yield* countedInParts(variantIds.length, (variant) => {
      const { price, eur, sales30 } = marketOf(variantIds[variant]!);
      prices.price[variant] = scaled(price);
      prices.eur[variant] = scaled(eur);
      while (starts[document + 1]! <= variant) document++;
      sales[document]! += sales30;
    });
    return new SearchMarket(yield* bySales(sales), sales, starts, prices);
  }

  /** The price of the first of the variants that has one which compares so, or null. */
  meantPrice(
    { field, operator, value }: { field: 'price' | 'eur'; operator: Operator; value: string },
    { variants }: Hit,
  ): number | null {
    const meant = variants
      .map((variant) => this.#prices[field][variant]!)
      .find((price) => !Number.isNaN(price) && COMPARISONS[operator](price, scaled(value)));
    return meant === undefined ? null : (meant - (meant % 2)) / scaled('1');
  }

  /** What a price in US dollars is compared by, of the cheapest variant; -Infinity where none has a price. */
  cheapest(document: number): number {
    let cheapest = Number.POSITIVE_INFINITY;
    for (let i = this.#starts[document]!; i < this.#starts[document + 1]!; i++) {
      const price = this.#prices.price[i]!;
      if (price < cheapest) cheapest = price;
    }
    return cheapest === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : cheapest;
  }

  /** The variants whose price compares so; one without a price matches nothing. */
  rankPrice(field: 'price' | 'eur', operator: Operator, value: string, within: Ranks | null): Found {
    const wanted = scaled(value);
    const holds = COMPARISONS[operator];
    const prices = this.#prices[field];
    const isMeant = (variant: number) => !Number.isNaN(prices[variant]!) && holds(prices[variant]!, wanted);
    return ofVariantsWhere(isMeant, this.#starts, within);
  }
}

function* bySales(sales: Float64Array): Parts<DocumentOrder> {
  const documents = yield* sortedInParts([...sales.keys()], (a, b) => sales[b]! - sales[a]!);
  const positions = new Uint32Array(documents.length);
  yield* countedInParts(documents.length, (position) => {
    positions[documents[position]!] = position;
  });
  return { documents: Uint32Array.from(documents), positions };
}
