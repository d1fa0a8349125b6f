import { graphql } from 'relay-runtime';

/** For relay-compiler alone: `relay.test.ts` compiles what stands here, and runs it. */
export const documents = [
  graphql`
    query relayDocumentsCollectionsQuery($count: Int!) {
      ...relayDocuments_collections @arguments(count: $count)
    }
  `,
  graphql`
    fragment relayDocuments_collections on Query
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "relayDocumentsCollectionsPageQuery") {
      collections(first: $count, after: $cursor, sort: ALPHABETICAL)
        @connection(key: "relayDocuments_collections") {
        totalCount
        edges {
          node {
            id
            name
            quantity
          }
        }
      }
    }
  `,
  graphql`
    query relayDocumentsTransactionsQuery($id: ID!, $count: Int!) {
      collection(id: $id) {
        ...relayDocuments_transactions @arguments(count: $count)
      }
    }
  `,
  graphql`
    fragment relayDocuments_transactions on Collection
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "relayDocumentsTransactionsPageQuery") {
      transactions(first: $count, after: $cursor) @connection(key: "relayDocuments_transactions") {
        edges {
          node {
            id
            unitAmount {
              decimal
            }
          }
        }
      }
    }
  `,
  graphql`
    query relayDocumentsSummariesQuery($id: ID!, $count: Int!) {
      collection(id: $id) {
        ...relayDocuments_summaries @arguments(count: $count)
      }
    }
  `,
  graphql`
    fragment relayDocuments_summaries on Collection
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "relayDocumentsSummariesPageQuery") {
      transactionSummaries(first: $count, after: $cursor, sort: GAIN)
        @connection(key: "relayDocuments_transactionSummaries") {
        edges {
          node {
            id
            variant {
              id
            }
          }
        }
      }
    }
  `,
  graphql`
    query relayDocumentsProductsQuery($count: Int!) {
      ...relayDocuments_products @arguments(count: $count)
    }
  `,
  graphql`
    fragment relayDocuments_products on Query
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "relayDocumentsProductsPageQuery") {
      products(query: "command conquer", first: $count, after: $cursor)
        @connection(key: "relayDocuments_products") {
        totalCount
        edges {
          node {
            id
          }
        }
      }
    }
  `,
  graphql`
    query relayDocumentsEvsQuery($count: Int!) {
      ...relayDocuments_evs @arguments(count: $count)
    }
  `,
  graphql`
    fragment relayDocuments_evs on Query
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "relayDocumentsEvsPageQuery") {
      productEvs(productType: BOX, first: $count, after: $cursor) @connection(key: "relayDocuments_productEvs") {
        totalCount
        edges {
          node {
            id
          }
        }
      }
    }
  `,
  graphql`
    mutation relayDocumentsRenameMutation($id: ID!, $name: String!) {
      updateCollection(input: { id: $id, name: $name }) {
        ... on UpdateCollectionPayload {
          collection {
            id
            name
          }
        }
        ... on Error {
          message
        }
      }
    }
  `,
  graphql`
    mutation relayDocumentsDeleteMutation($id: ID!, $connections: [ID!]!) {
      deleteCollection(input: { id: $id }) {
        ... on DeleteCollectionPayload {
          deletedId @deleteEdge(connections: $connections)
        }
      }
    }
  `,
];
