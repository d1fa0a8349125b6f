/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What a transaction does. */
export type Action =
  /** Cards come in, money goes out. */
  | 'PURCHASE'
  /** Cards go out, money comes in. */
  | 'SALE';

/** How well cards are kept. */
export type CardCondition =
  /** Damaged. */
  | 'DAMAGED'
  /** Heavily played. */
  | 'HEAVILY_PLAYED'
  /** Lightly played. */
  | 'LIGHTLY_PLAYED'
  /** Moderately played. */
  | 'MODERATELY_PLAYED'
  /** Near mint, or better. */
  | 'NEAR_MINT';

/** Where a value moves. */
export type ChangeDirection =
  /** It falls. */
  | 'DOWN'
  /** It rises or falls. */
  | 'EITHER'
  /** It rises. */
  | 'UP';

/** What happened to a collection. */
export type CollectionChangeKind =
  /** It was deleted. No more changes follow. */
  | 'DELETED'
  /** Market prices, exchange rates or preferences gave its amounts, and those of all in it, new values. */
  | 'REVALUED'
  /** Transactions were recorded in it, or moved to it. */
  | 'TRANSACTIONS_CREATED'
  /** A transaction in it was deleted, or some were moved to another collection. */
  | 'TRANSACTION_DELETED'
  /** A transaction in it was changed. */
  | 'TRANSACTION_UPDATED'
  /** Its own fields were changed. */
  | 'UPDATED';

/** What a collection is of. */
export type CollectionKind =
  /** Cards that you have. */
  | 'COLLECTION'
  /** Cards that you would like to have; they count for no value, and nothing is sold. */
  | 'WISHLIST';

/** What createCollection needs. */
export type CreateCollectionInput = {
  /** What it is for good; a collection where nothing is said. */
  collectionKind?: CollectionKind | null | undefined;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /** 1 to 100 characters. */
  name: string;
  /** Whether it counts for the dashboard; not where it is left out. */
  valued?: boolean | null | undefined;
};

/** What createPriceAlert needs. */
export type CreatePriceAlertInput = {
  /**
   * For `ABOVE` and `BELOW`: the amount, in any currency.
   * @deprecated Use `when` instead. Removed after 2027-05-31.
   */
  amount?: MoneyInput | null | undefined;
  /**
   * What it waits for.
   * @deprecated Use `when` instead. Removed after 2027-05-31.
   */
  condition?: PriceAlertCondition | null | undefined;
  /**
   * For `CHANGE`: over how many days, 1 to 365.
   * @deprecated Use `when.change` instead. Removed after 2027-05-31.
   */
  days?: number | null | undefined;
  /**
   * For `CHANGE`: `EITHER` where it is left out.
   * @deprecated Use `when.change` instead. Removed after 2027-05-31.
   */
  direction?: ChangeDirection | null | undefined;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /**
   * For `CHANGE`: percent, 0.01 to 10,000 with at most 2 decimals; at most 100 for a fall.
   * @deprecated Use `when.change` instead. Removed after 2027-05-31.
   */
  percent?: number | null | undefined;
  /** The variant or the collection that it is on. */
  targetId: string;
  /** What it waits for. Required, unless the deprecated fields are given in its place. */
  when?: PriceAlertWhenInput | null | undefined;
};

/** What createTransaction needs. */
export type CreateTransactionInput = {
  /** Purchase or sale. */
  action: Action;
  /** Of the cards. It changes no price. */
  cardCondition?: CardCondition | null | undefined;
  /** Where it is recorded. */
  collectionId: string;
  /** Of a purchase whose price nobody knows: `unitAmount` is 0, and no gain is made of it. */
  costUnknown?: boolean | null | undefined;
  /** Fees of the whole transaction, in the currency of `unitAmount`: part of the cost of a purchase, taken from the proceeds of a sale. */
  fees?: MoneyInput | null | undefined;
  /** Of the cards. It changes no price. */
  grade?: GradeInput | null | undefined;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /** That the cards are printed in. It changes no price. */
  language?: Language | null | undefined;
  /** Up to 500 characters. */
  notes?: string | null | undefined;
  /** From 1970-01-01 to tomorrow in UTC. */
  occurredDate: string;
  /** Number of cards, 1 to 1,000,000. */
  quantity: number;
  /** Shipping of the whole transaction, which counts as `fees` do. */
  shipping?: MoneyInput | null | undefined;
  /** Up to 10, each of 1 to 30 characters without commas and semicolons. */
  tags?: Array<string> | null | undefined;
  /** Price of one card. */
  unitAmount: MoneyInput;
  /** What was bought or sold. */
  variantId: string;
};

