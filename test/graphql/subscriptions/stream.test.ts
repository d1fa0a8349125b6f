import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { revokeClient } from '../../../src/services/clients/revoke.ts';
import { createCollection } from '../../../src/services/collections/create.ts';
import { updateCollection } from '../../../src/services/collections/update.ts';
import type { Context } from '../../../src/services/context.ts';
import { announceCollections } from '../../../src/services/events/announce.ts';
import { createTransactions } from '../../../src/services/transactions/create.ts';
import { describeOnDatabases, NOW, pricedVariants } from '../../harness.ts';
import { eventually } from '../../support/eventually.ts';
import { contextOf, entry } from '../../support/furnished.ts';
import { COLLECTION_CHANGED, startServer, subscribe, type TestServer } from './support.ts';

const HOUR_MILLIS = 3_600_000;
const EVENTS = 25;

/** Everything of 1,000 transactions, so that a few changes fill what a network holds back. */
const LARGE = `subscription ($id: ID!) { collectionChanged(id: $id) {
  kind transactions { id variant { variantName fcId product { name description imageUrl } } } } }`;

function request(
  server: TestServer,
  options: { body?: object; headers?: Record<string, string>; path?: string } = {},
) {
  const { body, headers, path = '' } = options;
  return fetch(`${server.url}${path}`, {
    headers: { Authorization: `Bearer ${server.app.token}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/** Reads a stream until its text fits. */
async function textUntil(response: Response, pattern: RegExp): Promise<string> {
  let text = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader.cancel());
  while (!pattern.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended with ${text}`);
    text += value;
  }
  return text;
}

/** A client that takes what was sent only when it is told to. */
function rawSubscription({ url, app }: TestServer, id: string, query = COLLECTION_CHANGED): Socket {
  const { port } = new URL(url);
  const body = JSON.stringify({ query, variables: { id } });
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(
    [
      'POST /graphql HTTP/1.1',
      'Host: localhost',
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Authorization: Bearer ${app.token}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  return socket;
}

describeOnDatabases('a stream of events', (database, kind) => {
  const start = async (options = {}) => {
    const server = await startServer(database(), options);
    const ctx = contextOf(database(), server.app);
    const { id } = await createCollection(ctx, { name: 'Followed' });
    return { server, ctx, id, rename: (name: string) => updateCollection(ctx, id, { name }) };
  };
  const following = (id: string) => ({ query: COLLECTION_CHANGED, variables: { id } });

  it('may be cancelled by who reads it', async () => {
    const { server, id } = await start();
    const headers = { Authorization: `Bearer ${server.app.token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify(following(id));
    const { status, body: stream } = await server.app.fetch(
      new Request('http://cardledger.test/graphql', {
        method: 'POST',
        headers: { ...headers, Accept: 'text/event-stream' },
        body,
      }),
    );
    expect(status).toBe(200);
    await expect(stream!.cancel()).resolves.toBeUndefined();
  });

  it('is not begun by HEAD, whose answer has no place for one', async () => {
    const { server, id } = await start();
    const parameters = new URLSearchParams({ query: COLLECTION_CHANGED, variables: JSON.stringify({ id }) });
    const { status } = await server.app.send('HEAD', `/graphql?${parameters}`, undefined, {
      Accept: 'text/event-stream',
    });
    expect(status).toBe(200);
    const { body: metrics } = await server.app.send('GET', '/metrics');
    expect(metrics).toContain('cardledger_graphql_subscriptions{field="collectionChanged"} 0');
  });

  it('begins with the id to go on from, gives one with each event, and signs of life between them', async () => {
    const { server, id, rename } = await start();
    const response = await request(server, { body: following(id) });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await rename('New');
    const text = await textUntil(response, /event: next.*\n\n:\n\n/s);
    const [first, ...others] = text.split('\n\n').filter((part) => part !== ':' && part !== '');
    expect(first).toBe(`id: evt_${id}_1\n:`);
    expect(others).toEqual([expect.stringMatching(new RegExp(`^id: evt_${id}_2\nevent: next\ndata: {.*}$`))]);
  });

  it('goes on after Last-Event-ID, or after extensions.lastEventId, which counts more', async () => {
    const { server, id, rename } = await start();
    for (const name of ['2', '3', '4']) await rename(name);
    const after = (sequence: number) => `evt_${id}_${sequence}`;
    const header = { 'Last-Event-ID': after(2) };
    const extensions = { lastEventId: after(3) };
    const byHeader = await request(server, { body: following(id), headers: header });
    expect(await textUntil(byHeader, /_4\nevent/)).toMatch(
      /_2\n:\n\nid: \S+_3\nevent: next\n.*_4\nevent: next/s,
    );
    const byBoth = await request(server, { body: { ...following(id), extensions }, headers: header });
    expect(await textUntil(byBoth, /_4\nevent/)).not.toContain('_3\nevent');
    for (const lastEventId of ['', 5, true, [after(3)], {}, { toString: 1 }]) {
      const answer = await request(server, { body: { ...following(id), extensions: { lastEventId } } });
      expect(await textUntil(answer, /"code":"\w+"/)).toContain('"code":"BAD_USER_INPUT"');
    }
  });

  it('is what a GET gives too, as EventSource sends it', async () => {
    const { server, id, rename } = await start();
    const parameters = new URLSearchParams({
      query: COLLECTION_CHANGED,
      variables: JSON.stringify({ id }),
    });
    const response = await request(server, {
      path: `?${parameters}`,
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': '' },
    });
    await rename('New');
    expect(await textUntil(response, /data: {/)).toContain(`id: evt_${id}_2\nevent: next\n`);
  });

  it('is refused to who takes only JSON, with a code', async () => {
    const { server, id } = await start();
    const response = await request(server, { body: following(id), headers: { Accept: 'application/json' } });
    expect(response.status).toBe(406);
    const { errors, ...others } = await response.json();
    expect(errors).toMatchObject([{ extensions: { code: 'MalformedRequest' } }]);
    expect(others).not.toHaveProperty('data');
  });

  it.each([
    ['a query', 'query { viewer { name } }', { data: { viewer: { name: 'Test' } } }],
    [
      'a mutation',
      'mutation { createCollection(input: { name: "By events" }) { __typename } }',
      { data: { createCollection: { __typename: 'CreateCollectionPayload' } } },
    ],
    ['what is not valid', '{ nothing }', { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] }],
  ])('answers %s once', async (_, query, result) => {
    const { server } = await start();
    const response = await request(server, { body: { query }, headers: { Accept: 'text/event-stream' } });
    const text = await response.text();
    expect(response.status).toBe(200);
    const [, data] = /^:\n\nevent: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text)!;
    expect(JSON.parse(data!)).toMatchObject(result);
  });

  it('ends with an error when the token expires', async () => {
    let millis = 0;
    const { server, id } = await start({ now: () => new Date(NOW.getTime() + millis) });
    const expiring = subscribe(server, id);
    await expiring.connected;
    millis = HOUR_MILLIS;
    expect(await expiring.ended).toBe('complete');
    expect(expiring.results).toMatchObject([
      { errors: [{ message: expect.stringContaining('expired'), extensions: { code: 'Unauthorized' } }] },
    ]);
  });

  it('ends with an error when the client of its token is revoked', async () => {
    let millis = 0;
    const { server, ctx, id } = await start({ now: () => new Date(NOW.getTime() + millis) });
    const revoked = subscribe(server, id);
    await revoked.connected;
    const [client] = await ctx.db.query<{ id: string }>('select id from client where account_id = $1', [
      ctx.caller.accountId,
    ]);
    await revokeClient(database(), { clientId: client!.id, now: NOW });
    millis = 60_000;
    expect(await revoked.ended).toBe('complete');
    expect(revoked.results).toMatchObject([{ errors: [{ extensions: { code: 'Unauthorized' } }] }]);
  });

  it('tells a client that it missed events, and goes on', async () => {
    const { server, ctx, id, rename } = await start();
    for (const name of ['2', '3']) await rename(name);
    await ctx.db.query('delete from event where account_id = $1 and stream = $2', [ctx.caller.accountId, id]);
    const subscription = subscribe(server, id, { lastEventId: `evt_${id}_1` });
    await subscription.until(1);
    await rename('4');
    const [missed, next] = await subscription.until(2);
    expect(missed).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'EVENTS_MISSED' } }],
      extensions: { eventId: `evt_${id}_3` },
    });
    expect(next).toMatchObject({ data: { collectionChanged: { collection: { name: '4' } } } });
  });

  it('ends without a word when the server stops, so that clients connect again', async () => {
    const { server, id } = await start();
    const subscription = subscribe(server, id);
    await subscription.connected;
    const stuck = rawSubscription(server, id);
    await once(stuck, 'readable');
    const closed = once(stuck.resume(), 'close');
    await server.stop();
    await closed;
    expect(await subscription.ended).not.toBe('complete');
    expect(subscription.results).toEqual([]);
  });

  // It is the network's part that is slow here, whatever the database.
  const isOnce = kind === 'postgres' || !inject('postgresUrl');
  describe.runIf(isOnce)('to a client that takes nothing', () => {
    const flood = async (ctx: Context, id: string, socket: Socket) => {
      const [variantId] = (await pricedVariants(database(), 1)) as [string];
      await once(socket, 'readable');
      const entries = Array.from({ length: 1000 }, () => entry(variantId));
      await createTransactions(ctx, id, entries);
      // The same again and again.
      await ctx.db.query(
        `with more as (
           insert into event (account_id, stream, sequence, kind, transaction_ids, variant_ids)
           select account_id, stream, sequence + n, kind, transaction_ids, variant_ids
           from event, generate_series(1, ${EVENTS} - 1) n where account_id = $1 and stream = $2 and sequence > 1
         )
         update collection set revision = revision + ${EVENTS} - 1 where account_id = $1 and id = $2`,
        [ctx.caller.accountId, id],
      );
      announceCollections(ctx.db, ctx.caller.accountId, [{ id }]);
    };

    it('is cut', async () => {
      const { server, ctx, id } = await start({ pingMillis: 300 });
      const socket = rawSubscription(server, id, LARGE);
      await flood(ctx, id, socket);
      let received = '';
      await eventually(async () => expect(await server.connections()).toBe(0));
      socket.setEncoding('utf8').on('data', (text) => {
        received += text;
      });
      await once(socket, 'close');
      const events = received.split('event: next').length - 1;
      expect(events).toBeLessThan(EVENTS);
      expect(received).not.toContain('event: complete');
    });

    it('goes on, when it takes it in time', async () => {
      const { server, ctx, id } = await start({ pingMillis: 20_000 });
      const socket = rawSubscription(server, id, LARGE);
      await flood(ctx, id, socket);
      let events = 0;
      socket.setEncoding('utf8').on('data', (text: string) => {
        events += text.split('event: next').length - 1;
      });
      await eventually(() => expect(events).toBe(EVENTS));
      expect(socket.closed).toBe(false);
    });
  });
});
