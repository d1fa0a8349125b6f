import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { asNewAccount, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { newGate } from '../support/gate.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';

const url = inject('postgresUrl');
const QUIET = 9;
const HALF = 4;
const QUARTER = 2;

const times = <T>(count: number, work: (i: number) => T) => Array.from({ length: count }, (_, i) => work(i));

describe.skipIf(!url)('ten accounts of one process', () => {
  let db: OpenDatabase;
  let noisy: TestApp;
  let quiet: TestApp[];
  let collections: Map<TestApp, string>;
  let variantId: string;

  beforeAll(async () => {
    db = postgresDatabase((await loadedPostgresUrl(url!)).url, undefined, 60_000);
    noisy = await newTestApp(db);
    quiet = await Promise.all(times(QUIET, () => asNewAccount(db, noisy.fetch)));
    collections = new Map();
    for (const app of [noisy, ...quiet]) {
      const { body } = await app.send('POST', '/collection', { name: 'Own' });
      collections.set(app, body.collectionId);
    }
    variantId = (await pricedVariants(db, 1))[0]!;
  });
  afterAll(() => db.close());

  const create = (app: TestApp, collectionId = collections.get(app)) =>
    app.send('POST', `/collection/${collectionId}/transaction`, {
      variantId,
      occurredDate: '2025-03-01',
      action: 'Purchase',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 1 },
    });

  it('are all answered while one has many slow statements, and writes to what it has locked itself', async () => {
    const own = db.forAccount(noisy.accountId);
    const { open, opened } = newGate();
    let isOpen = false;
    void opened.then(() => {
      isOpen = true;
    });
    const locking = own.transaction(async (tx) => {
      await tx.query('select from collection where account_id = $1 and id = $2 for update', [
        noisy.accountId,
        collections.get(noisy)!,
      ]);
      while (!isOpen) await tx.query('select pg_sleep(0.05)');
    });
    const slow = times(30, () =>
      own.transaction(
        async (tx) => {
          while (!isOpen) await tx.query('select pg_sleep(0.05)');
        },
        { reads: true },
      ),
    );
    // On a slow machine those that wait are refused before anybody asks how they ended.
    const ended = Promise.allSettled([locking, ...slow]);
    await eventually(() => expect(db.pools!.alone.inUse).toBe(HALF));
    const writes = times(20, () => create(noisy));
    const answers = await Promise.all(
      quiet.flatMap((app) => [create(app), app.send('GET', '/collection'), create(app)]),
    );
    const ready = await noisy.fetch(new Request('http://cardledger.test/readyz'));
    await db.check();
    expect(isOpen).toBe(false);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(ready.status).toBe(200);
    expect(db.pools!.alone).toMatchObject({ inUse: HALF });
    open();
    const ends = await ended;
    // Those that were in; the others had been refused in time.
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(HALF);
    for (const { status } of await Promise.all(writes)) expect([200, 503]).toContain(status);
    expect((await create(noisy)).status).toBe(200);
  });

  it('hear of each other, and are told whether the service is ready, while all that keeps house is busy', async () => {
    const { open, opened } = newGate();
    const keeping = times(2, () => db.housekeeping.transaction(() => opened));
    await eventually(() => expect(db.pools!.housekeeping.inUse).toBe(2));
    const heard: string[] = [];
    const ready = newGate();
    const stop = db.listen('urgent', (message) => void heard.push(message), ready.open);
    await ready.opened;
    db.notify('urgent', 'changed');
    const [row] = await db.urgent.query<{ one: number }>('select 1 as one');
    const answer = await noisy.fetch(new Request('http://cardledger.test/readyz'));
    await eventually(() => expect(heard).toEqual(['changed']));
    expect(row!.one).toBe(1);
    expect(answer.status).toBe(200);
    expect(db.pools!.housekeeping).toMatchObject({ inUse: 2, waiting: 0 });
    open();
    await Promise.all(keeping);
    await stop();
  });

  it('have what follows from their answers done by those that keep house', async () => {
    const { open, opened } = newGate();
    const keeping = times(2, () => db.housekeeping.transaction(() => opened));
    await eventually(() => expect(db.pools!.housekeeping.inUse).toBe(2));
    const following = db.forAccount(noisy.accountId).behind.hot<{ one: number }>('select 1 as one');
    await eventually(() => expect(db.pools!.housekeeping.waiting).toBe(1));
    expect(db.pools!.shared.inUse).toBe(0);
    open();
    await Promise.all(keeping);
    expect(await following).toEqual([{ one: 1 }]);
  });

  it('write to one collection while another of their own is being written for long', async () => {
    const first = collections.get(noisy)!;
    const { body } = await noisy.send('POST', '/collection', { name: 'Another' });
    const { open, opened } = newGate();
    const locked = newGate();
    const own = db.forAccount(noisy.accountId);
    const importing = own.transaction(
      async (tx) => {
        await tx.query('select from collection where account_id = $1 and id = $2 for update', [
          noisy.accountId,
          first,
        ]);
        locked.open();
        await opened;
      },
      { writes: first },
    );
    await locked.opened;
    const behind = times(10, () => create(noisy));
    const answers = await Promise.all([
      ...times(10, () => create(noisy, body.collectionId)),
      noisy.send('POST', '/collection', { name: 'A third' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    // Those behind it wait in this process, without a connection.
    await eventually(() => expect(db.pools!.alone).toMatchObject({ inUse: 1, waiting: 10 }));
    open();
    await importing;
    for (const { status } of await Promise.all(behind)) expect(status).toBe(200);
  });

  it('are looked up while strangers from many addresses ask for tokens, and those go round among themselves', async () => {
    const { open, opened } = newGate();
    const locked = newGate();
    const locking = db.forAccount(noisy.accountId).transaction(
      async (tx) => {
        await tx.query('select pg_advisory_xact_lock(1, 1)');
        locked.open();
        await opened;
      },
      { reads: true },
    );
    await locked.opened;
    const ask = (address: string) =>
      db.query('select pg_advisory_xact_lock_shared(1, 1)', [], { address }).catch(() => {});
    const ended: string[] = [];
    const strangers = times(200, (i) =>
      ask(`192.0.2.${i % 10}`).then(() => void ended.push(`crowd ${i % 10}`)),
    );
    const another = ask('198.51.100.1').then(() => void ended.push('another'));
    await eventually(() => expect(db.pools!.alone.inUse).toBe(HALF));
    await db.query('select 1');
    expect(ended).toEqual([]);
    open();
    await Promise.all([locking, another, ...strangers]);
    // Behind those that were in, and one of each address.
    expect(ended.indexOf('another')).toBeLessThan(HALF + 10 + HALF);
  });

  it('have a quarter of the places each while others wait, and half while none do', async () => {
    const all: { open: () => void; ended: Promise<unknown> }[] = [];
    const held = new Map<TestApp, number>();
    const add = (app: TestApp, by: number) => held.set(app, (held.get(app) ?? 0) + by);
    const hold = (owner: TestApp) => {
      const { open, opened } = newGate();
      const ended = db.forAccount(owner.accountId).transaction(
        async (tx) => {
          await tx.liftTimeouts();
          add(owner, 1);
          await opened;
          add(owner, -1);
        },
        { reads: true },
      );
      ended.catch(() => {});
      all.push({ open, ended });
    };
    const inAll = () => [...held.values()].reduce((sum, one) => sum + one, 0);
    times(10, () => hold(noisy));
    await eventually(() => expect(inAll()).toBe(HALF));
    expect(db.pools!.alone).toMatchObject({ size: 2 * HALF, inUse: HALF, waiting: 10 - HALF });
    for (const app of quiet.slice(0, 2 * HALF - QUARTER)) hold(app);
    await eventually(() => expect(inAll()).toBe(2 * HALF));
    expect(held.get(noisy)).toBe(HALF);
    // It gives all that it has back, and gets a quarter again, after all others have their turns.
    for (const { open } of all.slice(0, HALF)) open();
    await Promise.all(all.slice(0, HALF).map(({ ended }) => ended));
    await eventually(() => expect(inAll()).toBe(2 * HALF));
    expect(held.get(noisy)).toBe(QUARTER);
    // No more than that, although another place is free and it waits.
    all.at(-1)!.open();
    await all.at(-1)!.ended;
    await db.check();
    expect(held.get(noisy)).toBe(QUARTER);
    expect(db.pools!.alone).toMatchObject({ inUse: 2 * HALF - 1, waiting: 10 - HALF - QUARTER });
    for (const { open } of all) open();
    await Promise.allSettled(all.map(({ ended }) => ended));
    expect(db.pools!.alone).toMatchObject({ inUse: 0, waiting: 0 });
  });
});
