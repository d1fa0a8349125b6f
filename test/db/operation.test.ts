import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { newOperation } from '../../src/db/operation.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { newGate } from '../support/gate.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';

const url = inject('postgresUrl');
const TOO_MUCH = { problem: 'TooMuchWork', message: expect.stringContaining('Ask for less at once') };

it('has ended where its time has by the clock of the server, which goes on while the process hears nothing', async () => {
  const operation = newOperation(200);
  const end = operation.begin(() => {});
  const until = performance.now() + 260;
  while (performance.now() < until);
  end();
  expect(operation.leftMillis()).toBeGreaterThan(0);
  expect(operation.explained(Object.assign(new Error(), { code: '57014' }))).toMatchObject(TOO_MUCH);
  await expect(operation.run(async () => {}, false)).rejects.toMatchObject(TOO_MUCH);
});

describe.skipIf(!url)('what one operation may ask of the database', () => {
  let address: string;
  let db: OpenDatabase;
  beforeAll(async () => {
    address = (await loadedPostgresUrl(url!)).url;
    db = postgresDatabase(address);
  });
  afterAll(() => db.close());
  const newOne = () => db.forAccount(randomUUID());
  const running = async (db: { query<Row>(text: string): Promise<Row[]> }) =>
    (
      await db.query<{ count: number }>(
        "select count(*) as count from pg_stat_activity where state = 'active' and query like 'select pg_sleep%' and pid <> pg_backend_pid() and datname = current_database()",
      )
    )[0]!.count;

  it('is four statements at a time', async () => {
    const of = newOne();
    const operation = of.forOperation();
    let most = 0;
    let underWay = 0;
    const one = () =>
      operation.transaction(
        async (tx) => {
          underWay++;
          most = Math.max(most, underWay);
          await tx.query('select pg_sleep(0.02)');
          underWay--;
        },
        { reads: true },
      );
    await Promise.all(Array.from({ length: 12 }, one));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('is 2 s in all, whatever is under way then is broken off, and the next operation begins anew', async () => {
    const of = newOne();
    const operation = of.forOperation();
    await operation.query('select pg_sleep(0.9)');
    const both = [operation.query('select pg_sleep(4.1)'), operation.query('select pg_sleep(4.2)')];
    for (const one of await Promise.allSettled(both)) expect(one).toMatchObject({ reason: TOO_MUCH });
    await sleep(100);
    expect(await running(db)).toBe(0);
    await expect(operation.query('select 1')).rejects.toMatchObject(TOO_MUCH);
    await expect(operation.hot('select 1')).rejects.toMatchObject(TOO_MUCH);
    expect(await of.forOperation().query('select 1 as x')).toEqual([{ x: 1 }]);
  });

  it('waits no longer than that for locks, and says so, though two have the row one after the other', async () => {
    // So long that a slow machine comes to the operation's end before that of the second wait.
    const patient = postgresDatabase(address, undefined, 4000);
    onTestFinished(() => patient.close());
    await db.query('create table held (id int primary key)');
    onTestFinished(() => db.query('drop table held').then(() => {}));
    await db.query('insert into held values (1)');
    await db.query('grant all on held to public');
    const waiting = async () =>
      (
        await db.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      ).length;
    const hold = () => {
      const [locked, released] = [newGate(), newGate()];
      const holding = db.transaction(async (tx) => {
        await tx.liftTimeouts();
        await tx.query('select from held where id = 1 for update');
        locked.open();
        await released.opened;
      });
      return { holding, locked: locked.opened, release: released.open };
    };
    const first = hold();
    await first.locked;
    const second = hold();
    onTestFinished(async () => {
      for (const { release } of [first, second]) release();
      await Promise.all([first.holding, second.holding]);
    });
    await vi.waitUntil(async () => (await waiting()) === 1, 5000);
    const operation = patient.forAccount(randomUUID()).forOperation();
    const update = operation
      .query('update held set id = 1', [], { writes: 'a lock' })
      .catch((error) => error);
    await vi.waitUntil(async () => (await waiting()) === 2, 5000);
    await sleep(2000);
    first.release();
    const locks = {
      problem: 'Unavailable',
      message: expect.stringContaining('Other changes of the same things'),
    };
    expect(await update).toMatchObject(locks);
    await expect(operation.query('select 1')).rejects.toMatchObject(locks);
  });

  it('sends nothing more when its client has left', async () => {
    const leaving = new AbortController();
    const operation = newOne().forOperation(leaving.signal);
    // Until those of the test before are not about any more, beside whom it would have a quarter of the places.
    await sleep(1100);
    const all = Array.from({ length: 6 }, () => operation.query('select pg_sleep(0.3)'));
    await sleep(100);
    leaving.abort();
    const left = { problem: 'MalformedRequest', message: 'The client left before the answer.' };
    const results = await Promise.allSettled(all);
    // The four that were under way, and those that waited for them.
    expect(results.map(({ status }) => status)).toEqual([
      ...Array(4).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
    await expect(all.at(-1)).rejects.toMatchObject(left);
    await expect(operation.query('select 1')).rejects.toMatchObject(left);
    await expect(operation.hot('select 1')).rejects.toMatchObject(left);
  });

  it('goes on when its client leaves after it began to write', async () => {
    const leaving = new AbortController();
    const operation = newOne().forOperation(leaving.signal);
    const written = operation.transaction(async (tx) => {
      await tx.query('select pg_sleep(0.3)');
      return tx.query('select 1 as x');
    });
    await sleep(150);
    leaving.abort();
    expect(await written).toEqual([{ x: 1 }]);
    expect(await operation.query('select 2 as x')).toEqual([{ x: 2 }]);
  });

  it('is not exceeded by one that stays below it', async () => {
    const of = newOne();
    const operation = of.forOperation();
    for (let i = 0; i < 3; i++) await operation.query('select pg_sleep(0.3)');
    expect(await operation.query('select 1 as x')).toEqual([{ x: 1 }]);
  });

  it('counts in a transaction, of which nothing is kept then, unless it is lifted there', async () => {
    const of = newOne();
    await db.query('create table if not exists half_done (x integer)');
    await db.query('grant all on half_done to cardledger_tenant');
    const write = (lift: boolean) =>
      of.forOperation().transaction(async (tx) => {
        if (lift) await tx.liftOperation();
        await tx.query('insert into half_done values (1)');
        await tx.query('select pg_sleep(2.2)');
      });
    await expect(write(false)).rejects.toMatchObject(TOO_MUCH);
    expect(await db.query('select x from half_done')).toEqual([]);
    await write(true);
    expect(await db.query('select x from half_done')).toEqual([{ x: 1 }]);
    await db.query('drop table half_done');
  });

  it('does not count what it waits for in this process', async () => {
    const of = newOne();
    const holding = of.transaction((tx) => tx.query('select pg_sleep(2.2)'));
    const operation = of.forOperation();
    expect(await operation.query('select 1 as x', [], { writes: 'a lock' })).toEqual([{ x: 1 }]);
    await holding;
    expect(await operation.query('select 2 as x')).toEqual([{ x: 2 }]);
  });

  it('leaves no late request to break off a statement to the next user of a connection', async () => {
    const own = new URL(url!);
    own.searchParams.set('application_name', 'broken_off');
    const db = postgresDatabase(own.href);
    onTestFinished(() => db.close());
    const operation = db.forOperation();
    await expect(operation.query('select pg_sleep(4)')).rejects.toMatchObject(TOO_MUCH);
    for (let i = 0; i < 50; i++) expect(await db.query('select 1 as x')).toEqual([{ x: 1 }]);
  });
});
