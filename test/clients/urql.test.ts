import { type AnyVariables, Client, fetchExchange, gql, type TypedDocumentNode } from '@urql/core';
import { type Cache, cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { persistedExchange } from '@urql/exchange-persisted';
import { introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { type ClientService, startClientService } from './service.ts';

interface Collections {
  collections: {
    nodes: { id: string; name: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
}

const COLLECTIONS = gql`
  query Collections($after: String) {
    collections(first: 3, after: $after, sort: ALPHABETICAL) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }
` as TypedDocumentNode<Collections, { after?: string }>;
const COLLECTION = gql`query Collection($id: ID!) { collection(id: $id) { id name quantity } }`;
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

/** What a collection costs or holds has no id of its own: it belongs to its object. */
const embedded = Object.fromEntries(
  ['Money', 'PageInfo', 'Breach', 'Dashboard', 'AccountLimits'].map((type) => [type, () => null]),
);

describe('urql with graphcache', () => {
  let service: ClientService;
  let client: Client;

  beforeAll(async () => {
    service = await startClientService();
    client = new Client({
      url: service.url,
      preferGetMethod: false,
      fetchOptions: { headers: service.headers },
      exchanges: [
        cacheExchange({
          schema: introspectionFromSchema(createSchema()),
          keys: embedded,
          resolvers: { Query: { collections: relayPagination() } },
          updates: { Mutation: { createCollection: (_result, _args, cache: Cache) => forgetLists(cache) } },
        }),
        persistedExchange({ enforcePersistedQueries: false, preferGetForPersistedQueries: false }),
        fetchExchange,
      ],
    });
  });
  afterAll(() => service.stop());

  const forgetLists = (cache: Cache) => {
    for (const field of cache.inspectFields('Query')) {
      if (field.fieldName === 'collections') cache.invalidate('Query', field.fieldKey);
    }
  };
  const query = async <Data, Variables extends AnyVariables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<Data> => {
    const { data, error } = await client.query(document, variables).toPromise();
    expect(error).toBeUndefined();
    return data!;
  };

  it('pages with relayPagination', async () => {
    let data = await query(COLLECTIONS, {});
    while (data.collections.pageInfo.hasNextPage) {
      data = await query(COLLECTIONS, { after: data.collections.pageInfo.endCursor });
    }
    expect(data.collections.nodes.map(({ name }) => name)).toEqual(service.names);
  });

  it('answers from its cache, and updates it by the ids of what a mutation gives back', async () => {
    const id = service.stockedId;
    const first = await client.query(COLLECTION, { id }).toPromise();
    const from = service.sent.length;
    await client.mutation(RENAME, { id, name: 'Binder 1!' }).toPromise();
    expect(service.sent.length - from).toBeGreaterThan(0);
    const sent = service.sent.length;
    const again = await client.query(COLLECTION, { id }).toPromise();
    expect(service.sent.length).toBe(sent);
    expect(again.data.collection).toEqual({ ...first.data.collection, name: 'Binder 1!' });
    await client.mutation(RENAME, { id, name: 'Binder 1' }).toPromise();
  });

  it('reads a list again after a mutation has made it stale', async () => {
    await query(COLLECTIONS, {});
    const { data } = await client.mutation(CREATE, { name: 'Annex' }).toPromise();
    expect(data.createCollection.collection.id).toMatch(/^col_/);
    const list = await query(COLLECTIONS, {});
    expect(list.collections.nodes[0]?.name).toBe('Annex');
  });

  it('takes an expected failure as data', async () => {
    const { data, error } = await client.mutation(CREATE, { name: '' }).toPromise();
    expect(error).toBeUndefined();
    expect(data.createCollection.message).toMatch(/^name: must have 1 to 100 characters/);
  });

  it('sends a document once, and then its hash', async () => {
    const document = gql`query Once { viewer { id } }`;
    const from = service.sent.length;
    for (let i = 0; i < 2; i++) {
      await client.query(document, {}, { requestPolicy: 'network-only' }).toPromise();
    }
    const bodies = service.sent.slice(from).map((body) => JSON.parse(body));
    expect(bodies.map((body) => typeof body.query)).toEqual(['undefined', 'string', 'undefined']);
  });
});
