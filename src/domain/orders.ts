/** The orders of the five lists, by the contract's names (docs/decisions.md#orders). */

export const COLLECTION_SORTS = ['Chronological', 'Alphabetical', 'Value', 'PercentageGain'] as const;
export type CollectionSort = (typeof COLLECTION_SORTS)[number];

export const TRANSACTION_SORTS = ['Chronological', 'Alphabetical'] as const;
export type TransactionSort = (typeof TRANSACTION_SORTS)[number];

/** `Chronological`, the order of the first transaction, is there because the contract's own example sends it. */
export const SUMMARY_SORTS = [
  'Alphabetical',
  'MarketValue',
  'UnitValue',
  'Gain',
  'Quantity',
  'CardNumber',
  'PercentageGain',
  'Chronological',
] as const;
export type SummarySort = (typeof SUMMARY_SORTS)[number];

/** GraphQL's alone: the contract's search is by relevance. */
export const PRODUCT_SORTS = ['Relevance', 'Number', 'Name', 'Price', 'Release', 'Volume'] as const;
export type ProductSort = (typeof PRODUCT_SORTS)[number];

export const PRODUCT_EV_SORTS = [
  'HighestEstimatedValue',
  'LowestEstimatedValue',
  'HighestMarketPrice',
  'LowestMarketPrice',
  'MarketPriceDeltaPositive',
  'MarketPriceDeltaNegative',
  'NewestReleaseDate',
  'OldestReleaseDate',
] as const;
export type ProductEvSort = (typeof PRODUCT_EV_SORTS)[number];

/** The order of each list where none is said. */
export const DEFAULT_SORTS = {
  collections: 'Chronological',
  transactions: 'Chronological',
  summaries: 'Alphabetical',
  products: 'Relevance',
  productEvs: 'OldestReleaseDate',
} as const;
