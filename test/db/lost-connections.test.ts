import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const url = inject('postgresUrl');

/** `value` where `work` gave it, `unavailable` where it was refused as such; anything else is a failure. */
async function outcome<T>(work: () => Promise<T>): Promise<T | 'unavailable'> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.problem === 'Unavailable') return 'unavailable';
    throw error;
  }
}

describe.skipIf(!url)('a database whose back ends die', () => {
  let db: OpenDatabase;
  let admin: OpenDatabase;
  const name = `lost_connections_${process.pid}`;

  beforeAll(async () => {
    admin = postgresDatabase(url!);
    await admin.query('select 1');
    const own = new URL(url!);
    own.searchParams.set('application_name', name);
    db = postgresDatabase(own.href);
    await db.query('create table if not exists lost_connection (id integer primary key, part integer)');
    await db.query('truncate lost_connection');
  });
  afterAll(async () => {
    await db.query('drop table lost_connection');
    await Promise.all([db.close(), admin.close()]);
  });

  const terminateAll = () =>
    admin.query<{ count: number }>(
      'select count(pg_terminate_backend(pid)) as count from pg_stat_activity where application_name = $1',
      [name],
    );
  /** And when this process has heard of it. */
  const untilAllEnded = async () => {
    const left = () => admin.query('select 1 from pg_stat_activity where application_name = $1', [name]);
    await eventually(async () => expect(await left()).toEqual([]));
    await sleep(100);
  };

  it('gives each caller a right answer or Unavailable, idle or busy, within transactions and without', async () => {
    let stop = false;
    const kept = new Set<number>();
    let next = 0;
    let refused = 0;
    const note = (result: unknown, id?: number) => {
      if (result === 'unavailable') refused++;
      else if (id !== undefined) kept.add(id);
    };
    const busy = async (step: () => Promise<void>) => {
      while (!stop) await step();
    };
    const workers = [
      busy(async () => {
        const rows = await outcome(() => db.query('select $1::int + 1 as sum', [41]));
        if (rows !== 'unavailable') expect(rows).toEqual([{ sum: 42 }]);
        note(rows);
      }),
      ...[1, 2].map((x) =>
        busy(async () => {
          const rows = await outcome(() => db.hot<{ x: number }>('select $1::int as x, pg_sleep(0.01)', [x]));
          if (rows !== 'unavailable') expect(rows[0]!.x).toBe(x);
          note(rows);
        }),
      ),
      busy(async () => {
        const rows = await outcome(() => db.query<{ x: number }>('select 7 as x, pg_sleep(0.02)'));
        if (rows !== 'unavailable') expect(rows[0]!.x).toBe(7);
        note(rows);
      }),
      ...[1, 2, 3].map(() =>
        busy(async () => {
          const id = next++;
          note(await outcome(() => db.query('insert into lost_connection values ($1, 0)', [-id - 1])));
          note(await outcome(() => writeInParts(id)), id);
        }),
      ),
    ];
    // Both parts are there, or none; the second one comes after other work of the event loop.
    const writeInParts = (id: number) =>
      db.transaction(async (tx) => {
        await tx.query('insert into lost_connection values ($1, 1)', [2 * id + 1_000_000]);
        await sleep(id % 3);
        await tx.query('insert into lost_connection values ($1, 2)', [2 * id + 1_000_001]);
        return id;
      });
    let ended = 0;
    for (let round = 0; ended < 40 || refused < 20 || kept.size < 20; round++) {
      await sleep(round % 4 === 0 ? 40 : 5);
      ended += (await terminateAll())[0]!.count;
    }
    stop = true;
    await Promise.all(workers);

    const rows = await db.query<{ id: number; parts: number }>(
      'select (id - 1000000) / 2 as id, count(*) as parts from lost_connection where id >= 1000000 group by 1',
    );
    expect(rows.filter(({ parts }) => parts !== 2)).toEqual([]);
    const found = new Set(rows.map(({ id }) => id));
    expect([...kept].filter((id) => !found.has(id))).toEqual([]);
  });

  it('uses no connection that died while nobody used it', async () => {
    await Promise.all(Array.from({ length: 8 }, () => db.query('select pg_sleep(0.02)')));
    await terminateAll();
    await untilAllEnded();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => db.query('select $1::int as i', [i])),
    );
    expect(answers.map(([row]) => row)).toEqual(Array.from({ length: 20 }, (_, i) => ({ i })));
  });

  it('lets nothing of a transaction that was lost into the one that comes after it', async () => {
    let late: Promise<unknown> | undefined;
    let goOn = () => {};
    const lost = db.transaction(async (tx) => {
      await tx.query('insert into lost_connection values (1, 1)');
      const wait = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      late = wait.then(() => tx.query('delete from lost_connection'));
      late.catch(() => {});
      await terminateAll();
      await tx.query('select 1');
    });
    await expect(lost).rejects.toMatchObject({ problem: 'Unavailable' });
    await untilAllEnded();
    await db.query('insert into lost_connection values (2, 2)');
    goOn();
    await expect(late).rejects.toThrow('The transaction of this statement is over.');
    expect(await db.query('select * from lost_connection where id in (1, 2)')).toEqual([{ id: 2, part: 2 }]);
  });

  it('keeps nothing of a transaction in which a statement failed, though its caller went on', async () => {
    const work = db.transaction(async (tx) => {
      await tx.query('insert into lost_connection values (3, 3)');
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(work).rejects.toThrow('A statement of the transaction has failed');
    expect(await db.query('select * from lost_connection where id = 3')).toEqual([]);
  });
});

