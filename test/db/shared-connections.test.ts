import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { addressOf } from '../../src/db/address.ts';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { DEADLINES_MILLIS, newConnection } from '../../src/db/connection.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { sendAlone } from '../../src/db/transaction.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres-server.ts';

const url = inject('postgresUrl');
const SHARED = 2;
const STATEMENTS = 32;

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

describe.skipIf(!url)('statements that share a connection', () => {
  let db: OpenDatabase;

  beforeAll(async () => {
    db = postgresDatabase(url!);
    await db.query('drop table if exists shared_read, shared_write');
    await db.query('create table shared_read (x integer, y integer)');
    await db.query('create table shared_write (id integer, note text)');
    await db.query('insert into shared_read values (1, 7)');
    // The first statement of an account is not to wait for a connection to open.
    await db.hot('select 1');
  });
  afterAll(async () => {
    await db.query('drop table shared_read, shared_write');
    await db.close();
  });

  const connection = (pgbouncer = false) => {
    const one = newConnection({ ...addressOf(url!), pgbouncer }, { onClosed: () => {} });
    onTestFinished(() => one.close());
    return one;
  };

  it('are planned as those on connections of their own, for two processors at most, and never compiled to machine code', async () => {
    const planning = (on: Pick<OpenDatabase, 'query'>) =>
      on.query(`select current_setting('random_page_cost') as cost, current_setting('jit') as jit,
        current_setting('max_parallel_workers_per_gather') as workers`);
    const expected = [{ cost: '1.1', jit: 'off', workers: '1' }];
    expect(await planning({ query: db.hot })).toEqual(expected);
    expect(await planning(db)).toEqual(expected);
    expect(await db.transaction(planning)).toEqual(expected);
  });

  it('wait while a server is slow to be looked at, beyond the deadlines of a session', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const holder = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => holder.end());
    await holder.unsafe('begin; lock table pg_catalog.pg_extension in access exclusive mode');
    const closed: unknown[] = [];
    const one = newConnection(
      addressOf(server.superuserUrl),
      { onClosed: (isLost) => closed.push(isLost) },
      { ...DEADLINES_MILLIS, lock_timeout: 10 },
    );
    onTestFinished(() => one.close());
    const answer = one.send('select 1 as one');
    const waits = () => holder.unsafe(`select 1 from pg_locks where not granted`);
    await eventually(async () => expect(await waits()).toHaveLength(1));
    const [first] = await holder.unsafe('select pg_sleep(0.1), 1 as one');
    expect(first!.one).toBe(1);
    await holder.unsafe('commit');
    expect((await answer).rows).toEqual([{ one: 1 }]);
    expect(closed).toEqual([]);
  });

  it('use two of them, and each gets its own answer', async () => {
    const answers = await times(200, async (i) => {
      const [row] = await db.hot<{ i: number; pid: number }>(
        'select $1::int as i, pg_backend_pid() as pid, pg_sleep(0.001)',
        [i],
      );
      return row!;
    });
    expect(answers.map(({ i }) => i)).toEqual(answers.map((_, i) => i));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(SHARED);
    expect(db.pools!.shared).toMatchObject({ size: STATEMENTS, inUse: 0, waiting: 0 });
  });

  it('are four of an account while others are about, and two of one that is new', async () => {
    const [known, unknown] = [db.forAccount(randomUUID()), db.forAccount(randomUUID())];
    await known.hot('select 1');
    await db.hot('select 1');
    for (const [account, most] of [
      [known, 4],
      [unknown, 2],
    ] as const) {
      const under = times(most, () => account.hot('select pg_sleep(0.05)'));
      await new Promise(setImmediate);
      expect(db.pools!.shared).toMatchObject({ inUse: most, waiting: 0 });
      const beyond = account.hot('select 1');
      await new Promise(setImmediate);
      expect(db.pools!.shared).toMatchObject({ inUse: most, waiting: 1 });
      await Promise.all([under, beyond]);
    }
  });

  it('are sent up to a number, and wait beyond', async () => {
    // One that is new has two at a time.
    const accounts = Array.from({ length: STATEMENTS / 2 }, () => db.forAccount(randomUUID()));
    const under = times(STATEMENTS, (i) => accounts[i % accounts.length]!.hot('select pg_sleep(0.1)'));
    await new Promise(setImmediate);
    expect(db.pools!.shared).toMatchObject({ inUse: STATEMENTS, waiting: 0 });
    const beyond = db.hot('select 1 as x');
    await new Promise(setImmediate);
    expect(db.pools!.shared).toMatchObject({ inUse: STATEMENTS, waiting: 1 });
    await under;
    expect(await beyond).toEqual([{ x: 1 }]);
    expect(db.pools!.shared).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('fail alone', async () => {
    const answers = await times(30, (i) =>
      db.hot<{ x: number }>('select 12 / $1::int as x', [i % 3]).catch(({ message }) => message),
    );
    const failed = answers.filter((answer) => !Array.isArray(answer));
    expect(failed).toHaveLength(10);
    expect(failed[0]).toMatch(/division by zero/);
    expect(answers.filter((_, i) => i % 3 === 2)).toEqual(Array.from({ length: 10 }, () => [{ x: 6 }]));
  });

  it('fail alone where a parameter is missing', async () => {
    const one = connection();
    const sent = [
      one.send('select $1::int as x, pg_sleep(0.02)', [1]),
      one.send('select $1::int as x', [undefined as never]),
      one.send('select $1::int as x', [3]),
    ];
    const [first, second, third] = await Promise.allSettled(sent);
    expect(first).toMatchObject({ value: { rows: [{ x: 1 }] } });
    expect(second).toMatchObject({ reason: { message: 'A parameter is undefined.' } });
    expect(third).toMatchObject({ value: { rows: [{ x: 3 }] } });
  });

  it('go on alone where they take long, or meet a lock, and hold up nobody', async () => {
    const [slowAccount, writer, reader] = [1, 2, 3].map(() => db.forAccount(randomUUID())) as [
      Database,
      Database,
      Database,
    ];
    const slow = times(SHARED, () => slowAccount.hot<{ x: number }>('select 1 as x, pg_sleep(0.7)'));
    let locked: Promise<unknown[]> = Promise.resolve([]);
    let isLocked = true;
    await db.transaction(async (tx) => {
      await tx.query('lock table shared_read in access exclusive mode');
      locked = times(2, () => writer.hot('select x from shared_read'));
      await sleep(500);
      await reader.hot('select 1');
      expect(isLocked).toBe(true);
    });
    isLocked = false;
    expect(await locked).toEqual([[{ x: 1 }], [{ x: 1 }]]);
    expect((await slow).map(([row]) => row!.x)).toEqual([1, 1]);
  });

  it('tell of what they have written, however late, and of nothing else', async () => {
    // On each connection fourteen that take as long as they may behind one another, 4 s, and what waits behind them.
    const accounts = Array.from({ length: 14 }, () => db.forAccount(randomUUID()));
    const slow = accounts.flatMap((account) => times(SHARED, () => account.hot('select pg_sleep(0.29)')));
    const last = db.forAccount(randomUUID());
    const written = times(SHARED, (i) =>
      last.hot<{ id: number }>('insert into shared_write values ($1) returning id', [7000 + i], {
        writes: 'a lock',
      }),
    );
    const read = last.hot('select 1');
    const ends = Promise.allSettled(slow);
    await expect(read).rejects.toThrow('All connections to the database are busy');
    // It was refused in time: those before it are still under way.
    expect(db.pools!.shared.inUse).toBeGreaterThan(1);
    await ends;
    expect((await written).flat().map(({ id }) => id)).toEqual([7000, 7001]);
  });

  it('are sent in turn by a connection that opens', async () => {
    const one = connection();
    const order: number[] = [];
    const send = (i: number) =>
      one.send('select $1::int as i, pg_sleep(0.002)', [i]).then(() => order.push(i));
    const first = times(16, send);
    const later = times(8, async (client) => {
      await sleep(5);
      for (let i = 0; i < 10; i++) await send(100 + client);
    });
    await Promise.all([first, later]);
    expect(order.slice(0, 16)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  });

  it('stay apart as transactions, on a connection that opens', async () => {
    const one = connection(true);
    const use = (text: string) => sendAlone(one, [], text, []);
    const written = "with new as (insert into shared_write values (1, 'kept') returning 1)";
    const all = [
      use('select pg_sleep(0.02)'),
      use(`${written} select pg_sleep(0.1) from new`),
      use('select 1'),
    ];
    await sleep(60);
    const failed = use('select 1 / 0');
    await Promise.all(all);
    await expect(failed).rejects.toThrow('division by zero');
    expect(await db.query('select note from shared_write where id = 1')).toEqual([{ note: 'kept' }]);
  });

  it('are answered rightly while what was prepared becomes invalid', async () => {
    const read = 'select x, y from shared_read where x = $1';
    const write = 'insert into shared_write values ($1, $2) returning id, note';
    for (const type of ['bigint', 'integer', 'numeric']) {
      const one = connection();
      for (let i = 0; i < 2; i++) {
        await one.send(read, [1]);
        await one.send(write, [i, 'warm']);
      }
      await db.query(`alter table shared_read alter column y type ${type}`);
      const stale = one.send(read, [1]);
      const written = times(30, async (i) => {
        for (let turn = 0; turn < i; turn++) await new Promise(setImmediate);
        return one.send(write, [1000 + i, 'sent']);
      });
      await expect(stale).rejects.toThrow('cached plan must not change result type');
      const ids = (await written).map(({ rows }) => (rows[0] as { id: number }).id);
      expect(ids).toEqual(Array.from({ length: 30 }, (_, i) => 1000 + i));
      expect((await one.send(read, [1])).rows).toHaveLength(1);
    }
  });

  it('are prepared anew, and sent again, without anybody hearing of it', async () => {
    const read = () => db.hot<{ z?: number }>('select * from shared_read where x = $1', [1]);
    for (let i = 0; i < 3; i++) await times(40, read);
    await db.query('alter table shared_read add column z integer default 5');
    expect((await times(40, read)).map(([row]) => row!.z)).toEqual(Array.from({ length: 40 }, () => 5));
  });

  it('are prepared anew in a transaction, however many they are; what has a wrong type is tried once', async () => {
    const texts = Array.from({ length: 7 }, (_, i) => `select *, ${i} as i from shared_read where x = $1`);
    const all = () =>
      db.transaction(async (tx) => {
        const found: Record<string, number>[] = [];
        for (const text of texts) found.push(...(await tx.query<Record<string, number>>(text, [1])));
        return found;
      });
    await all();
    await db.query('alter table shared_read add column w integer default 3');
    expect((await all()).map(({ i, w }) => [i, w])).toEqual(texts.map((_, i) => [i, 3]));
    let tries = 0;
    const wrong = db.transaction(async (tx) => {
      tries++;
      await tx.query('insert into shared_read (x) values (now())');
    });
    await expect(wrong).rejects.toThrow('is of type integer but expression is of type');
    expect(tries).toBe(1);
  });

  it('take any value as text', async () => {
    const one = connection();
    for (let i = 0; i < 2; i++) {
      const sent = [
        one.send('select $1::json as x', [5]),
        one.send('select $1::timestamptz as x', [1 as never]),
      ];
      const [json, time] = await Promise.allSettled(sent);
      expect(json).toMatchObject({ value: { rows: [{ x: 5 }] } });
      expect(time).toMatchObject({ reason: { code: '22007' } });
    }
  });

  it('are not executed where their connection was discarded before it was made', async () => {
    const one = connection();
    const sent = one.send("insert into shared_write values (2, 'discarded')");
    one.discard();
    await expect(sent).rejects.toThrow('The connection to the database is lost.');
    await sleep(100);
    expect(await db.query('select 1 from shared_write where id = 2')).toEqual([]);
  });

  it('leave room for transactions, which have connections of their own', async () => {
    const slow = times(STATEMENTS, () => db.hot('select pg_sleep(0.02)'));
    const pids = await db.transaction(async (tx) => [
      ...(await tx.query<{ pid: number }>('select pg_backend_pid() as pid')),
      ...(await tx.hot<{ pid: number }>('select pg_backend_pid() as pid')),
    ]);
    expect(pids[0]).toEqual(pids[1]);
    await slow;
  });

  it('and others leave no connection behind a database that is closed', async () => {
    const own = new URL(url!);
    own.searchParams.set('application_name', 'closed_at_once');
    const closing = postgresDatabase(own.href);
    const work = [
      ...Array.from({ length: 12 }, () => closing.query('select pg_sleep(0.1)')),
      ...Array.from({ length: STATEMENTS + 4 }, () => closing.hot('select pg_sleep(0.005)')),
    ];
    const ends = Promise.allSettled(work);
    await sleep(30);
    await closing.close();
    for (const end of await ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ problem: 'Unavailable' });
    }
    await expect(closing.query('select 1')).rejects.toMatchObject({ problem: 'Unavailable' });
    await sleep(100);
    const left = await db.query("select 1 from pg_stat_activity where application_name = 'closed_at_once'");
    expect(left).toEqual([]);
  });
});