/** ISO 4217 code of a currency with a known exchange rate. */
export type Currency =
  /** Australian Dollar. */
  | 'AUD'
  /** Brazilian Real. */
  | 'BRL'
  /** Canadian Dollar. */
  | 'CAD'
  /** Swiss Franc. */
  | 'CHF'
  /** Chinese Yuan. */
  | 'CNY'
  /** Czech Koruna. */
  | 'CZK'
  /** Danish Krone. */
  | 'DKK'
  /** Euro. */
  | 'EUR'
  /** British Pound. */
  | 'GBP'
  /** Hong Kong Dollar. */
  | 'HKD'
  /** Hungarian Forint. */
  | 'HUF'
  /** Indonesian Rupiah. */
  | 'IDR'
  /** Israeli New Shekel. */
  | 'ILS'
  /** Indian Rupee. */
  | 'INR'
  /** Icelandic Króna. */
  | 'ISK'
  /** Japanese Yen. */
  | 'JPY'
  /** South Korean Won. */
  | 'KRW'
  /** Mexican Peso. */
  | 'MXN'
  /** Malaysian Ringgit. */
  | 'MYR'
  /** Norwegian Krone. */
  | 'NOK'
  /** New Zealand Dollar. */
  | 'NZD'
  /** Philippine Peso. */
  | 'PHP'
  /** Polish Zloty. */
  | 'PLN'
  /** Romanian Leu. */
  | 'RON'
  /** Swedish Krona. */
  | 'SEK'
  /** Singapore Dollar. */
  | 'SGD'
  /** Thai Baht. */
  | 'THB'
  /** Turkish Lira. */
  | 'TRY'
  /** US Dollar. */
  | 'USD'
  /** South African Rand. */
  | 'ZAR';

/** What comes first in a day that is written with the year last. */
export type DateOrder =
  /** As in 3/2/2025 for the third of February. */
  | 'DAY_MONTH_YEAR'
  /** As in 3/2/2025 for the second of March. */
  | 'MONTH_DAY_YEAR';

/** What stands before the decimals of an amount; the other one, spaces and apostrophes set thousands apart. */
export type DecimalSign =
  /** As in 1.234,50. */
  | 'COMMA'
  /** As in 1,234.50. */
  | 'POINT';

/** What deletePriceAlert needs. */
export type DeletePriceAlertInput = {
  /** Its id. */
  id: string;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
};

/** What deleteTransaction needs. */
export type DeleteTransactionInput = {
  /** Its id. */
  id: string;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
};

/** What a company that grades cards says of one. */
export type GradeInput = {
  /** The number of its certificate, 1 to 50 characters. */
  certificate?: string | null | undefined;
  /** Who graded it, 1 to 20 characters, such as `PSA`. */
  company: string;
  /** As it writes it, 1 to 20 characters, such as `9.5`. */
  grade: string;
};

/** Names of columns in the header of a file, by what they hold: how many, one of those that tell the card, and what else there is. */
export type ImportColumnsInput = {
  /** Purchase or Sale; a purchase where it is left out or empty. */
  action?: string | null | undefined;
  /** How well the cards are kept, such as "Near Mint" or "NM". */
  cardCondition?: string | null | undefined;
  /** The number of the certificate. */
  certificate?: string | null | undefined;
  /** The code of its currency. */
  currency?: string | null | undefined;
  /** Tells the card: the printing code of the catalogue. */
  fcId?: string | null | undefined;
  /** Fees of all cards of the row, in the same currency. */
  fees?: string | null | undefined;
  /** Their grade, such as "9.5", or with the company before it "PSA 9.5". */
  grade?: string | null | undefined;
  /** Who graded them; it may stand before the grade, too. */
  gradeCompany?: string | null | undefined;
  /** Their language, such as "English" or "EN". */
  language?: string | null | undefined;
  /** Text of yours. */
  notes?: string | null | undefined;
  /** Tells the card: its number, such as ARC159. */
  number?: string | null | undefined;
  /** The day. */
  occurredDate?: string | null | undefined;
  /** Tells the card: its name. */
  productName?: string | null | undefined;
  /** How many; rows with 0 or nothing are left out. */
  quantity: string;
  /** The name of the set. */
  setName?: string | null | undefined;
  /** Shipping of all cards of the row, in the same currency. */
  shipping?: string | null | undefined;
  /** Words of yours, with commas or semicolons between them. */
  tags?: string | null | undefined;
  /** The price of one card. */
  unitAmount?: string | null | undefined;
  /** Tells the card: the id of the variant. */
  variantId?: string | null | undefined;
  /** Edition and finish, such as "1st Edition Rainbow Foil", "Foil" or "Normal". */
  variantName?: string | null | undefined;
  /** Tells the card: TCGplayer's id of the product. */
  vendorProductId?: string | null | undefined;
};

/** What cards cost of which a file of transactions has no price. */
export type ImportCost =
  /** Each row must have one, unless `unitAmount` is given. */
  | 'AS_FILED'
  /** They cost the `unitAmount` that is given. */
  | 'FLAT'
  /** What they were worth on their day. A row whose card has no known price then is an error. */
  | 'MARKET_PRICE'
  /** Nobody knows: no gain is made of them. */
  | 'UNKNOWN';

/** What importTransactions needs. */
export type ImportTransactionsInput = {
  /** Where they are recorded. */
  collectionId: string;
  /** The columns of a file that is of no format, by what they hold. */
  columns?: ImportColumnsInput | null | undefined;
  /** What cards cost of which the file has no price; `AS_FILED` where it is left out. */
  cost?: ImportCost | null | undefined;
  /** The text of the file. */
  csv: string;
  /** Currency of prices that name none. */
  currency?: Currency | null | undefined;
  /** Of days such as 3/2/2025; YYYY-MM-DD needs none. */
  dateOrder?: DateOrder | null | undefined;
  /** Before the decimals of prices, so that 1,234.50 or 1.234,50 can be read. */
  decimalSign?: DecimalSign | null | undefined;
  /** Only report, and write nothing. */
  dryRun?: boolean | null | undefined;
  /** Its format; where it is left out, the header tells. */
  format?: TransactionFormat | null | undefined;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /** Day of rows that have none. */
  occurredDate?: string | null | undefined;
  /** Price of one card in rows that have none. */
  unitAmount?: MoneyInput | null | undefined;
};

