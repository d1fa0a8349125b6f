import { ClientError, GraphQLClient, gql } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsDocument } from '../generated/graphql.ts';
import { type ClientService, startClientService } from './service.ts';

interface Page {
  collections: { nodes: { name: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

const PAGE = gql`
  query Page($after: String) {
    collections(first: 3, after: $after, sort: ALPHABETICAL) {
      nodes { name }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

describe('graphql-request', () => {
  let service: ClientService;
  let client: GraphQLClient;

  beforeAll(async () => {
    service = await startClientService();
    client = new GraphQLClient(service.url, { headers: service.headers });
  });
  afterAll(() => service.stop());

  it('pages', async () => {
    const names: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const page: Page = await client.request<Page>(PAGE, { after });
      names.push(...page.collections.nodes.map(({ name }) => name));
      ({ endCursor: after, hasNextPage: more } = page.collections.pageInfo);
    }
    expect(names).toEqual(service.names);
  });

  it('takes the typed documents that the code generator makes', async () => {
    const { collections } = await client.request(CollectionsDocument);
    expect(collections.totalCount).toBe(service.names.length);
    expect(collections.nodes[0]?.transactionSummaries.totalCount).toBe(service.variantIds.length);
  });

  it('mutates, and sees what it did', async () => {
    const { createCollection } = await client.request<{
      createCollection: { collection: { id: string } };
    }>(gql`
      mutation { createCollection(input: { name: "Zed" }) { ... on CreateCollectionPayload { collection { id } } } }
    `);
    const { collection } = await client.request<{ collection: { name: string } }>(
      gql`query ($id: ID!) { collection(id: $id) { name } }`,
      { id: createCollection.collection.id },
    );
    expect(collection.name).toBe('Zed');
  });

  it('throws what the server refuses, with its code', async () => {
    const error = await client.request(gql`{ nope }`).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ClientError);
    const { status, errors } = (error as ClientError).response;
    expect([status, errors?.[0]?.extensions?.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    const nobody = new GraphQLClient(service.url);
    const refusal = await nobody.request(gql`{ viewer { id } }`).catch((error: unknown) => error);
    expect((refusal as ClientError).response.status).toBe(401);
  });
});
