import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { EVENTS_AFTER } from '../../src/db/queries/events.ts';
import { STALE_FOLLOWED } from '../../src/db/queries/valuation.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { eventId } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import type { Event, FollowRequest } from '../../src/services/events/follower.ts';
import { createEventHub, type EventHub, type Following } from '../../src/services/events/hub.ts';
import { purgeEvents } from '../../src/services/events/purge.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { describeOnDatabases, newAccount, pricedVariants } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from '../support/furnished.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';

const CHECK_MILLIS = 50;
const NEVER = 3_600_000;

const unexpected = (error: unknown) => {
  throw error;
};

interface Followed {
  ctx: Context;
  id: string;
  rename(name: string): Promise<unknown>;
}

async function newCollection(db: OpenDatabase): Promise<Followed> {
  const ctx = await newAccount(db);
  const { id } = await createCollection(ctx, { name: 'Followed' });
  return { ctx, id, rename: (name) => updateCollection(ctx, id, { name }) };
}

async function follow(
  hub: EventHub,
  { ctx, id }: Pick<Followed, 'ctx' | 'id'>,
  options: Partial<FollowRequest> = {},
) {
  const following = await hub.follow({
    ctx,
    stream: id,
    after: null,
    assertAllowed: async () => {},
    ...options,
  });
  onTestFinished(() => void following.return());
  return following;
}

async function take(following: Following, count: number): Promise<Event[]> {
  const events: Event[] = [];
  while (events.length < count) {
    const { value, done } = await following.next();
    if (done) throw new Error(`It ended after ${events.length} events.`);
    events.push(value);
  }
  return events;
}

const sequenceOf = ({ id }: Pick<Event, 'id'>) => Number(id.split('_').at(-1));

