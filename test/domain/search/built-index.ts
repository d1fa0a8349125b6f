import type { SearchEntry, SearchVariant } from '../../../src/domain/search/entries.ts';
import { type SearchIndex, searchIndex } from '../../../src/domain/search/search-index.ts';
import { SearchMarket } from '../../../src/domain/search/search-market.ts';
import { searchTexts } from '../../../src/domain/search/search-texts.ts';
import { atOnce } from '../../../src/lib/parts.ts';

/** A card with its market. */
export interface SearchCard extends SearchEntry {
  variants: readonly PricedVariant[];
  sales30: number;
}

export interface PricedVariant extends SearchVariant {
  /** In US dollars. */
  price: string | null;
  eur: string | null;
}

export function buildSearchIndex(cards: readonly SearchCard[]): SearchIndex {
  const texts = atOnce(searchTexts(cards));
  // All that is sold is the first variant.
  const markets = new Map(
    cards.flatMap(({ variants, sales30 }) =>
      variants.map(({ variantId, price, eur }, i) => [
        variantId,
        { price, eur, sales30: i === 0 ? sales30 : 0 },
      ]),
    ),
  );
  const { entries, printings } = texts;
  const market = SearchMarket.of(entries.variantIds, printings.starts, (id) => markets.get(id)!);
  return searchIndex(texts, atOnce(market));
}
