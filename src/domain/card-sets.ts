import { groupBy } from '../lib/lists.ts';
import type { ProductType } from './catalogue.ts';

/** What a set is sold as: in boosters, as a deck, given away, or in another way. */
export const SET_KINDS = ['Booster', 'Deck', 'Promo', 'Other'] as const;
export type SetKind = (typeof SET_KINDS)[number];

/** A set of the catalogue. */
export interface CardSet {
  /** Global id, `set_…`. */
  id: string;
  /** e.g. `WTR`. */
  code: string;
  name: string;
  /** The first day on which any of it came out, `YYYY-MM-DD`; null where none is known. */
  releaseDate: string | null;
  kind: SetKind;
  /** As filters take them, `1st` and `Unlimited`; none where its cards have no editions. */
  editions: string[];
  /** Printings of cards, as the vendor lists them. */
  cardCount: number;
  sealedCount: number;
  /** Finishes and editions of its cards. */
  variantCount: number;
}

/** What of a product its set is made of. */
export interface SetProduct {
  setCode: string;
  setName: string;
  releaseDate: string | null;
  sealedProductType: ProductType | null;
  variants: readonly { edition: string | null }[];
}

const DECK_NAME = /\bDeck\b|^(1st Strike|Classic Battles|Round the Table)\b/;
const PROMO_NAME = /^(Promos|GEM|Tournament Pack)$/;

/** The sets of all products, by their codes. */
export function cardSets(products: Iterable<SetProduct>): CardSet[] {
  const byCode = groupBy(products, ({ setCode }) => setCode);
  return [...byCode.keys()].sort().map((code) => cardSet(code, byCode.get(code)!));
}

function cardSet(code: string, products: readonly SetProduct[]): CardSet {
  const cards = products.filter(({ sealedProductType }) => sealedProductType === null);
  const variants = cards.flatMap((card) => card.variants);
  const days = products.flatMap(({ releaseDate }) => releaseDate ?? []);
  const name = products[0]!.setName;
  const hasPacks = products.some(({ sealedProductType }) => sealedProductType === 'Pack');
  return {
    id: `set_${code}`,
    code,
    name,
    releaseDate: days.sort()[0] ?? null,
    kind: hasPacks ? 'Booster' : kindOfName(name),
    editions: [...new Set(variants.flatMap(({ edition }) => edition ?? []))].sort(),
    cardCount: cards.length,
    sealedCount: products.length - cards.length,
    variantCount: variants.length,
  };
}

function kindOfName(name: string): SetKind {
  if (DECK_NAME.test(name)) return 'Deck';
  return PROMO_NAME.test(name) ? 'Promo' : 'Other';
}
