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
    "\n  mutation Create($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id } }\n      ... on Error { message }\n    }\n  }\n": typeof types.CreateDocument,
    "\n  mutation Buy($input: CreateTransactionInput!) {\n    createTransaction(input: $input) {\n      __typename\n      ... on CreateTransactionPayload { transaction { collection { quantity invested { decimal } } } }\n      ... on Error { message }\n      ... on ValidationFailed { errors { path detail } }\n    }\n  }\n": typeof types.BuyDocument,
    "\n  query Binders($after: String) {\n    collections(first: 20, after: $after, sort: ALPHABETICAL) {\n      nodes { name quantity marketValue { decimal currency } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.BindersDocument,
};
const documents: Documents = {
    "\n  mutation Create($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id } }\n      ... on Error { message }\n    }\n  }\n": types.CreateDocument,
    "\n  mutation Buy($input: CreateTransactionInput!) {\n    createTransaction(input: $input) {\n      __typename\n      ... on CreateTransactionPayload { transaction { collection { quantity invested { decimal } } } }\n      ... on Error { message }\n      ... on ValidationFailed { errors { path detail } }\n    }\n  }\n": types.BuyDocument,
    "\n  query Binders($after: String) {\n    collections(first: 20, after: $after, sort: ALPHABETICAL) {\n      nodes { name quantity marketValue { decimal currency } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.BindersDocument,
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
export function graphql(source: "\n  mutation Create($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id } }\n      ... on Error { message }\n    }\n  }\n"): (typeof documents)["\n  mutation Create($input: CreateCollectionInput!) {\n    createCollection(input: $input) {\n      __typename\n      ... on CreateCollectionPayload { collection { id } }\n      ... on Error { message }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Buy($input: CreateTransactionInput!) {\n    createTransaction(input: $input) {\n      __typename\n      ... on CreateTransactionPayload { transaction { collection { quantity invested { decimal } } } }\n      ... on Error { message }\n      ... on ValidationFailed { errors { path detail } }\n    }\n  }\n"): (typeof documents)["\n  mutation Buy($input: CreateTransactionInput!) {\n    createTransaction(input: $input) {\n      __typename\n      ... on CreateTransactionPayload { transaction { collection { quantity invested { decimal } } } }\n      ... on Error { message }\n      ... on ValidationFailed { errors { path detail } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Binders($after: String) {\n    collections(first: 20, after: $after, sort: ALPHABETICAL) {\n      nodes { name quantity marketValue { decimal currency } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Binders($after: String) {\n    collections(first: 20, after: $after, sort: ALPHABETICAL) {\n      nodes { name quantity marketValue { decimal currency } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;