describeOnDatabases('those who follow events', (database) => {
  it('get each event once, in its order, however often they come back, while many write', async () => {
    const { ctx, id } = await newCollection(database());
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const hub = createEventHub(database(), unexpected, CHECK_MILLIS);
    const written: string[] = [];
    const write = async (writer: number) => {
      for (let i = 0; i < 15; i++) {
        const [first] = await createTransactions(ctx, id, [entry(variantId), entry(variantId)]);
        written.push(first!.id);
        if ((writer + i) % 3 === 0) await deleteTransaction(ctx, first!.id);
      }
    };
    const received: Event[] = [];
    let target = Number.POSITIVE_INFINITY;
    const read = async () => {
      let after: string | null = eventId(id, 1);
      while (received.length < target) {
        const following: Following = await follow(hub, { ctx, id }, { after });
        // Between one and twelve events, then the connection is lost, at times before they were taken.
        for (const event of await take(following, 1 + (received.length % 12))) received.push(event);
        after = following.lastId();
        await following.return();
      }
    };
    const reading = read();
    await Promise.all([0, 1, 2, 3].map(write));
    target = (await getCollection(ctx, id)).revision! - 1;
    // For a reader that waits for more than there are.
    for (let i = 0; i < 12; i++) await createTransaction(ctx, id, entry(variantId));
    await reading;
    expect(received.map(sequenceOf)).toEqual(received.map((_, i) => i + 2));
    const created = received.flatMap((event) =>
      event.kind === 'TransactionsCreated' ? event.transactionIds! : [],
    );
    expect(new Set(created).size).toBe(created.length);
    expect(created).toEqual(expect.arrayContaining(written));
  });

  it('have few ids read ahead for them, and miss nothing of what was not', async () => {
    const { ctx, id } = await newCollection(database());
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    const size = LIMITS.eventIdsReadAhead;
    for (let i = 0; i < 3; i++) await createTransactions(ctx, id, Array(size).fill(entry(variantId)));
    await updateCollection(ctx, id, { name: 'Renamed' });
    const read: number[] = [];
    const query: typeof ctx.db.query = async (text, params) => {
      const rows = await ctx.db.query(text, params);
      if (text === EVENTS_AFTER) read.push(rows.length);
      return rows as never;
    };
    const counted = { ...ctx, db: { ...database(), query } };
    const hub = createEventHub(database(), unexpected, NEVER);
    const following = await follow(hub, { ctx: counted, id }, { after: eventId(id, 1) });
    expect((await take(following, 1)).map(sequenceOf)).toEqual([2]);
    // A client that takes no more holds no other.
    expect(read).toEqual([1]);
    expect((await take(following, 3)).map(sequenceOf)).toEqual([3, 4, 5]);
    expect(read).toEqual([1, 1, 1, 1]);
  });

  it('get what was not announced, by looking at the log', async () => {
    const { ctx, id } = await newCollection(database());
    const silent = { ...ctx, db: { ...database(), notify: () => {} } };
    const following = await follow(createEventHub(database(), unexpected, CHECK_MILLIS), { ctx, id });
    const next = take(following, 1);
    await updateCollection(silent, id, { name: 'Quiet' });
    expect(await next).toMatchObject([{ kind: 'Updated' }]);
  });

  it('hear at once, without looking at the log', async () => {
    const { ctx, id, rename } = await newCollection(database());
    const following = await follow(createEventHub(database(), unexpected, NEVER), { ctx, id });
    for (const name of ['One', 'Two', 'Three']) {
      const next = take(following, 1);
      await rename(name);
      await next;
    }
  });

  it('end with the deletion of the collection', async () => {
    const { ctx, id } = await newCollection(database());
    const following = await follow(createEventHub(database(), unexpected, NEVER), { ctx, id });
    await deleteCollection(ctx, id);
    expect(await take(following, 1)).toMatchObject([{ kind: 'Deleted' }]);
    expect((await following.next()).done).toBe(true);
  });

  it('are told where they missed events that are not kept any more, and go on from there', async () => {
    const { ctx, id, rename } = await newCollection(database());
    const age = (sequence: number, age: string) =>
      ctx.db.query(
        `update event set created_at = now() - interval '${age}' where account_id = $1 and stream = $2 and sequence = $3::bigint`,
        [ctx.caller.accountId, id, sequence],
      );
    for (const name of ['2', '3', '4', '5']) await rename(name);
    await age(2, '24 hours 1 minute');
    await age(3, '24 hours 1 second');
    await age(4, '23 hours 59 minutes');
    expect(await purgeEvents(database())).toBeGreaterThanOrEqual(2);
    const hub = createEventHub(database(), unexpected, NEVER);
    const from = async (sequence: number) => follow(hub, { ctx, id }, { after: eventId(id, sequence) });
    expect((await take(await from(3), 2)).map(sequenceOf)).toEqual([4, 5]);
    for (const tooOld of [2, 1, 99]) {
      const following = await from(tooOld);
      expect(await take(following, 1)).toMatchObject([{ kind: 'Missed', id: eventId(id, 5) }]);
      const [next] = await Promise.all([take(following, 1), rename(`after ${tooOld}`)]);
      expect(next).toMatchObject([{ kind: 'Updated', id: eventId(id, 6) }]);
      await ctx.db.query('delete from event where account_id = $1 and stream = $2 and sequence = 6', [
        ctx.caller.accountId,
        id,
      ]);
      await ctx.db.query('update collection set revision = 5 where account_id = $1 and id = $2', [
        ctx.caller.accountId,
        id,
      ]);
    }
    await ctx.db.query('delete from event where account_id = $1 and stream = $2', [ctx.caller.accountId, id]);
    expect(await take(await from(4), 1)).toMatchObject([{ kind: 'Missed', id: eventId(id, 5) }]);
    // Who has the newest event has missed nothing.
    const [next] = await Promise.all([take(await from(5), 1), rename('next')]);
    expect(next).toMatchObject([{ kind: 'Updated', id: eventId(id, 6) }]);
  });

  it('end when they may not go on, and wait while nobody can tell', async () => {
    const { ctx, id, rename } = await newCollection(database());
    const hub = createEventHub(database(), unexpected, CHECK_MILLIS);
    const assertAllowed = vi.fn(async () => {});
    const following = await follow(hub, { ctx, id }, { assertAllowed });
    const unavailable = new DomainError('Unavailable', 'no database');
    assertAllowed.mockRejectedValue(unavailable);
    const next = take(following, 1);
    await rename('Unseen');
    await eventually(() => expect(assertAllowed.mock.calls.length).toBeGreaterThan(3));
    assertAllowed.mockResolvedValue();
    expect(await next).toMatchObject([{ kind: 'Updated' }]);
    const refused = take(following, 1);
    assertAllowed.mockRejectedValue(new DomainError('Unauthorized', 'expired'));
    await expect(refused).rejects.toThrow('expired');
    expect((await following.next()).done).toBe(true);
  });

  it('are bounded for a client and for a node, and make room when they end', async () => {
    const hub = createEventHub(database(), unexpected, NEVER);
    const first = await newCollection(database());
    const others = await Promise.all(Array.from({ length: 5 }, () => newCollection(database())));
    // Two clients of an account are as many as it may have.
    const ofClient = (number: number) => {
      const { ctx, id } = [first, ...others][Math.floor(number / 2)]!;
      return { ctx: { ...ctx, caller: { ...ctx.caller, clientId: `cli_${number}` } }, id };
    };
    const followings: Following[] = [];
    const fill = async (number: number, count: number) => {
      followings.push(
        ...(await Promise.all(Array.from({ length: count }, () => follow(hub, ofClient(number))))),
      );
    };
    await fill(0, LIMITS.subscriptionsPerClient);
    await expect(follow(hub, ofClient(0))).rejects.toMatchObject({
      problem: 'LimitExceeded',
      details: { limit: LIMITS.subscriptionsPerClient, current: LIMITS.subscriptionsPerClient },
    });
    await followings[0]!.return();
    await fill(0, 1);
    // One that is refused takes no room.
    await expect(follow(hub, { ...ofClient(1), id: 'col_missing' })).rejects.toMatchObject({
      problem: 'NotFound',
    });
    const clients = LIMITS.subscriptionsPerNode / LIMITS.subscriptionsPerClient;
    for (let number = 1; number < clients; number++) await fill(number, LIMITS.subscriptionsPerClient);
    await expect(follow(hub, ofClient(clients))).rejects.toMatchObject({ problem: 'Unavailable' });
    await followings.at(-1)!.return();
    await fill(clients, 1);
    await Promise.all(followings.map((following) => following.return()));
  });

  it('are bounded for an account, however many clients it has', async () => {
    const hub = createEventHub(database(), unexpected, NEVER);
    const { ctx, id } = await newCollection(database());
    const limit = LIMITS.subscriptionsPerAccount;
    const one = (i: number) =>
      follow(hub, { ctx: { ...ctx, caller: { ...ctx.caller, clientId: `cli_${i}` } }, id });
    const followings = await Promise.all(Array.from({ length: limit }, (_, i) => one(i)));
    await expect(one(limit)).rejects.toMatchObject({
      problem: 'LimitExceeded',
      details: { limit, current: limit },
    });
    await followings[0]!.return();
    followings.push(await one(limit));
    followings.push(await follow(hub, await newCollection(database())));
    await Promise.all(followings.map((following) => following.return()));
  });

  it('are bounded for all accounts below a platform, and leave room for others', async () => {
    const hub = createEventHub(database(), unexpected, NEVER);
    const limit = LIMITS.subscriptionsPerPlatform;
    const accounts = await Promise.all(
      Array.from({ length: limit / LIMITS.subscriptionsPerClient + 1 }, () => newCollection(database())),
    );
    const [platformId, otherId] = [randomUUID(), randomUUID()];
    const one = (i: number, platform = platformId) => {
      const { ctx, id } = accounts[Math.floor(i / LIMITS.subscriptionsPerClient)]!;
      const caller = { ...ctx.caller, clientId: 'cli_shared', platformId: platform };
      return follow(hub, { ctx: { ...ctx, caller }, id });
    };
    const followings = await Promise.all(Array.from({ length: limit }, (_, i) => one(i)));
    await expect(one(limit)).rejects.toMatchObject({
      problem: 'LimitExceeded',
      details: { limit, current: limit },
    });
    followings.push(await one(limit, otherId), await follow(hub, await newCollection(database())));
    await followings[0]!.return();
    followings.push(await one(limit));
    await Promise.all(followings.map((following) => following.return()));
  });

  it('do not wait for values of an account whose statement takes long, which is not sent twice', async () => {
    const [slow, quick] = await Promise.all([newCollection(database()), newCollection(database())]);
    const asked = { slow: 0, quick: 0 };
    const stale = [slow, quick].map(({ ctx, id }) => ({ accountId: ctx.caller.accountId, id }));
    const housekeeping = { query: async (text: string) => (text === STALE_FOLLOWED ? stale : []) };
    const hub = createEventHub(
      { ...database(), housekeeping } as unknown as OpenDatabase,
      unexpected,
      CHECK_MILLIS,
    );
    /** The database of one that follows, once it does. */
    const follower = async (name: keyof typeof asked, { ctx, id }: Followed, answer: () => Promise<[]>) => {
      const db = { ...ctx.db };
      const following = await follow(hub, { ctx: { ...ctx, db }, id });
      db.query = () => {
        asked[name]++;
        return answer() as never;
      };
      return following;
    };
    let release = () => {};
    const held = new Promise<[]>((resolve) => {
      release = () => resolve([]);
    });
    const followings = [
      await follower('slow', slow, () => held),
      await follower('quick', quick, async () => []),
    ];
    await eventually(() => expect(asked.quick).toBeGreaterThan(2));
    expect(asked.slow).toBe(1);
    release();
    await eventually(() => expect(asked.slow).toBeGreaterThan(1));
    await Promise.all(followings.map((following) => following.return()));
  });

  it('go on where what is done for them fails, and the log is told of what nobody expected', async () => {
    const followed = await newCollection(database());
    const logged: unknown[] = [];
    const gone = new DomainError('Unavailable', 'The database cannot be reached.');
    const failures: unknown[] = [gone, new TypeError('Of those who missed.'), new TypeError('Of values.')];
    const housekeeping = { query: async () => Promise.reject(failures.shift() ?? gone) };
    const db = { ...database(), housekeeping } as unknown as OpenDatabase;
    const following = await follow(
      createEventHub(db, (error) => logged.push(error), CHECK_MILLIS),
      followed,
    );
    await eventually(() => expect(failures).toEqual([]));
    await followed.rename('Renamed');
    expect(await take(following, 1)).toMatchObject([{ kind: 'Updated' }]);
    await eventually(() =>
      expect(logged.map(String)).toEqual(['TypeError: Of those who missed.', 'TypeError: Of values.']),
    );
  });
});

