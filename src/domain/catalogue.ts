/** The catalogue's vocabulary: what the shipped file holds, what importers produce and what the EV engine reads. */

/** `null` where the set was printed in one edition only. */
export const EDITIONS = ['1st', 'Unlimited'] as const;
export type Edition = (typeof EDITIONS)[number];

export const FINISHES = ['Normal', 'Rainbow Foil', 'Cold Foil', 'Gold Foil'] as const;
export type Finish = (typeof FINISHES)[number];

export const PRODUCT_TYPES = ['Pack', 'Box', 'Case'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** One finish and edition of a product. Exactly one of a printing's fields decides each: see docs/decisions.md#products-and-variants. */
export interface CatalogueVariant {
  /** `var_…`, the same on every installation that imports the same catalogue. */
  variantId: string;
  /** As the vendor prints it, e.g. `1st Edition Rainbow Foil`. */
  variantName: string;
  /** The catalogue's own printing code, unique to a variant, e.g. `WTR001-Alpha`. */
  fcId: string;
  edition: Edition | null;
  finish: Finish;
  /** The printing's rarity in full, e.g. `Majestic`; null for sealed products. */
  rarity: string | null;
  /** True for printings of a set's expansion slot. */
  isExpansionSlot: boolean;
  /** e.g. `Extended Art`; mostly none. */
  treatments: string[];
  /** Of both sides. */
  artists: string[];
}

/** What a side of a card says besides its name and text; joined by ", " where there are several. */
export interface CardFace {
  cardType: string | null;
  cardSubType: string | null;
  class: string | null;
  talent: string | null;
  cost: string | null;
  defenseValue: string | null;
  pitchValue: string | null;
  power: string | null;
  intellect: string | null;
  life: string | null;
}

/** Names of formats, in full. */
export interface Legality {
  legal: string[];
  banned: string[];
  restricted: string[];
}

/** A vendor product: one printing of one card in one set and edition family, or a sealed product. */
export interface CatalogueProduct extends CardFace {
  /** `prd_…`, stable across re-imports. */
  productId: string;
  /** Null where the vendor does not list the card. */
  vendorProductId: number | null;
  name: string;
  number: string | null;
  /** The other numbers that are printed on it: of its back, and of cards that the vendor sells as the same. */
  otherNumbers: string[];
  imageUrl: string;
  /** Functional text in Markdown; empty where there is none. */
  description: string;
  /** e.g. `WTR`. */
  setCode: string;
  setName: string;
  /** `YYYY-MM-DD`, null where unknown. */
  releaseDate: string | null;
  /** Null for cards. */
  sealed: { setType: string; productType: ProductType } | null;
  rarity: string | null;
  /** The sides besides the main one. */
  otherFaces: CardFace[];
  /** Of all sides, e.g. `Go again`. */
  keywords: string[];
  /** Null for what is no card, and where the source does not tell. */
  legality: Legality | null;
  variants: CatalogueVariant[];
}