/** Distances between the points of a history. */
export type Interval =
  /** Every day. */
  | 'DAY'
  /** The last day of every month, and the last day asked for. */
  | 'MONTH'
  /** Every Sunday, and the last day asked for. */
  | 'WEEK';

/** A language that the game is printed in (ISO 639-1). */
export type Language =
  /** German. */
  | 'DE'
  /** English. */
  | 'EN'
  /** Spanish. */
  | 'ES'
  /** French. */
  | 'FR'
  /** Italian. */
  | 'IT'
  /** Japanese. */
  | 'JA';

/** An amount of money: a currency, and a `value` or a `decimal`. */
export type MoneyInput = {
  /** ISO 4217 code. */
  currency: Currency;
  /** The same as decimal text, e.g. `9.99`, in place of `value`. */
  decimal?: string | null | undefined;
  /** From 0 to 1,000,000,000 with at most 4 decimals; unless `decimal` is given. */
  value?: number | null | undefined;
};

/** By what a move is more than another. */
export type MoverMeasure =
  /** By the amount, of all that is held. */
  | 'AMOUNT'
  /** By the percentage of the price. */
  | 'PERCENTAGE';

/** A time over which prices move. */
export type MoverPeriod =
  /** Over one day. */
  | 'DAY'
  /** Over 30 days. */
  | 'MONTH'
  /** Over 7 days. */
  | 'WEEK'
  /** Over 365 days. */
  | 'YEAR';

/** What a price alert waits for. */
export type PriceAlertCondition =
  /** The value is more than an amount. */
  | 'ABOVE'
  /** The value is less than an amount. */
  | 'BELOW'
  /** The value has moved by a percentage or more, against that of some days before. */
  | 'CHANGE';

/** What a price alert waits for. */
export type PriceAlertWhenInput =
  {   /** The value is more than this, in any currency. */
  above: MoneyInput; below?: never; change?: never; }
  |  { above?: never;   /** The value is less than this, in any currency. */
  below: MoneyInput; change?: never; }
  |  { above?: never; below?: never;   /** The value has moved by a percentage or more, against that of some days before. */
  change: PriceChangeInput; };

/** A change of a value against that of some days before. */
export type PriceChangeInput = {
  /** Counted over how many days, 1 to 365. */
  days: number;
  /** Where the value moves. */
  direction?: ChangeDirection | null | undefined;
  /** By at least how much: percent, 0.01 to 10,000 with at most 2 decimals; at most 100 for a fall. */
  percent: number;
};

/** Orders of expected values. */
export type ProductEvSort =
  /** Highest expected value first. */
  | 'HIGHEST_ESTIMATED_VALUE'
  /** Highest market price first. */
  | 'HIGHEST_MARKET_PRICE'
  /** Lowest expected value first. */
  | 'LOWEST_ESTIMATED_VALUE'
  /** Lowest market price first. */
  | 'LOWEST_MARKET_PRICE'
  /** Lowest marketPriceDelta first: most below its price. */
  | 'MARKET_PRICE_DELTA_NEGATIVE'
  /** Highest marketPriceDelta first: most above its price. */
  | 'MARKET_PRICE_DELTA_POSITIVE'
  /** Newest release date first. */
  | 'NEWEST_RELEASE_DATE'
  /** Oldest release date first. */
  | 'OLDEST_RELEASE_DATE';

/** A kind of sealed product. */
export type ProductType =
  /** A box. */
  | 'BOX'
  /** A case. */
  | 'CASE'
  /** A pack. */
  | 'PACK';

/** What a suggestion completes. */
export type SuggestionKind =
  /** A field of a filter. */
  | 'FIELD'
  /** The name of a card or of a sealed product. */
  | 'NAME'
  /** A value of a field. */
  | 'VALUE';

/** Formats of files with transactions; each is known by its header. */
export type TransactionFormat =
  /** The collection of Archidekt. */
  | 'ARCHIDEKT'
  /** This service's own, as it is exported. */
  | 'CARDLEDGER'
  /** The portfolio of Collectr. */
  | 'COLLECTR'
  /** Any other file with a header, by the columns that are named. */
  | 'COLUMNS'
  /** The collection of Dragon Shield. */
  | 'DRAGON_SHIELD'
  /** The collection of FaBrary: numbers held, without prices and days. */
  | 'FABRARY'
  /** Lines such as "3 Command and Conquer (ARC) 159", as Moxfield and others write them: without prices and days. */
  | 'LIST'
  /** The collection of ManaBox, without days. */
  | 'MANABOX'
  /** The collection or the inventory of TCGplayer: numbers held, without prices paid and days. */
  | 'TCGPLAYER';

/** Orders of transaction summaries. */
export type TransactionSummarySort =
  /** By name, without regard to case. */
  | 'ALPHABETICAL'
  /** By card number in natural order; none last. */
  | 'CARD_NUMBER'
  /** By the first transaction, oldest first. */
  | 'CHRONOLOGICAL'
  /** By gain, highest first; unknown last. */
  | 'GAIN'
  /** By market value, highest first. */
  | 'MARKET_VALUE'
  /** By percentage gain, highest first; unknown last. */
  | 'PERCENTAGE_GAIN'
  /** By quantity held, highest first. */
  | 'QUANTITY'
  /** By the market price of one card, highest first. */
  | 'UNIT_VALUE';

