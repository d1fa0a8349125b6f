/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

export type BindersQueryVariables = Exact<{ [key: string]: never; }>;


export type BindersQuery = { collections: { __typename: 'CollectionConnection', nodes: Array<{ __typename: 'Collection', id: string, name: string, quantity: number, marketValue: { __typename: 'Money', value: number, currency: Currency } }> } };

export type CreateBinderMutationVariables = Exact<{
  input: CreateCollectionInput;
}>;


export type CreateBinderMutation = { createCollection:
    | { __typename: 'CreateCollectionPayload', collection: { __typename: 'Collection', id: string, name: string } }
    | { __typename: 'IdempotencyMismatch', message: string }
    | { __typename: 'LimitExceeded', message: string }
    | { __typename: 'ValidationFailed', message: string }
   };

export type HoldingsQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type HoldingsQuery = { collection: { __typename: 'Collection', id: string, name: string, transactionSummaries: { __typename: 'TransactionSummaryConnection', edges: Array<{ __typename: 'TransactionSummaryEdge', cursor: string, node: { __typename: 'TransactionSummary', id: string, quantity: number, marketValue: { __typename: 'Money', value: number, currency: Currency }, variant: { __typename: 'Variant', id: string, variantName: string, product: { __typename: 'Product', id: string, name: string } } } }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } } | null };


export const BindersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Binders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}}]}}]}}]} as unknown as DocumentNode<BindersQuery, BindersQueryVariables>;
export const CreateBinderDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateBinder"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCollection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCollectionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Error"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateBinderMutation, CreateBinderMutationVariables>;
export const HoldingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Holdings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"transactionSummaries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"marketValue"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"variant"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"variantName"}},{"kind":"Field","name":{"kind":"Name","value":"product"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}]} as unknown as DocumentNode<HoldingsQuery, HoldingsQueryVariables>;