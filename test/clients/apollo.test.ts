import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, type ObservableQuery } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { isInterfaceType, isUnionType } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { eventually } from '../support/eventually.ts';
import { type ClientService, startClientService } from './service.ts';

const COLLECTIONS = gql`
  query Collections($after: String) {
    collections(first: 3, after: $after, sort: ALPHABETICAL) {
      edges { cursor node { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const HOLDINGS = gql`
  query Holdings($id: ID!, $after: String) {
    collection(id: $id) {
      id
      quantity
      transactionSummaries(first: 4, after: $after) {
        edges { cursor node { id quantity variant { id variantName } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`;
const RENAME = gql`
  mutation Rename($id: ID!, $name: String!) {
    updateCollection(input: { id: $id, name: $name }) {
      ... on UpdateCollectionPayload { collection { id name } }
      ... on Error { message }
    }
  }
`;
const CREATE = gql`
  mutation Create($name: String!) {
    createCollection(input: { name: $name }) {
      ... on CreateCollectionPayload { collection { id name } }
      ... on Error { message }
    }
  }
`;
const BUY = gql`
  mutation Buy($input: CreateTransactionInput!) {
    createTransaction(input: $input) {
      ... on CreateTransactionPayload { transaction { id collection { id quantity } } }
      ... on Error { message }
    }
  }
`;

interface Connection<Node> {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
}
interface Collections {
  collections: Connection<{ id: string; name: string }>;
}
interface Holdings {
  collection: { id: string; quantity: number; transactionSummaries: Connection<{ id: string }> };
}

/** The members of each union and interface, as Apollo's cache wants them. */
function possibleTypes(): Record<string, string[]> {
  const schema = createSchema();
  const abstract = Object.values(schema.getTypeMap()).filter(
    (type) => isUnionType(type) || isInterfaceType(type),
  );
  return Object.fromEntries(
    abstract.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
}

/** What a component that watches the query shows at the moment. */
function watched<Data>(query: ObservableQuery<Data>): () => Data {
  let shown: Data | undefined;
  query.subscribe(({ data }) => {
    if (data) shown = data as Data;
  });
  return () => shown!;
}

describe('Apollo Client', () => {
  let service: ClientService;
  let client: ApolloClient;

  beforeAll(async () => {
    service = await startClientService();
  });
  afterAll(() => service.stop());

  afterEach(() => client.stop());
  beforeEach(() => {
    const persisted = new PersistedQueryLink({
      sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
    });
    client = new ApolloClient({
      link: ApolloLink.from([persisted, new HttpLink({ uri: service.url, headers: service.headers })]),
      cache: new InMemoryCache({
        possibleTypes: possibleTypes(),
        typePolicies: {
          Query: { fields: { collections: relayStylePagination(['sort', 'reverse']) } },
          Collection: { fields: { transactionSummaries: relayStylePagination(['sort', 'searchQuery']) } },
        },
      }),
    });
  });

  it('pages with relayStylePagination and fetchMore', async () => {
    const query = client.watchQuery<Collections>({ query: COLLECTIONS });
    const shown = watched<Collections>(query);
    await query.refetch();
    while (shown().collections.pageInfo.hasNextPage) {
      const { endCursor } = shown().collections.pageInfo;
      await query.fetchMore({ variables: { after: endCursor } });
      // The list is shown anew a moment later.
      await eventually(() => expect(shown().collections.pageInfo.endCursor).not.toBe(endCursor));
    }
    expect(shown().collections.edges.map(({ node }) => node.name)).toEqual(service.names);
  });

  it('pages through what an object holds', async () => {
    const query = client.watchQuery<Holdings>({ query: HOLDINGS, variables: { id: service.stockedId } });
    const shown = watched<Holdings>(query);
    await query.refetch();
    const page = () => shown().collection.transactionSummaries;
    while (page().pageInfo.hasNextPage) {
      const { endCursor } = page().pageInfo;
      await query.fetchMore({ variables: { after: endCursor } });
      await eventually(() => expect(page().pageInfo.endCursor).not.toBe(endCursor));
    }
    const ids = page().edges.map(({ node }) => node.id);
    expect(new Set(ids).size).toBe(service.variantIds.length);
    expect(ids).toHaveLength(service.variantIds.length);
  });

  it('updates what it shows by the ids of what a mutation gives back', async () => {
    await client.query({ query: COLLECTIONS });
    await client.query({ query: HOLDINGS, variables: { id: service.stockedId } });
    const before = client.readQuery<Holdings>({ query: HOLDINGS, variables: { id: service.stockedId } });
    await client.mutate({ mutation: RENAME, variables: { id: service.stockedId, name: 'Binder 1!' } });
    expect(client.readQuery<Collections>({ query: COLLECTIONS })!.collections.edges[0]!.node.name).toBe(
      'Binder 1!',
    );
    await client.mutate({ mutation: RENAME, variables: { id: service.stockedId, name: 'Binder 1' } });
    const bought = {
      collectionId: service.stockedId,
      variantId: service.variantIds[0],
      occurredDate: '2026-04-13',
      action: 'PURCHASE',
      quantity: 2,
      unitAmount: { currency: 'USD', value: 1 },
    };
    await client.mutate({ mutation: BUY, variables: { input: bought } });
    const after = client.readQuery<Holdings>({ query: HOLDINGS, variables: { id: service.stockedId } });
    expect(after!.collection.quantity).toBe(before!.collection.quantity + 2);
  });

  it('adds what a mutation created to its list', async () => {
    await client.query({ query: COLLECTIONS });
    const created = await client.mutate<{ createCollection: { collection: { id: string; name: string } } }>({
      mutation: CREATE,
      variables: { name: 'Annex' },
      update(cache, { data }) {
        cache.updateQuery<Collections>({ query: COLLECTIONS }, (list) => ({
          collections: {
            ...list!.collections,
            edges: [
              { __typename: 'CollectionEdge', cursor: '', node: data!.createCollection.collection },
              ...list!.collections.edges,
            ] as Collections['collections']['edges'],
          },
        }));
      },
    });
    const shown = client.readQuery<Collections>({ query: COLLECTIONS })!.collections.edges;
    expect(shown.map(({ node }) => node.name)).toContain('Annex');
    expect(created.data!.createCollection.collection.id).toMatch(/^col_/);
  });

  it('sends a document once, and then its hash', async () => {
    const query = gql`query Once { viewer { id } }`;
    const from = service.sent.length;
    for (let i = 0; i < 2; i++) await client.query({ query, fetchPolicy: 'network-only' });
    const bodies = service.sent.slice(from).map((body) => JSON.parse(body));
    expect(bodies.map((body) => typeof body.query)).toEqual(['undefined', 'string', 'undefined']);
  });

  it('reads an expected failure as data, by the interface of all errors', async () => {
    const { data } = await client.mutate<{ createCollection: { message: string } }>({
      mutation: CREATE,
      variables: { name: '' },
    });
    expect(data!.createCollection.message).toMatch(/^name: must have 1 to 100 characters/);
  });
});