/** What updateCollection needs. */
export type UpdateCollectionInput = {
  /** Up to 2,000 characters. */
  description?: string | null | undefined;
  /** Its id. */
  id: string;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /** Number of a picture that the application has. */
  image?: number | null | undefined;
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** Whether it is pinned. */
  pinned?: boolean | null | undefined;
  /** Whether it counts for the dashboard. */
  valued?: boolean | null | undefined;
};

export type PriceAlertsQueryVariables = Exact<{ [key: string]: never; }>;


export type PriceAlertsQuery = { viewer: { id: string, priceAlerts: { totalCount: number, nodes: Array<{ id: string, condition: PriceAlertCondition, percent: number | null, days: number | null, direction: ChangeDirection | null, isMet: boolean, triggerCount: number, amount: { currency: Currency, decimal: string } | null, lastTrigger: { day: string, value: { currency: Currency, decimal: string } } | null, target:
          | { __typename: 'Collection', id: string, name: string }
          | { __typename: 'Variant', id: string, variantName: string, product: { id: string, name: string, number: string | null } }
         }> } } };

export type AlertFragment = { id: string, condition: PriceAlertCondition, percent: number | null, days: number | null, direction: ChangeDirection | null, isMet: boolean, triggerCount: number, amount: { currency: Currency, decimal: string } | null, lastTrigger: { day: string, value: { currency: Currency, decimal: string } } | null, target:
    | { __typename: 'Collection', id: string, name: string }
    | { __typename: 'Variant', id: string, variantName: string, product: { id: string, name: string, number: string | null } }
   };

export type CreateAlertMutationVariables = Exact<{
  input: CreatePriceAlertInput;
}>;


