import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ConcreteRequest,
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getPaginationMetadata,
  getSingularSelector,
  Network,
  type ReaderFragment,
  RecordSource,
  Store,
  type Variables,
} from 'relay-runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { type ClientService, startClientService } from './service.ts';

interface Edges {
  totalCount?: number;
  edges: { node: { id: string; name?: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Compiles `relay-documents.ts` against the published schema; gives the folder of what the compiler made. */
async function compile(folder: string): Promise<string> {
  const artifacts = join(folder, 'artifacts');
  await mkdir(join(folder, 'src'));
  await mkdir(artifacts);
  await cp(projectPath('test/clients/relay-documents.ts'), join(folder, 'src/relayDocuments.js'));
  const config = {
    src: './src',
    schema: './schema.graphql',
    language: 'javascript',
    artifactDirectory: './artifacts',
    eagerEsModules: true,
    customScalarTypes: { SafeInt: 'number', Date: 'string', DateTime: 'string' },
    requireCustomScalarTypes: true,
  };
  await cp(projectPath('schema/schema.graphql'), join(folder, 'schema.graphql'));
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
  await promisify(execFile)(projectPath('node_modules/.bin/relay-compiler'), { cwd: folder });
  return artifacts;
}

describe('Relay', () => {
  let service: ClientService;
  let folder: string;
  let artifacts: string;
  let environment: Environment;

  beforeAll(async () => {
    service = await startClientService();
    folder = await mkdtemp(join(tmpdir(), 'cardledger-relay-'));
    artifacts = await compile(folder);
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  beforeEach(() => {
    environment = new Environment({
      store: new Store(new RecordSource()),
      network: Network.create(async ({ text }, variables) => {
        const response = await fetch(service.url, {
          method: 'POST',
          headers: { ...service.headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: text, variables }),
        });
        return response.json();
      }),
    });
  });

  const artifact = async <Artifact>(name: string): Promise<Artifact> =>
    (await import(/* @vite-ignore */ join(artifacts, `relayDocuments${name}.graphql.js`))).default;

  /** A list as Relay's components page it: the first page by a query, all others by the fragment's own. */
  async function list(name: string, key: string, variables: Variables = {}) {
    const query = await artifact<ConcreteRequest>(`${name}Query`);
    const fragment = await artifact<ReaderFragment>(`_${name[0]!.toLowerCase()}${name.slice(1)}`);
    const descriptor = createOperationDescriptor(query, { ...variables, count: 2 });
    environment.retain(descriptor);
    await fetchQuery(environment, query, { ...variables, count: 2 }).toPromise();
    const root = environment.lookup(descriptor.fragment).data as Record<string, object>;
    const owner = variables.id ? root.collection : root;
    const { paginationRequest } = getPaginationMetadata(fragment, name);
    const connection = () =>
      (environment.lookup(getSingularSelector(fragment, owner)!).data as Record<string, Edges>)[key]!;
    return {
      connection,
      ids: () => connection().edges.map(({ node }) => node.id),
      async loadAll(): Promise<void> {
        while (connection().pageInfo.hasNextPage) {
          const cursor = connection().pageInfo.endCursor;
          await fetchQuery(environment, paginationRequest, { ...variables, count: 2, cursor }).toPromise();
        }
      },
    };
  }

  it.each([
    ['Collections', 'collections'],
    ['Transactions', 'transactions'],
    ['Summaries', 'transactionSummaries'],
    ['Products', 'products'],
    ['Evs', 'productEvs'],
  ])('pages through %s by @refetchable and @connection', async (name, key) => {
    const variables = ['Transactions', 'Summaries'].includes(name) ? { id: service.stockedId } : {};
    const pages = await list(name, key, variables);
    expect(pages.ids()).toHaveLength(2);
    await pages.loadAll();
    const size = pages.connection().totalCount ?? service.variantIds.length;
    expect(size).toBeGreaterThan(2);
    expect(pages.ids()).toHaveLength(size);
    expect(new Set(pages.ids()).size).toBe(size);
  });

  const mutate = async (name: string, variables: Variables) => {
    const mutation = await artifact<ConcreteRequest>(`${name}Mutation`);
    return new Promise<Record<string, Record<string, unknown>>>((resolve, reject) => {
      commitMutation(environment, {
        mutation,
        variables,
        onCompleted: (response) => resolve(response as Record<string, Record<string, unknown>>),
        onError: reject,
      });
    });
  };

  it('shows what a mutation changed, by the id of what it gives back', async () => {
    const collections = await list('Collections', 'collections');
    await mutate('Rename', { id: service.stockedId, name: 'Binder 1!' });
    expect(collections.connection().edges[0]!.node).toMatchObject({
      id: service.stockedId,
      name: 'Binder 1!',
    });
    const failed = await mutate('Rename', { id: service.stockedId, name: '' });
    expect(failed.updateCollection!.message).toMatch(/^name: must have 1 to 100 characters/);
    await mutate('Rename', { id: service.stockedId, name: 'Binder 1' });
  });

  it('takes what a mutation deleted out of its connection', async () => {
    const collections = await list('Collections', 'collections');
    await collections.loadAll();
    const last = collections.ids().at(-1)!;
    const connection = ConnectionHandler.getConnectionID('client:root', 'relayDocuments_collections', {
      sort: 'ALPHABETICAL',
    });
    await mutate('Delete', { id: last, connections: [connection] });
    expect(collections.ids()).not.toContain(last);
  });
});