describe.skipIf(!inject('postgresUrl'))('those who follow events on PostgreSQL', () => {
  it('lose nothing when the back ends of the server die, again and again', async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const [node, killer] = [postgresDatabase(url), postgresDatabase(url)];
    onTestFinished(async () => {
      await Promise.all([node.close(), killer.close()]);
    });
    const { ctx, id, rename } = await newCollection(node);
    const hub = createEventHub(node, unexpected, 500);
    const following = await follow(hub, { ctx, id });
    let written = 0;
    let isWriting = true;
    const write = async () => {
      while (isWriting) {
        await rename(`No. ${written}`).then(
          () => written++,
          () => {},
        );
      }
    };
    const received: Event[] = [];
    const read = async () => {
      for await (const event of following) received.push(event);
    };
    const [writing, reading] = [write(), read()];
    for (let round = 0; round < 5; round++) {
      const before = received.length;
      await killer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
      );
      await eventually(() => expect(received.length).toBeGreaterThan(before));
    }
    isWriting = false;
    await writing;
    const [{ revision }] = (await killer.query<{ revision: number }>(
      'select revision from collection where id = $1',
      [id],
    )) as [{ revision: number }];
    await eventually(() => expect(received.length).toBe(revision - 1));
    expect(received.map(sequenceOf)).toEqual(received.map((_, i) => i + 2));
    await following.return();
    await reading;
  });
});
