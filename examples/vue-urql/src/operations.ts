import { graphql } from './gql/index.ts';

export const BINDERS = graphql(`
  query Binders {
    collections {
      nodes { id name quantity marketValue { value currency } }
    }
  }
`);

// Each refusal by its own type: the cache does not know which types `Error` stands for, unless it is given the schema.
export const CREATE = graphql(`
  mutation CreateBinder($input: CreateCollectionInput!) {
    createCollection(input: $input) {
      __typename
      ... on CreateCollectionPayload { collection { id name } }
      ... on IdempotencyMismatch { message }
      ... on LimitExceeded { message }
      ... on ValidationFailed { message }
    }
  }
`);

export const HOLDINGS = graphql(`
  query Holdings($id: ID!, $after: String) {
    collection(id: $id) {
      id
      name
      transactionSummaries(first: 3, after: $after) {
        nodes {
          id
          quantity
          marketValue { value currency }
          variant { id variantName product { id name } }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const money = ({ value, currency }: { value: number; currency: string }) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value);
