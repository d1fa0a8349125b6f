/* eslint-disable */
import * as types from './graphql.js';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query FirstQuery {\n  products(query: \"command and conquer\", first: 5) {\n    totalCount\n    nodes {\n      id\n      name\n      number\n      rarity\n      variants {\n        id\n        variantName\n        marketPrice {\n          value\n          currency\n        }\n      }\n    }\n  }\n}": typeof types.FirstQueryDocument,
    "mutation CreateCollection {\n  createCollection(input: {name: \"My first binder\"}) {\n    __typename\n    ... on CreateCollectionPayload {\n      collection {\n        id\n        name\n        createdAt\n      }\n    }\n    ... on Error {\n      message\n    }\n  }\n}": typeof types.CreateCollectionDocument,
    "mutation BuyAndSell($buy: CreateTransactionInput!, $sell: CreateTransactionInput!) {\n  bought: createTransaction(input: $buy) {\n    ...Recorded\n  }\n  sold: createTransaction(input: $sell) {\n    ...Recorded\n  }\n}\n\nfragment Recorded on CreateTransactionResult {\n  __typename\n  ... on CreateTransactionPayload {\n    transaction {\n      id\n      action\n      quantity\n      unitAmount {\n        decimal\n        currency\n      }\n      collection {\n        name\n        quantity\n        invested {\n          decimal\n        }\n        profit {\n          decimal\n        }\n        cashPosition {\n          decimal\n        }\n      }\n    }\n  }\n  ... on Error {\n    message\n  }\n}": typeof types.BuyAndSellDocument,
    "query Collections {\n  collections(sort: VALUE, first: 10) {\n    totalCount\n    nodes {\n      id\n      name\n      quantity\n      invested {\n        value\n      }\n      marketValue {\n        value\n        currency\n      }\n      percentageGain\n      transactionSummaries(sort: GAIN, first: 10) {\n        totalCount\n        nodes {\n          quantity\n          variant {\n            variantName\n            product {\n              name\n              number\n            }\n          }\n          invested {\n            value\n          }\n          profit {\n            value\n          }\n          gain {\n            value\n          }\n          warning\n        }\n      }\n    }\n  }\n}": typeof types.CollectionsDocument,
    "query ExpectedValues {\n  productEvs(productType: BOX, sort: HIGHEST_ESTIMATED_VALUE, first: 5) {\n    nodes {\n      setType\n      productName\n      currentEstimatedValue {\n        value\n        currency\n      }\n      marketPrice {\n        value\n      }\n      marketPriceDelta {\n        value\n      }\n      warning\n    }\n  }\n  evBreakdown(setType: \"Wtr1stEdition\", productType: PACK) {\n    productName\n    currentEstimatedValue {\n      value\n      currency\n    }\n    warning\n    categories {\n      categoryName\n      multiplier\n      averageMarketPrice {\n        value\n      }\n      contributedValue {\n        value\n      }\n    }\n  }\n}": typeof types.ExpectedValuesDocument,
};
const documents: Documents = {
    "query FirstQuery {\n  products(query: \"command and conquer\", first: 5) {\n    totalCount\n    nodes {\n      id\n      name\n      number\n      rarity\n      variants {\n        id\n        variantName\n        marketPrice {\n          value\n          currency\n        }\n      }\n    }\n  }\n}": types.FirstQueryDocument,
    "mutation CreateCollection {\n  createCollection(input: {name: \"My first binder\"}) {\n    __typename\n    ... on CreateCollectionPayload {\n      collection {\n        id\n        name\n        createdAt\n      }\n    }\n    ... on Error {\n      message\n    }\n  }\n}": types.CreateCollectionDocument,
    "mutation BuyAndSell($buy: CreateTransactionInput!, $sell: CreateTransactionInput!) {\n  bought: createTransaction(input: $buy) {\n    ...Recorded\n  }\n  sold: createTransaction(input: $sell) {\n    ...Recorded\n  }\n}\n\nfragment Recorded on CreateTransactionResult {\n  __typename\n  ... on CreateTransactionPayload {\n    transaction {\n      id\n      action\n      quantity\n      unitAmount {\n        decimal\n        currency\n      }\n      collection {\n        name\n        quantity\n        invested {\n          decimal\n        }\n        profit {\n          decimal\n        }\n        cashPosition {\n          decimal\n        }\n      }\n    }\n  }\n  ... on Error {\n    message\n  }\n}": types.BuyAndSellDocument,
    "query Collections {\n  collections(sort: VALUE, first: 10) {\n    totalCount\n    nodes {\n      id\n      name\n      quantity\n      invested {\n        value\n      }\n      marketValue {\n        value\n        currency\n      }\n      percentageGain\n      transactionSummaries(sort: GAIN, first: 10) {\n        totalCount\n        nodes {\n          quantity\n          variant {\n            variantName\n            product {\n              name\n              number\n            }\n          }\n          invested {\n            value\n          }\n          profit {\n            value\n          }\n          gain {\n            value\n          }\n          warning\n        }\n      }\n    }\n  }\n}": types.CollectionsDocument,
    "query ExpectedValues {\n  productEvs(productType: BOX, sort: HIGHEST_ESTIMATED_VALUE, first: 5) {\n    nodes {\n      setType\n      productName\n      currentEstimatedValue {\n        value\n        currency\n      }\n      marketPrice {\n        value\n      }\n      marketPriceDelta {\n        value\n      }\n      warning\n    }\n  }\n  evBreakdown(setType: \"Wtr1stEdition\", productType: PACK) {\n    productName\n    currentEstimatedValue {\n      value\n      currency\n    }\n    warning\n    categories {\n      categoryName\n      multiplier\n      averageMarketPrice {\n        value\n      }\n      contributedValue {\n        value\n      }\n    }\n  }\n}": types.ExpectedValuesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query FirstQuery {\n  products(query: \"command and conquer\", first: 5) {\n    totalCount\n    nodes {\n      id\n      name\n      number\n      rarity\n      variants {\n        id\n        variantName\n        marketPrice {\n          value\n          currency\n        }\n      }\n    }\n  }\n}"): (typeof documents)["query FirstQuery {\n  products(query: \"command and conquer\", first: 5) {\n    totalCount\n    nodes {\n      id\n      name\n      number\n      rarity\n      variants {\n        id\n        variantName\n        marketPrice {\n          value\n          currency\n        }\n      }\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "mutation CreateCollection {\n  createCollection(input: {name: \"My first binder\"}) {\n    __typename\n    ... on CreateCollectionPayload {\n      collection {\n        id\n        name\n        createdAt\n      }\n    }\n    ... on Error {\n      message\n    }\n  }\n}"): (typeof documents)["mutation CreateCollection {\n  createCollection(input: {name: \"My first binder\"}) {\n    __typename\n    ... on CreateCollectionPayload {\n      collection {\n        id\n        name\n        createdAt\n      }\n    }\n    ... on Error {\n      message\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "mutation BuyAndSell($buy: CreateTransactionInput!, $sell: CreateTransactionInput!) {\n  bought: createTransaction(input: $buy) {\n    ...Recorded\n  }\n  sold: createTransaction(input: $sell) {\n    ...Recorded\n  }\n}\n\nfragment Recorded on CreateTransactionResult {\n  __typename\n  ... on CreateTransactionPayload {\n    transaction {\n      id\n      action\n      quantity\n      unitAmount {\n        decimal\n        currency\n      }\n      collection {\n        name\n        quantity\n        invested {\n          decimal\n        }\n        profit {\n          decimal\n        }\n        cashPosition {\n          decimal\n        }\n      }\n    }\n  }\n  ... on Error {\n    message\n  }\n}"): (typeof documents)["mutation BuyAndSell($buy: CreateTransactionInput!, $sell: CreateTransactionInput!) {\n  bought: createTransaction(input: $buy) {\n    ...Recorded\n  }\n  sold: createTransaction(input: $sell) {\n    ...Recorded\n  }\n}\n\nfragment Recorded on CreateTransactionResult {\n  __typename\n  ... on CreateTransactionPayload {\n    transaction {\n      id\n      action\n      quantity\n      unitAmount {\n        decimal\n        currency\n      }\n      collection {\n        name\n        quantity\n        invested {\n          decimal\n        }\n        profit {\n          decimal\n        }\n        cashPosition {\n          decimal\n        }\n      }\n    }\n  }\n  ... on Error {\n    message\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Collections {\n  collections(sort: VALUE, first: 10) {\n    totalCount\n    nodes {\n      id\n      name\n      quantity\n      invested {\n        value\n      }\n      marketValue {\n        value\n        currency\n      }\n      percentageGain\n      transactionSummaries(sort: GAIN, first: 10) {\n        totalCount\n        nodes {\n          quantity\n          variant {\n            variantName\n            product {\n              name\n              number\n            }\n          }\n          invested {\n            value\n          }\n          profit {\n            value\n          }\n          gain {\n            value\n          }\n          warning\n        }\n      }\n    }\n  }\n}"): (typeof documents)["query Collections {\n  collections(sort: VALUE, first: 10) {\n    totalCount\n    nodes {\n      id\n      name\n      quantity\n      invested {\n        value\n      }\n      marketValue {\n        value\n        currency\n      }\n      percentageGain\n      transactionSummaries(sort: GAIN, first: 10) {\n        totalCount\n        nodes {\n          quantity\n          variant {\n            variantName\n            product {\n              name\n              number\n            }\n          }\n          invested {\n            value\n          }\n          profit {\n            value\n          }\n          gain {\n            value\n          }\n          warning\n        }\n      }\n    }\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query ExpectedValues {\n  productEvs(productType: BOX, sort: HIGHEST_ESTIMATED_VALUE, first: 5) {\n    nodes {\n      setType\n      productName\n      currentEstimatedValue {\n        value\n        currency\n      }\n      marketPrice {\n        value\n      }\n      marketPriceDelta {\n        value\n      }\n      warning\n    }\n  }\n  evBreakdown(setType: \"Wtr1stEdition\", productType: PACK) {\n    productName\n    currentEstimatedValue {\n      value\n      currency\n    }\n    warning\n    categories {\n      categoryName\n      multiplier\n      averageMarketPrice {\n        value\n      }\n      contributedValue {\n        value\n      }\n    }\n  }\n}"): (typeof documents)["query ExpectedValues {\n  productEvs(productType: BOX, sort: HIGHEST_ESTIMATED_VALUE, first: 5) {\n    nodes {\n      setType\n      productName\n      currentEstimatedValue {\n        value\n        currency\n      }\n      marketPrice {\n        value\n      }\n      marketPriceDelta {\n        value\n      }\n      warning\n    }\n  }\n  evBreakdown(setType: \"Wtr1stEdition\", productType: PACK) {\n    productName\n    currentEstimatedValue {\n      value\n      currency\n    }\n    warning\n    categories {\n      categoryName\n      multiplier\n      averageMarketPrice {\n        value\n      }\n      contributedValue {\n        value\n      }\n    }\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;