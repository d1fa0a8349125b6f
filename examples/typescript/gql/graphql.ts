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

/** What a company that grades cards says of one. */
export type GradeInput = {
  /** The number of its certificate, 1 to 50 characters. */
  certificate?: string | null | undefined;
  /** Who graded it, 1 to 20 characters, such as `PSA`. */
  company: string;
  /** As it writes it, 1 to 20 characters, such as `9.5`. */
  grade: string;
};

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

export type CreateMutationVariables = Exact<{
  input: CreateCollectionInput;
}>;


export type CreateMutation = { createCollection:
    | { __typename: 'CreateCollectionPayload', collection: { id: string } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type BuyMutationVariables = Exact<{
  input: CreateTransactionInput;
}>;


export type BuyMutation = { createTransaction:
    | { __typename: 'CreateTransactionPayload', transaction: { collection: { quantity: number, invested: { decimal: string } | null } } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string, errors: Array<{ path: Array<string>, detail: string }> }
   };

export type BindersQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type BindersQuery = { collections: { nodes: Array<{ name: string, quantity: number, marketValue: { decimal: string, currency: Currency } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };


export const CreateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Create"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateMutation, CreateMutationVariables>;
export const BuyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Buy"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ValidationFailed"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"detail"}}]}}]}}]}}]}}]} as unknown as DocumentNode<BuyMutation, BuyMutationVariables>;
export const BindersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Binders"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"ALPHABETICAL"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<BindersQuery, BindersQueryVariables>;