/* eslint-disable */
import * as types from './graphql';
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
    "\n  query Binders {\n    collections {\n      nodes { id name quantity marketValue { value currency } }\n    }\n  }\n": typeof types.BindersDocument,
    "\n  mutation CreateBinder($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id name } }\n      ... on IdempotencyMismatch { message }\n      ... on LimitExceeded { message }\n      ... on ValidationFailed { message }\n    }\n  }\n": typeof types.CreateBinderDocument,
    "\n  query Holdings($id: ID!, $after: String) {\n    collection(id: $id) {\n      id\n      name\n      transactionSummaries(first: 3, after: $after) {\n        nodes {\n          id\n          quantity\n          marketValue { value currency }\n          variant { id variantName product { id name } }\n        }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": typeof types.HoldingsDocument,
};
const documents: Documents = {
    "\n  query Binders {\n    collections {\n      nodes { id name quantity marketValue { value currency } }\n    }\n  }\n": types.BindersDocument,
    "\n  mutation CreateBinder($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id name } }\n      ... on IdempotencyMismatch { message }\n      ... on LimitExceeded { message }\n      ... on ValidationFailed { message }\n    }\n  }\n": types.CreateBinderDocument,
    "\n  query Holdings($id: ID!, $after: String) {\n    collection(id: $id) {\n      id\n      name\n      transactionSummaries(first: 3, after: $after) {\n        nodes {\n          id\n          quantity\n          marketValue { value currency }\n          variant { id variantName product { id name } }\n        }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": types.HoldingsDocument,
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
export function graphql(source: "\n  query Binders {\n    collections {\n      nodes { id name quantity marketValue { value currency } }\n    }\n  }\n"): (typeof documents)["\n  query Binders {\n    collections {\n      nodes { id name quantity marketValue { value currency } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateBinder($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id name } }\n      ... on IdempotencyMismatch { message }\n      ... on LimitExceeded { message }\n      ... on ValidationFailed { message }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateBinder($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id name } }\n      ... on IdempotencyMismatch { message }\n      ... on LimitExceeded { message }\n      ... on ValidationFailed { message }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Holdings($id: ID!, $after: String) {\n    collection(id: $id) {\n      id\n      name\n      transactionSummaries(first: 3, after: $after) {\n        nodes {\n          id\n          quantity\n          marketValue { value currency }\n          variant { id variantName product { id name } }\n        }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Holdings($id: ID!, $after: String) {\n    collection(id: $id) {\n      id\n      name\n      transactionSummaries(first: 3, after: $after) {\n        nodes {\n          id\n          quantity\n          marketValue { value currency }\n          variant { id variantName product { id name } }\n        }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;