describe.skipIf(!url)('a database that cannot be reached', () => {
  const through = (port: number) => {
    const address = new URL(url!);
    address.port = String(port);
    return postgresDatabase(address.href);
  };

  it('is Unavailable when it answers nothing, for connections old and new, and comes back by itself', async () => {
    const proxy = await startTcpProxy(Number(new URL(url!).port));
    const db = through(proxy.port);
    onTestFinished(() => Promise.all([db.close(), proxy.close()]).then(() => {}));
    const each = (text: string) =>
      Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? db.query(text) : db.hot(text))));
    await each('select pg_sleep(0.05)');
    proxy.blackHole();
    const work = [
      () => db.query('select 1'),
      () => db.query('select $1::int', [1]),
      () => db.transaction((tx) => tx.query('select 1')),
    ];
    for (const [error, result] of (await Promise.allSettled(work.map((run) => run()))).entries()) {
      expect({ error, result }).toMatchObject({
        result: { reason: { problem: 'Unavailable', details: { retryAfterSeconds: 2 } } },
      });
    }
    proxy.recover();
    // Those that nobody used meanwhile are as dead as the others.
    expect(await each('select 2 as x')).toEqual(Array.from({ length: 8 }, () => [{ x: 2 }]));
  });

  it('leaves no lock behind with those whom it does not hear any more', async () => {
    const proxy = await startTcpProxy(Number(new URL(url!).port));
    const db = through(proxy.port);
    onTestFinished(() => Promise.all([db.close(), proxy.close()]).then(() => {}));
    const lock = 'select pg_advisory_xact_lock(7201199)';
    const lost = db.transaction(async (tx) => {
      await tx.query(lock);
      proxy.blackHole();
      await tx.query('select 1');
    });
    await expect(lost).rejects.toMatchObject({ problem: 'Unavailable' });
    proxy.recover();
    expect(await db.query(lock)).toHaveLength(1);
  });

  it('is Unavailable when it ends each connection at once', async () => {
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket);
      socket.on('error', () => {});
      socket.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const db = through((server.address() as { port: number }).port);
    onTestFinished(async () => {
      await db.close();
      server.close();
    });
    expect(await outcome(() => db.query('select 1'))).toBe('unavailable');
    expect(await outcome(() => db.transaction((tx) => tx.query('select 1')))).toBe('unavailable');
    expect(accepted).toHaveLength(2);
  });
});
