import { type Client, createClient, type RequestParams } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientService, startClientService } from './service.ts';

interface Page {
  collections: {
    nodes: { id: string; name: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
}
interface Change {
  collectionChanged: { kind: string; collection: { id: string; name: string } | null };
}

const PAGE = `query ($after: String) {
  collections(first: 3, after: $after, sort: ALPHABETICAL) { nodes { id name } pageInfo { hasNextPage endCursor } }
}`;
const CHANGES = `subscription ($id: ID!) {
  collectionChanged(id: $id) { kind collection { id name } }
}`;
const RENAME = `mutation ($id: ID!, $name: String!) {
  updateCollection(input: { id: $id, name: $name }) { __typename }
}`;

describe('graphql-sse', () => {
  let service: ClientService;
  let client: Client;

  beforeAll(async () => {
    service = await startClientService();
    client = createClient({ url: service.url, headers: service.headers, retryAttempts: 0 });
  });
  afterAll(async () => {
    client.dispose();
    await service.stop();
  });

  const execute = async <Data>(request: RequestParams): Promise<Data> => {
    for await (const { data, errors } of client.iterate<Data>(request)) {
      expect(errors).toBeUndefined();
      return data!;
    }
    throw new Error('no result');
  };

  it('pages, follows, mutates, and keeps its list up to date by what it is told', async () => {
    const shown = new Map<string, string>();
    let after: string | undefined;
    for (let more = true; more; ) {
      const { collections }: Page = await execute<Page>({ query: PAGE, variables: { after } });
      for (const { id, name } of collections.nodes) shown.set(id, name);
      ({ hasNextPage: more, endCursor: after } = collections.pageInfo);
    }
    expect([...shown.values()]).toEqual(service.names);

    const id = service.stockedId;
    const changes = client.iterate<Change>({ query: CHANGES, variables: { id } });
    const change = changes.next();
    // The subscription and the mutation are requests of their own: the change may come before it is followed.
    let told = false;
    const untilTold = change.finally(() => {
      told = true;
    });
    for (let i = 1; !told; i++) {
      await execute({ query: RENAME, variables: { id, name: `Binder 1, version ${i}` } });
    }
    const { collection, kind } = (await untilTold).value!.data!.collectionChanged;
    await changes.return?.();
    shown.set(collection!.id, collection!.name);
    expect(kind).toBe('UPDATED');
    expect(shown.get(id)).toMatch(/^Binder 1, version \d+$/);
  });
});
