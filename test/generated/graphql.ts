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

/** What createTransaction needs. */
export type CreateTransactionInput = {
  /** Purchase or sale. */
  action: Action;
  /** Where it is recorded. */
  collectionId: string;
  /** Makes it safe to repeat: the same key and input give the first answer again for 24 hours. */
  idempotencyKey?: string | null | undefined;
  /** `YYYY-MM-DD`, from 1970-01-01 to tomorrow in UTC. */
  occurredDate: string;
  /** Number of cards, 1 to 1,000,000. */
  quantity: number;
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

/** An amount of money. */
export type MoneyInput = {
  /** ISO 4217 code. */
  currency: Currency;
  /** From 0 to 1,000,000,000 with at most 4 decimals. */
  value: number;
};

export type FirstQueryQueryVariables = Exact<{ [key: string]: never; }>;


export type FirstQueryQuery = { products: { totalCount: number, nodes: Array<{ id: string, name: string, number: string | null, rarity: string | null, variants: Array<{ id: string, variantName: string, marketPrice: { value: number, currency: Currency } | null }> }> } };

export type CreateCollectionMutationVariables = Exact<{ [key: string]: never; }>;


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
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
  , sold:
    | { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, quantity: number, unitAmount: { decimal: string, currency: Currency }, collection: { name: string, quantity: number, invested: { decimal: string } | null, profit: { decimal: string } | null, cashPosition: { decimal: string } | null } } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'NotFound', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

type Recorded_CreateTransactionPayload_Fragment = { __typename: 'CreateTransactionPayload', transaction: { id: string, action: Action, quantity: number, unitAmount: { decimal: string, currency: Currency }, collection: { name: string, quantity: number, invested: { decimal: string } | null, profit: { decimal: string } | null, cashPosition: { decimal: string } | null } } };

type Recorded_IdempotencyMismatch_Fragment = { __typename: 'IdempotencyMismatch', message: string };

type Recorded_NotFound_Fragment = { __typename: 'NotFound', message: string };

type Recorded_ValidationFailed_Fragment = { __typename: 'ValidationFailed', message: string };

export type RecordedFragment =
  | Recorded_CreateTransactionPayload_Fragment
  | Recorded_IdempotencyMismatch_Fragment
  | Recorded_NotFound_Fragment
  | Recorded_ValidationFailed_Fragment
;

export type CollectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type CollectionsQuery = { collections: { totalCount: number, nodes: Array<{ id: string, name: string, quantity: number, percentageGain: number | null, invested: { value: number } | null, marketValue: { value: number, currency: Currency }, transactionSummaries: { totalCount: number, nodes: Array<{ quantity: number, warning: string | null, variant: { variantName: string, product: { name: string, number: string | null } }, invested: { value: number } | null, profit: { value: number } | null, gain: { value: number } | null }> } }> } };

export type ExpectedValuesQueryVariables = Exact<{ [key: string]: never; }>;


export type ExpectedValuesQuery = { productEvs: { nodes: Array<{ setType: string, productName: string, warning: string | null, currentEstimatedValue: { value: number, currency: Currency }, marketPrice: { value: number } | null, marketPriceDelta: { value: number } }> }, evBreakdown: { productName: string, warning: string | null, currentEstimatedValue: { value: number, currency: Currency }, categories: Array<{ categoryName: string, multiplier: number, averageMarketPrice: { value: number }, contributedValue: { value: number } }> } | null };

export const RecordedFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Recorded"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cashPosition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<RecordedFragment, unknown>;
export const FirstQueryDocument = {"__meta__":{"hash":"sha256:2b1977865538184b102c61199a62d2bcefdec9ba8cce35656898516b62596d7d"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FirstQuery"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"query"},"value":{"kind":"StringValue","value":"command and conquer","block":false}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"rarity"}},{"kind":"Field","name":{"kind":"Name","value":"variants"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<FirstQueryQuery, FirstQueryQueryVariables>;
export const CreateCollectionDocument = {"__meta__":{"hash":"sha256:469097da0f8ef91d8dc9720d3b7691a4cca7969878e63d895b5827af9e41f469"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateCollection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"StringValue","value":"My first binder","block":false}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateCollectionMutation, CreateCollectionMutationVariables>;
export const BuyAndSellDocument = {"__meta__":{"hash":"sha256:d524ed150055df1c8ff9ed77301b7e80b231f49119fd6831317d9cc7dc3d969d"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"BuyAndSell"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"buy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sell"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"bought"},"name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"buy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Recorded"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"sold"},"name":{"kind":"Name","value":"createTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sell"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Recorded"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Recorded"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateTransactionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transaction"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"unitAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cashPosition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"decimal"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<BuyAndSellMutation, BuyAndSellMutationVariables>;
export const CollectionsDocument = {"__meta__":{"hash":"sha256:9cab86a241c384db5e794f54b8b34ed6e3ed87851d7f0ecb294e979a10049d28"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Collections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"VALUE"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"percentageGain"}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummaries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"GAIN"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"number"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"invested"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"profit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"gain"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<CollectionsQuery, CollectionsQueryVariables>;
export const ExpectedValuesDocument = {"__meta__":{"hash":"sha256:ac4ef1a9a23f43db6a6eb3a0bc6bad6ad9a050eb0d0f1559d6688b8a5a43fcb1"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ExpectedValues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productEvs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"EnumValue","value":"BOX"}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"HIGHEST_ESTIMATED_VALUE"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setType"}},{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketPriceDelta"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"evBreakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"setType"},"value":{"kind":"StringValue","value":"Wtr1stEdition","block":false}},{"kind":"Argument","name":{"kind":"Name","value":"productType"},"value":{"kind":"EnumValue","value":"PACK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productName"}},{"kind":"Field","name":{"kind":"Name","value":"currentEstimatedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warning"}},{"kind":"Field","name":{"kind":"Name","value":"categories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"categoryName"}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"}},{"kind":"Field","name":{"kind":"Name","value":"averageMarketPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contributedValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ExpectedValuesQuery, ExpectedValuesQueryVariables>;