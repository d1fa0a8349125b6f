import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { CardledgerError, type Event } from '../../../packages/client/src/index.ts';
import { createCollection } from '../../../src/services/collections/create.ts';
import { deleteCollection } from '../../../src/services/collections/delete.ts';
import { updateCollection } from '../../../src/services/collections/update.ts';
import * as generated from '../../generated/graphql.ts';
import { describeOnDatabases, pricedVariants } from '../../harness.ts';
import { isFor, startService } from './service.ts';

const CREATE = `mutation($input: CreateCollectionInput!) {
  createCollection(input: $input) {
    __typename
    ... on CreateCollectionPayload { collection { id name } }
    ... on Error { message }
    ... on ValidationFailed { errors { path detail } }
  }
}`;
const NAMES = `query($after: String) {
  collections(first: 2, after: $after, sort: ALPHABETICAL) { nodes { name } pageInfo { hasNextPage endCursor } }
}`;
const CHANGED = 'subscription($id: ID!) { collectionChanged(id: $id) { kind collection { name } } }';

interface Names {
  collections: { nodes: { name: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}
interface Changed {
  collectionChanged: { kind: string; collection: { name: string } | null };
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
const failureOf = async (call: Promise<unknown>): Promise<CardledgerError> =>
  call.then(
    () => {
      throw new Error('It was done.');
    },
    (error) => error,
  );

describeOnDatabases('@cardledger/client', (database) => {
  it('runs typed documents', async () => {
    const { client } = await startService(database());
    const { products } = await client.query(generated.FirstQueryDocument);
    expectTypeOf(products!.nodes[0]!.name).toEqualTypeOf<string>();
    expect(products!.nodes[0]!.name).toBe('Command and Conquer');
    const done = await client.mutate(generated.CreateCollectionDocument, {
      input: { name: 'My first binder' },
    });
    expectTypeOf(done.createCollection.__typename).toEqualTypeOf<'CreateCollectionPayload'>();
    expect(done.createCollection.collection.name).toBe('My first binder');
  });

  it('does once what is sent thrice, as the answers are lost', async () => {
    const { clientBy, client, ctx } = await startService(database());
    const answers = new Map<string, number>();
    const lossy = clientBy(async (request, deliver) => {
      const response = await deliver();
      const path = new URL(request.url).pathname;
      answers.set(path, (answers.get(path) ?? 0) + 1);
      if (path !== '/oauth2/token' && answers.get(path)! % 3 !== 0) throw new TypeError('fetch failed');
      return response;
    });
    await lossy.mutate(CREATE, { input: { name: 'By GraphQL' } });
    const { data: binder } = await lossy.rest('POST', '/collection', { body: { name: 'By REST' } });
    const [variantId] = await pricedVariants(database(), 1);
    const path = { collectionId: binder.collectionId };
    await lossy.rest('POST', '/collection/{collectionId}/transaction', {
      path,
      body: {
        variantId: variantId!,
        occurredDate: '2026-04-01',
        action: 'Purchase',
        quantity: 2,
        unitAmount: { currency: 'USD', value: 1 },
      },
    });
    expect(
      (await all(client.items<Names, { name: string }>(NAMES, {}, (data) => data.collections))).map(
        ({ name }) => name,
      ),
    ).toEqual(['By GraphQL', 'By REST']);
    expect((await client.rest('GET', '/collection/{collectionId}', { path })).data.quantity).toBe(2);
    await lossy.rest('DELETE', '/collection/{collectionId}', { path });
    const gone = await failureOf(client.rest('GET', '/collection/{collectionId}', { path }));
    expect(gone.code).toBe('NotFound');
    expect(answers.get('/graphql')).toBe(3);
    expect(ctx.caller.clientId).toMatch(/^cli_/);
  });

  it('iterates over lists through both transports, page by page as they are asked for', async () => {
    const { clientBy, ctx } = await startService(database());
    const names = ['A', 'B', 'C', 'D', 'E'];
    for (const name of names) await createCollection(ctx, { name });
    let requests = 0;
    const client = clientBy((request, deliver) => {
      if (!isFor(request, '/oauth2/token')) requests += 1;
      return deliver();
    });
    const byGraphql = client.items<Names, { name: string }>(NAMES, {}, (data) => data.collections);
    expect((await byGraphql.next()).value).toEqual({ name: 'A' });
    expect(requests).toBe(1);
    expect((await all(byGraphql)).map(({ name }) => name)).toEqual(names.slice(1));
    expect(requests).toBe(3);
    const byRest = client.restItems('/collection', { query: { sort: 'Alphabetical', pageSize: 2 } });
    expect((await all(byRest)).map(({ name }) => name)).toEqual(names);
    expect(requests).toBe(6);
    expect(
      await all(
        client.items<{ collection: null }, never>(
          '{ collection(id: "col_none") { id } }',
          {},
          ({ collection }) => collection,
        ),
      ),
    ).toEqual([]);
  });

  it('ends a list of REST that has become shorter, and not one whose collection is gone', async () => {
    const { client, ctx } = await startService(database());
    const made = [];
    for (const name of ['A', 'B', 'C']) made.push(await createCollection(ctx, { name }));
    const list = client.restItems('/collection', { query: { sort: 'Alphabetical', pageSize: 2 } });
    await list.next();
    await list.next();
    for (const { id } of made.slice(1)) await deleteCollection(ctx, id);
    expect((await list.next()).done).toBe(true);
    expect((await failureOf(client.restItems('/collection', { query: { cursor: 9 } }).next())).code).toBe(
      'NotFound',
    );
  });

  it('tells that a document cannot page', async () => {
    const { client, ctx } = await startService(database());
    for (const name of ['A', 'B', 'C']) await createCollection(ctx, { name });
    const forgetful = NAMES.replace('query($after: String)', 'query').replace('after: $after,', '');
    const pages = client.items<Names, { name: string }>(forgetful, {}, (data) => data.collections);
    await expect(all(pages)).rejects.toThrow(/has to take \$after/);
  });

  it('throws problems of both transports in one shape', async () => {
    const { client } = await startService(database());
    const breach = { path: ['name'], detail: expect.stringMatching(/^must have 1 to 100 characters/) };
    const byGraphql = await failureOf(client.mutate(CREATE, { input: { name: '' } }));
    const byRest = await failureOf(client.rest('POST', '/collection', { body: { name: '' } }));
    for (const error of [byGraphql, byRest]) {
      expect(error).toBeInstanceOf(CardledgerError);
      expect(error.is('NotFound')).toBe(false);
      if (!error.is('ValidationFailed')) throw error;
      expectTypeOf(error.errors).toEqualTypeOf<{ path: string[]; detail: string }[]>();
      expect(error.errors).toEqual([breach]);
    }
    expect(byRest).toMatchObject({ status: 400, requestId: expect.stringMatching(/./) });
    const parameter = await failureOf(client.rest('GET', '/collection', { query: { pageSize: 201 } }));
    expect(parameter.errors).toEqual([{ path: ['pageSize'], detail: expect.any(String) }]);
    const vague = CREATE.replace('__typename', '').replace(
      '... on ValidationFailed { errors { path detail } }',
      '',
    );
    expect((await failureOf(client.mutate(vague, { input: { name: '' } }))).code).toBe('UnknownFailure');
    const silent =
      'mutation($input: CreateCollectionInput!) { createCollection(input: $input) { __typename } }';
    expect((await failureOf(client.mutate(silent, { input: { name: '' } }))).code).toBe('ValidationFailed');
  });

  it('throws what GraphQL refuses, with what was answered besides', async () => {
    const { client } = await startService(database());
    const bad = await failureOf(client.query('{ nothing }'));
    expect(bad).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', requestId: expect.any(String) });
    const dear = '{ collections(first: 200) { nodes { transactions(first: 200) { nodes { id } } } } }';
    expect((await failureOf(client.query(dear))).code).toBe('COST_LIMIT');
    const { data, errors } = await client.execute<{ viewer: { name: string } }>('{ viewer { name } }');
    expect({ name: data!.viewer.name, errors }).toEqual({ name: expect.any(String), errors: undefined });
    const { errors: refused } = await client.execute('{ nothing }');
    expect(refused![0]!.extensions!.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('changes only what is still as it was read', async () => {
    const { client, ctx } = await startService(database());
    const { id: collectionId } = await createCollection(ctx, { name: 'A' });
    const path = { collectionId };
    const { etag } = await client.rest('GET', '/collection/{collectionId}', { path });
    const body = { name: 'B', valued: false, description: '', pinned: false, image: 0 };
    const changed = await client.rest('PUT', '/collection/{collectionId}', { path, body, ifMatch: etag! });
    expect(changed.data.name).toBe('B');
    expect(changed.etag).not.toBe(etag);
    const late = client.rest('PUT', '/collection/{collectionId}', { path, body, ifMatch: etag! });
    expect((await failureOf(late)).code).toBe('PreconditionFailed');
  });

  const followed = async (service: Awaited<ReturnType<typeof startService>>) => {
    const { id } = await createCollection(service.ctx, { name: '1' });
    return { id, rename: (name: string) => updateCollection(service.ctx, id, { name }) };
  };
  const nameIn = ({ value }: IteratorResult<Event<Changed>, void>) =>
    (value as Event<Changed>).data!.collectionChanged.collection?.name;

  it('follows changes, each once and in order, over connections that are lost', async () => {
    const service = await startService(database());
    const { id, rename } = await followed(service);
    const bodies: ReadableStream[] = [];
    let connections = 0;
    const cut: (() => void)[] = [];
    const client = service.clientBy(async (request, deliver) => {
      const response = await deliver();
      if (!isFor(request, '/graphql')) return response;
      connections += 1;
      // The second one is refused by the network.
      if (connections === 2) throw new TypeError('fetch failed');
      let end!: () => void;
      const lost = new TransformStream({
        start: (controller) => {
          end = () => controller.error(new TypeError('terminated'));
        },
      });
      cut.push(end);
      bodies.push(response.body!);
      return new Response(response.body!.pipeThrough(lost), response);
    });
    const events = client.subscribe<Changed, { id: string }>(CHANGED, { id });
    const first = events.next();
    while (connections < 1) await new Promise(setImmediate);
    await rename('2');
    expect(nameIn(await first)).toBe('2');
    cut[0]!();
    await rename('3');
    await rename('4');
    const kinds = [await events.next(), await events.next()].map(
      ({ value }) => (value as Event<Changed>).data!.collectionChanged.kind,
    );
    expect(kinds).toEqual(['UPDATED', 'UPDATED']);
    expect(connections).toBe(3);
    await rename('5');
    const { value } = await events.next();
    expect(value).toMatchObject({
      id: `evt_${id}_5`,
      data: { collectionChanged: { collection: { name: '5' } } },
    });
    await deleteCollection(service.ctx, id);
    expect(((await events.next()).value as Event<Changed>).data!.collectionChanged.kind).toBe('DELETED');
    expect((await events.next()).done).toBe(true);
  });

  it('goes on after an event that is known, and tells what is not kept any more', async () => {
    const service = await startService(database());
    const { id, rename } = await followed(service);
    for (const name of ['2', '3']) await rename(name);
    const from = (lastEventId: string) => {
      const events = service.client.subscribe<Changed, { id: string }>(CHANGED, { id }, { lastEventId });
      onTestFinished(async () => void (await events.return()));
      return events;
    };
    expect((await from(`evt_${id}_2`).next()).value).toMatchObject({ id: `evt_${id}_3` });
    await service.ctx.db.query('delete from event where account_id = $1 and stream = $2', [
      service.ctx.caller.accountId,
      id,
    ]);
    const late = from(`evt_${id}_1`);
    const { value } = await late.next();
    expect(value).toMatchObject({ data: null, error: { code: 'EVENTS_MISSED' }, id: `evt_${id}_3` });
    await rename('4');
    expect(nameIn(await late.next())).toBe('4');
  });

  it('goes on with another token when one expires', async () => {
    let later = 0;
    const service = await startService(database(), { now: () => new Date(Date.now() + later) });
    const { id, rename } = await followed(service);
    let tokens = 0;
    let streams = 0;
    const client = service.clientBy(async (request, deliver) => {
      const response = await deliver();
      if (isFor(request, '/oauth2/token')) tokens += 1;
      else if (response.ok) streams += 1;
      return response;
    });
    const events = client.subscribe<Changed, { id: string }>(CHANGED, { id });
    const next = events.next();
    while (streams < 1) await new Promise(setImmediate);
    later = 3_601_000;
    while (streams < 2) await new Promise(setImmediate);
    await rename('2');
    expect(nameIn(await next)).toBe('2');
    expect(tokens).toBe(2);
    await events.return();
  });

  it('ends a subscription by its signal, and throws what the service refuses', async () => {
    const service = await startService(database());
    const { id } = await followed(service);
    const stop = new AbortController();
    const events = service.client.subscribe<Changed, { id: string }>(
      CHANGED,
      { id },
      { signal: stop.signal },
    );
    const next = events.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    const none = service.client.subscribe(CHANGED, { id: 'col_01kn3w4v5h2c8q6r9t0m1n2p3q' });
    expect((await failureOf(none.next())).code).toMatch(/^(NotFound|BAD_USER_INPUT)$/);
    const wrong = service.client.subscribe('subscription { nothing }', {});
    expect((await failureOf(wrong.next())).code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});
