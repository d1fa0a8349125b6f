/** What a collection is of: cards that one has, or that one would like to have (docs/decisions.md#wish-lists). */
export const COLLECTION_KINDS = ['Collection', 'Wishlist'] as const;
export type CollectionKind = (typeof COLLECTION_KINDS)[number];

export const NOT_VALUED = 'must not be true: what is on a wish list is not owned, and counts for no value';
export const NOT_SOLD = 'must be Purchase: nothing is sold from a wish list';
export const OF_ONE_KIND =
  'must be of the same kind as the other: what is wanted and what one has are never one; record what was bought instead';