export type CreateAlertMutation = { createPriceAlert:
    | { __typename: 'CreatePriceAlertPayload', priceAlert: { id: string, isMet: boolean } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type DeleteAlertMutationVariables = Exact<{
  input: DeletePriceAlertInput;
}>;


export type DeleteAlertMutation = { deletePriceAlert:
    | { __typename: 'DeletePriceAlertPayload', deletedId: string }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type TriggeredSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type TriggeredSubscription = { priceAlertTriggered: { id: string, isMet: boolean, triggerCount: number, lastTrigger: { day: string, value: { currency: Currency, decimal: string } } | null, target:
      | { __typename: 'Collection', id: string, name: string }
      | { __typename: 'Variant', id: string, variantName: string, product: { id: string, name: string } }
     } };

export type HoldingsQueryVariables = Exact<{
  id: string;
  sort: TransactionSummarySort;
  reverse: boolean;
  search?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type HoldingsQuery = { collection: { id: string, name: string, quantity: number, marketValue: { currency: Currency, decimal: string }, transactionSummaries: { totalCount: number, nodes: Array<{ id: string, quantity: number, warning: string | null, gainRatio: number | null, marketValue: { currency: Currency, decimal: string }, invested: { currency: Currency, decimal: string } | null, gain: { currency: Currency, decimal: string } | null, variant: { id: string, variantName: string, marketPrice: { currency: Currency, decimal: string } | null, product: { id: string, name: string, number: string | null, imageUrl: string } } }>, pageInfo: { hasPreviousPage: boolean, hasNextPage: boolean, startCursor: string | null, endCursor: string | null } } } | null };

export type HoldingFragment = { id: string, quantity: number, warning: string | null, gainRatio: number | null, marketValue: { currency: Currency, decimal: string }, invested: { currency: Currency, decimal: string } | null, gain: { currency: Currency, decimal: string } | null, variant: { id: string, variantName: string, marketPrice: { currency: Currency, decimal: string } | null, product: { id: string, name: string, number: string | null, imageUrl: string } } };

export type SuggestQueryVariables = Exact<{
  text: string;
}>;


export type SuggestQuery = { suggest: Array<{ kind: SuggestionKind, text: string, completion: string }> };

export type ChangesSubscriptionVariables = Exact<{
  id: string;
}>;


export type ChangesSubscription = { collectionChanged: { kind: CollectionChangeKind, collectionId: string, deletedTransactionSummaryIds: Array<string>, collection: { id: string, name: string, quantity: number, marketValue: { currency: Currency, decimal: string } } | null, transactionSummaries: Array<{ id: string, quantity: number, gainRatio: number | null, marketValue: { currency: Currency, decimal: string }, invested: { currency: Currency, decimal: string } | null, gain: { currency: Currency, decimal: string } | null }> } };

export type CardQueryVariables = Exact<{
  id: string;
}>;


export type CardQuery = { product: { id: string, name: string, number: string | null, description: string, cardType: string | null, class: string | null, rarity: string | null, variants: Array<{ id: string, variantName: string, fcId: string, saleVolumes: Array<number>, marketPrice: { currency: Currency, decimal: string } | null }> } | null };

export type DashboardQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardQuery = { viewer: { id: string, name: string, preferredCurrency: Currency, dashboard: { collectionCount: number, quantity: number, gainRatio: number | null, unpriced: number, warning: string | null, marketValue: { currency: Currency, decimal: string }, invested: { currency: Currency, decimal: string } | null, gain: { currency: Currency, decimal: string } | null, profit: { currency: Currency, decimal: string } | null } } };

export type AmountFragment = { currency: Currency, decimal: string };

export type MyCollectionsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type MyCollectionsQuery = { collections: { totalCount: number, nodes: Array<{ id: string, name: string, valued: boolean, quantity: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ValueHistoryQueryVariables = Exact<{
  from: string;
  to: string;
  interval: Interval;
}>;


export type ValueHistoryQuery = { viewer: { id: string, dashboard: { valueHistory: Array<{ date: string, unpricedVariants: number, marketValue: { value: number, currency: Currency, decimal: string }, invested: { value: number, currency: Currency, decimal: string } }> | null, performance: { warning: string | null, paidIn: { currency: Currency, decimal: string }, takenOut: { currency: Currency, decimal: string }, gain: { currency: Currency, decimal: string } | null, timeWeightedReturn: { value: number | null } } | null } } };

export type CountCollectionMutationVariables = Exact<{
  input: UpdateCollectionInput;
}>;


export type CountCollectionMutation = { updateCollection:
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'UpdateCollectionPayload', collection: { id: string, valued: boolean } }
    | { __typename: 'ValidationFailed', message: string }
   };

export type MoversQueryVariables = Exact<{
  period: MoverPeriod;
  by: MoverMeasure;
}>;


export type MoversQuery = { viewer: { id: string, dashboard: { gained: { from: string | null, to: string | null, unknownCount: number, movers: Array<{ quantity: number, changeRatio: number | null, variant: { id: string, variantName: string, product: { id: string, name: string, number: string | null, imageUrl: string } }, price: { currency: Currency, decimal: string }, change: { currency: Currency, decimal: string } }> } | null, lost: { from: string | null, to: string | null, unknownCount: number, movers: Array<{ quantity: number, changeRatio: number | null, variant: { id: string, variantName: string, product: { id: string, name: string, number: string | null, imageUrl: string } }, price: { currency: Currency, decimal: string }, change: { currency: Currency, decimal: string } }> } | null } } };

export type MovedFragment = { from: string | null, to: string | null, unknownCount: number, movers: Array<{ quantity: number, changeRatio: number | null, variant: { id: string, variantName: string, product: { id: string, name: string, number: string | null, imageUrl: string } }, price: { currency: Currency, decimal: string }, change: { currency: Currency, decimal: string } }> };

export type CollectionHistoryQueryVariables = Exact<{
  ids: Array<string> | string;
  from: string;
  to: string;
  interval: Interval;
}>;


export type CollectionHistoryQuery = { nodes: Array<
    | { id: string, name: string, valueHistory: Array<{ date: string, unpricedVariants: number, marketValue: { currency: Currency, decimal: string }, invested: { currency: Currency, decimal: string } }> | null }
    | Record<PropertyKey, never>
   | null> };

export type ImportMutationVariables = Exact<{
  input: ImportTransactionsInput;
}>;


export type ImportMutation = { importTransactions:
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'ImportTransactionsPayload', written: boolean, format: TransactionFormat, rowCount: number, transactionCount: number, errorCount: number, duplicateCount: number, oversoldCount: number, errors: Array<{ line: number, column: string | null, detail: string, suggestions: Array<{ variantId: string, fcId: string, number: string | null, productName: string, variantName: string }> }>, duplicates: Array<{ line: number, sameAsLine: number | null, sameAsTransactionId: string | null }>, oversold: Array<{ line: number, quantity: number }>, skipped: Array<{ count: number, reason: string }>, collection: { id: string, quantity: number, marketValue: { currency: Currency, decimal: string } } }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string, errors: Array<{ path: Array<string>, detail: string }> }
   };

export type FindCardsQueryVariables = Exact<{
  text: string;
}>;


export type FindCardsQuery = { products: { totalCount: number, didYouMean: string | null, nodes: Array<{ id: string, name: string, number: string | null, rarity: string | null, imageUrl: string, variants: Array<{ id: string, variantName: string, marketPrice: { currency: Currency, decimal: string } | null }> }> } | null };

export type RecordMutationVariables = Exact<{
  input: CreateTransactionInput;
}>;


export type RecordMutation = { createTransaction:
    | { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, occurred: string, quantity: number, unitAmount: { currency: Currency, decimal: string }, variant: { id: string, variantName: string, product: { id: string, name: string, number: string | null } }, collection: { id: string, quantity: number, marketValue: { currency: Currency, decimal: string } } } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type RecentQueryVariables = Exact<{
  id: string;
}>;


export type RecentQuery = { collection: { id: string, transactions: { nodes: Array<{ id: string, action: Action, occurred: string, quantity: number, unitAmount: { currency: Currency, decimal: string }, variant: { id: string, variantName: string, product: { id: string, name: string, number: string | null } } }> } } | null };

export type UndoMutationVariables = Exact<{
  input: DeleteTransactionInput;
}>;


export type UndoMutation = { deleteTransaction:
    | { __typename: 'DeleteTransactionPayload', deletedId: string }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type BeforeRecordingQueryVariables = Exact<{
  collectionId: string;
  variantId: string;
}>;


export type BeforeRecordingQuery = { collection: { id: string, name: string, transactionSummary: { id: string, quantity: number } | null } | null, variant: { id: string, variantName: string, marketPrice: { currency: Currency, decimal: string } | null, product: { id: string, name: string, number: string | null } } | null };

export type PreferredCurrencyQueryVariables = Exact<{ [key: string]: never; }>;


export type PreferredCurrencyQuery = { viewer: { id: string, preferredCurrency: Currency } };

export type SealedQueryVariables = Exact<{
  productType?: ProductType | null | undefined;
  sort: ProductEvSort;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SealedQuery = { productEvs: { totalCount: number, nodes: Array<{ id: string, setType: string, productType: ProductType, productName: string, evRatio: number | null, warning: string | null, currentEstimatedValue: { currency: Currency, decimal: string }, marketPrice: { currency: Currency, decimal: string } | null, marketPriceDelta: { currency: Currency, decimal: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ExpectedValuesQueryVariables = Exact<{ [key: string]: never; }>;


export type ExpectedValuesQuery = { productEvs: { nodes: Array<{ setType: string, productName: string, warning: string | null, currentEstimatedValue: { value: number, currency: Currency }, marketPrice: { value: number } | null, marketPriceDelta: { value: number } }> }, evBreakdown: { productName: string, warning: string | null, currentEstimatedValue: { value: number, currency: Currency }, categories: Array<{ categoryName: string, multiplier: number, averageMarketPrice: { value: number }, contributedValue: { value: number } }> } | null };

export type BreakdownQueryVariables = Exact<{
  setType: string;
  productType: ProductType;
}>;


export type BreakdownQuery = { evBreakdown: { productId: string, productName: string, warning: string | null, currentEstimatedValue: { currency: Currency, decimal: string, value: number }, categories: Array<{ category: string, categoryName: string, multiplier: number, averageMarketPrice: { currency: Currency, decimal: string }, contributedValue: { currency: Currency, decimal: string, value: number } }>, distribution: { samples: number, probabilityToBeatMarketPrice: number | null, mean: { currency: Currency, decimal: string, value: number }, p5: { currency: Currency, decimal: string, value: number }, p25: { currency: Currency, decimal: string, value: number }, median: { currency: Currency, decimal: string, value: number }, p75: { currency: Currency, decimal: string, value: number }, p95: { currency: Currency, decimal: string, value: number } } | null } | null };

export type PointFragment = { currency: Currency, decimal: string, value: number };

export type FirstQueryQueryVariables = Exact<{ [key: string]: never; }>;


export type FirstQueryQuery = { products: { totalCount: number, nodes: Array<{ id: string, name: string, number: string | null, rarity: string | null, variants: Array<{ id: string, variantName: string, marketPrice: { value: number, currency: Currency } | null }> }> } | null };

export type CreateCollectionMutationVariables = Exact<{
  input: CreateCollectionInput;
}>;


export type CreateCollectionMutation = { createCollection:
    | { __typename: 'CreateCollectionPayload', collection: { id: string, name: string, createdAt: string } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type BuyAndSellMutationVariables = Exact<{
  buy: CreateTransactionInput;
  sell: CreateTransactionInput;
}>;


export type BuyAndSellMutation = { bought:
    | { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, quantity: number, unitAmount: { decimal: string, currency: Currency }, collection: { name: string, quantity: number, invested: { decimal: string } | null, profit: { decimal: string } | null, cashPosition: { decimal: string } | null } } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
  , sold:
    | { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, quantity: number, unitAmount: { decimal: string, currency: Currency }, collection: { name: string, quantity: number, invested: { decimal: string } | null, profit: { decimal: string } | null, cashPosition: { decimal: string } | null } } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

type Recorded_CreateTransactionPayload_Fragment = { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, quantity: number, unitAmount: { decimal: string, currency: Currency }, collection: { name: string, quantity: number, invested: { decimal: string } | null, profit: { decimal: string } | null, cashPosition: { decimal: string } | null } } };

type Recorded_IdempotencyMismatch_Fragment = { __typename: 'IdempotencyMismatch', message: string };

type Recorded_LimitExceeded_Fragment = { __typename: 'LimitExceeded', message: string };

type Recorded_NotFound_Fragment = { __typename: 'NotFound', message: string };

type Recorded_ValidationFailed_Fragment = { __typename: 'ValidationFailed', message: string };

export type RecordedFragment =
  | Recorded_CreateTransactionPayload_Fragment
  | Recorded_IdempotencyMismatch_Fragment
  | Recorded_LimitExceeded_Fragment
  | Recorded_NotFound_Fragment
  | Recorded_ValidationFailed_Fragment
;

export type CollectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type CollectionsQuery = { collections: { totalCount: number, nodes: Array<{ id: string, name: string, quantity: number, gainRatio: number | null, invested: { value: number } | null, marketValue: { value: number, currency: Currency }, transactionSummaries: { totalCount: number, nodes: Array<{ quantity: number, warning: string | null, variant: { variantName: string, product: { name: string, number: string | null } }, invested: { value: number } | null, profit: { value: number } | null, gain: { value: number } | null }> } }> } };

export const AlertFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Alert"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PriceAlert"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"condition"}},{"kind":"Field","name":{"kind":"Name","value":"amount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"days"}},{"kind":"Field","name":{"kind":"Name","value":"direction"}},{"kind":"Field","name":{"kind":"Name","value":"isMet"}},{"kind":"Field","name":{"kind":"Name","value":"triggerCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastTrigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"target"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Variant"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]}}]} as unknown as DocumentNode<AlertFragment, unknown>;
export const HoldingFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Holding"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TransactionSummary"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"gainRatio"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"imageUrl"}}]}}]}}]}}]} as unknown as DocumentNode<HoldingFragment, unknown>;
export const AmountFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]} as unknown as DocumentNode<AmountFragment, unknown>;
export const MovedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Moved"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Movers"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"unknownCount"}},{"kind":"Field","name":{"kind":"Name","value":"movers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"imageUrl"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"change"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changeRatio"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]} as unknown as DocumentNode<MovedFragment, unknown>;
export const PointFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Point"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]} as unknown as DocumentNode<PointFragment, unknown>;
export const RecordedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Recorded"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cashPosition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<RecordedFragment, unknown>;
export const PriceAlertsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PriceAlerts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"priceAlerts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Alert"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Alert"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PriceAlert"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"condition"}},{"kind":"Field","name":{"kind":"Name","value":"amount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"days"}},{"kind":"Field","name":{"kind":"Name","value":"direction"}},{"kind":"Field","name":{"kind":"Name","value":"isMet"}},{"kind":"Field","name":{"kind":"Name","value":"triggerCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastTrigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"target"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Variant"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]}}]} as unknown as DocumentNode<PriceAlertsQuery, PriceAlertsQueryVariables>;
export const CreateAlertDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateAlert"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreatePriceAlertInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createPriceAlert"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreatePriceAlertPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceAlert"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"isMet"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateAlertMutation, CreateAlertMutationVariables>;
export const DeleteAlertDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteAlert"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeletePriceAlertInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deletePriceAlert"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeletePriceAlertPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deletedId"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<DeleteAlertMutation, DeleteAlertMutationVariables>;
export const TriggeredDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Triggered"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceAlertTriggered"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"isMet"}},{"kind":"Field","name":{"kind":"Name","value":"triggerCount"}},{"kind":"Field","name":{"kind":"Name","value":"lastTrigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"target"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Variant"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<TriggeredSubscription, TriggeredSubscriptionVariables>;
export const HoldingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Holdings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TransactionSummarySort"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"reverse"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummaries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"reverse"},"value":{"kind":"Variable","name":{"kind":"Name","value":"reverse"}}},{"kind":"Argument","name":{"kind":"Name","value":"searchQuery"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Holding"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Holding"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TransactionSummary"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"gainRatio"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"imageUrl"}}]}}]}}]}}]} as unknown as DocumentNode<HoldingsQuery, HoldingsQueryVariables>;
export const SuggestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Suggest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"suggest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"text"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"completion"}}]}}]}}]} as unknown as DocumentNode<SuggestQuery, SuggestQueryVariables>;
export const ChangesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Changes"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collectionChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"collectionId"}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"deletedTransactionSummaryIds"}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummaries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"gainRatio"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ChangesSubscription, ChangesSubscriptionVariables>;
export const CardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Card"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"product"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"cardType"}},{"kind":"Field","name":{"kind":"Name","value":"class"}},{"kind":"Field","name":{"kind":"Name","value":"rarity"}},{"kind":"Field","name":{"kind":"Name","value":"variants"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"fcId"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"saleVolumes"}}]}}]}}]}}]} as unknown as DocumentNode<CardQuery, CardQueryVariables>;
export const DashboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Dashboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"preferredCurrency"}},{"kind":"Field","name":{"kind":"Name","value":"dashboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collectionCount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gainRatio"}},{"kind":"Field","name":{"kind":"Name","value":"unpriced"}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]} as unknown as DocumentNode<DashboardQuery, DashboardQueryVariables>;
export const MyCollectionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"MyCollections"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"ALPHABETICAL"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"200"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"valued"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<MyCollectionsQuery, MyCollectionsQueryVariables>;
export const ValueHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ValueHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"interval"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Interval"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"dashboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"valueHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"Variable","name":{"kind":"Name","value":"interval"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unpricedVariants"}}]}},{"kind":"Field","name":{"kind":"Name","value":"performance"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"paidIn"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"takenOut"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"timeWeightedReturn"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]} as unknown as DocumentNode<ValueHistoryQuery, ValueHistoryQueryVariables>;
export const CountCollectionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CountCollection"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateCollectionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateCollectionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"valued"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CountCollectionMutation, CountCollectionMutationVariables>;
export const MoversDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Movers"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"period"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"MoverPeriod"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"by"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"MoverMeasure"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"dashboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"gained"},"name":{"kind":"Name","value":"movers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"period"},"value":{"kind":"Variable","name":{"kind":"Name","value":"period"}}},{"kind":"Argument","name":{"kind":"Name","value":"by"},"value":{"kind":"Variable","name":{"kind":"Name","value":"by"}}},{"kind":"Argument","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"GAIN"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Moved"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"lost"},"name":{"kind":"Name","value":"movers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"period"},"value":{"kind":"Variable","name":{"kind":"Name","value":"period"}}},{"kind":"Argument","name":{"kind":"Name","value":"by"},"value":{"kind":"Variable","name":{"kind":"Name","value":"by"}}},{"kind":"Argument","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"LOSS"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Moved"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Moved"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Movers"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"unknownCount"}},{"kind":"Field","name":{"kind":"Name","value":"movers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"imageUrl"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"change"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"changeRatio"}}]}}]}}]} as unknown as DocumentNode<MoversQuery, MoversQueryVariables>;
export const CollectionHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CollectionHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"interval"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Interval"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"ids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ids"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"valueHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"Variable","name":{"kind":"Name","value":"interval"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unpricedVariants"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CollectionHistoryQuery, CollectionHistoryQueryVariables>;
export const ImportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Import"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ImportTransactionsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"importTransactions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ImportTransactionsPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"written"}},{"kind":"Field","name":{"kind":"Name","value":"format"}},{"kind":"Field","name":{"kind":"Name","value":"rowCount"}},{"kind":"Field","name":{"kind":"Name","value":"transactionCount"}},{"kind":"Field","name":{"kind":"Name","value":"errorCount"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"column"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}},{"kind":"Field","name":{"kind":"Name","value":"suggestions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"variantId"}},{"kind":"Field","name":{"kind":"Name","value":"fcId"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"duplicateCount"}},{"kind":"Field","name":{"kind":"Name","value":"duplicates"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"sameAsLine"}},{"kind":"Field","name":{"kind":"Name","value":"sameAsTransactionId"}}]}},{"kind":"Field","name":{"kind":"Name","value":"oversoldCount"}},{"kind":"Field","name":{"kind":"Name","value":"oversold"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}}]}},{"kind":"Field","name":{"kind":"Name","value":"skipped"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ValidationFailed"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ImportMutation, ImportMutationVariables>;
export const FindCardsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FindCards"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"query"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"didYouMean"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"rarity"}},{"kind":"Field","name":{"kind":"Name","value":"imageUrl"}},{"kind":"Field","name":{"kind":"Name","value":"variants"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<FindCardsQuery, FindCardsQueryVariables>;
export const RecordDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Record"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"occurred"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<RecordMutation, RecordMutationVariables>;
export const RecentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Recent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"transactions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"8"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"occurred"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<RecentQuery, RecentQueryVariables>;
export const UndoDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Undo"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deletedId"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<UndoMutation, UndoMutationVariables>;
export const BeforeRecordingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"BeforeRecording"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"collectionId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"variantId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"collectionId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"variantId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"variantId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"variantId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}}]}}]} as unknown as DocumentNode<BeforeRecordingQuery, BeforeRecordingQueryVariables>;
export const PreferredCurrencyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PreferredCurrency"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"preferredCurrency"}}]}}]}}]} as unknown as DocumentNode<PreferredCurrencyQuery, PreferredCurrencyQueryVariables>;
export const SealedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Sealed"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"productType"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductType"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductEvSort"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"200"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productEvs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"Variable","name":{"kind":"Name","value":"productType"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"setType"}},{"kind":"Field","name":{"kind":"Name","value":"productType"}},{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPriceDelta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"evRatio"}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<SealedQuery, SealedQueryVariables>;
export const ExpectedValuesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ExpectedValues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productEvs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"EnumValue","value":"BOX"}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"HIGHEST_ESTIMATED_VALUE"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setType"}},{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPriceDelta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"evBreakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"setType"},"value":{"kind":"StringValue","value":"Wtr1stEdition","block":false}},{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"EnumValue","value":"PACK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"categories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"categoryName"}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"}},{"kind":"Field","name":{"kind":"Name","value":"averageMarketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contributedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ExpectedValuesQuery, ExpectedValuesQueryVariables>;
export const BreakdownDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Breakdown"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"setType"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"productType"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductType"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"evBreakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"setType"},"value":{"kind":"Variable","name":{"kind":"Name","value":"setType"}}},{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"Variable","name":{"kind":"Name","value":"productType"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"categories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"categoryName"}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"}},{"kind":"Field","name":{"kind":"Name","value":"averageMarketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contributedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"distribution"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"samples"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityToBeatMarketPrice"}},{"kind":"Field","name":{"kind":"Name","value":"mean"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}},{"kind":"Field","name":{"kind":"Name","value":"p5"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}},{"kind":"Field","name":{"kind":"Name","value":"p25"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}},{"kind":"Field","name":{"kind":"Name","value":"median"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}},{"kind":"Field","name":{"kind":"Name","value":"p75"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}},{"kind":"Field","name":{"kind":"Name","value":"p95"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Point"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Point"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]} as unknown as DocumentNode<BreakdownQuery, BreakdownQueryVariables>;
export const FirstQueryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FirstQuery"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"query"},"value":{"kind":"StringValue","value":"command and conquer","block":false}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"rarity"}},{"kind":"Field","name":{"kind":"Name","value":"variants"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<FirstQueryQuery, FirstQueryQueryVariables>;
export const CreateCollectionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateCollection"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateCollectionMutation, CreateCollectionMutationVariables>;
export const BuyAndSellDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"BuyAndSell"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"buy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sell"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"bought"},"name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"buy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Recorded"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"sold"},"name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sell"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Recorded"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Recorded"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cashPosition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<BuyAndSellMutation, BuyAndSellMutationVariables>;
export const CollectionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Collections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"VALUE"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gainRatio"}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummaries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"GAIN"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<CollectionsQuery, CollectionsQueryVariables>;