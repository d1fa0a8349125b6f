import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { eventually } from '../support/eventually.ts';
import { findPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { addressOf, promote, startPair } from '../support/postgres-pair.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { setOfServer } from '../support/server-settings.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const WRITERS = 6;

/** Closed when the test is over, before what was begun before it. */
function opened(...given: Parameters<typeof postgresDatabase>): OpenDatabase {
  const db = postgresDatabase(...given);
  onTestFinished(() => db.close());
  return db;
}

/** The same of a server. */
function stoppedAfter<Server extends { stop(): Promise<void> }>(server: Server): Server {
  onTestFinished(() => server.stop());
  return server;
}

async function startPairOfTest() {
  const { primary, standby } = await startPair();
  return { primary: stoppedAfter(primary), standby: stoppedAfter(standby) };
}

describe.skipIf(!inject('postgresUrl'))('several servers, of which one takes changes', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let db: OpenDatabase;

  beforeAll(async () => {
    ({ primary, standby } = await startPair());
    db = postgresDatabase(`${addressOf(primary, standby)}?target_session_attrs=read-write`);
    await db.query('create table written (id integer primary key)');
  });
  afterAll(async () => {
    await db.close();
    await Promise.all([primary.stop(), standby.stop()]);
  });

  it('writes to the one that does, wherever it stands', async () => {
    const other = postgresDatabase(addressOf(standby, primary));
    for (const one of [db, other]) {
      expect(await one.query('select pg_is_in_recovery() as "isStandby"')).toEqual([{ isStandby: false }]);
    }
    await other.close();
  });

  it('says so where there are standbys alone', async () => {
    const alone = postgresDatabase(addressOf(standby, standby));
    await expect(alone.query('select 1')).rejects.toMatchObject({
      problem: 'Unavailable',
      details: {
        cause: { message: expect.stringMatching(/^None of the servers .*: takes no changes; 127/) },
      },
    });
    await alone.close();
  });

  it('goes on with a standby that is promoted, without a restart: nothing acknowledged is lost', async () => {
    const acknowledged = new Set<number>();
    const refusals: unknown[] = [];
    let connects = 0;
    const messages: string[] = [];
    const stopListening = db.listen(
      'failover',
      (message) => messages.push(message),
      () => connects++,
    );
    await eventually(() => expect(connects).toBe(1));
    let isOver = false;
    let next = 0;
    const write = async () => {
      while (!isOver) {
        const id = next++;
        while (!acknowledged.has(id) && !isOver) {
          try {
            await db.query('insert into written values ($1) on conflict do nothing', [id]);
            acknowledged.add(id);
          } catch (error) {
            if (!(error instanceof DomainError && error.problem === 'Unavailable')) refusals.push(error);
          }
        }
      }
    };
    const writers = Array.from({ length: WRITERS }, write);
    const untilMore = (count: number) => {
      const wanted = acknowledged.size + count;
      return eventually(() => expect(acknowledged.size).toBeGreaterThan(wanted));
    };
    await untilMore(100);
    await primary.stop();
    await promote(standby);
    await untilMore(100);
    isOver = true;
    await Promise.all(writers);

    expect(refusals).toEqual([]);
    const rows = await db.query<{ id: number }>('select id from written');
    const there = new Set(rows.map(({ id }) => id));
    expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
    await eventually(() => expect(connects).toBe(2));
    db.notify('failover', 'of the new one');
    await eventually(() => expect(messages).toEqual(['of the new one']));
    await stopListening();
  });
});

describe.skipIf(!inject('postgresUrl'))(
  'a primary that nobody has ended when its standby took its place',
  () => {
    it('is left when it takes no changes any more, though it ends no connection', async () => {
      const { primary, standby } = await startPairOfTest();
      const db = opened(addressOf(primary, standby));
      await db.query('create table written (id integer)');
      let losses = 0;
      db.onLost(() => losses++);
      let goOn = () => {};
      const isOver = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      onTestFinished(() => goOn());
      const busy = db.transaction(async (tx) => {
        await tx.query('select 1');
        await isOver;
      });
      await setOfServer(primary.superuserUrl, 'default_transaction_read_only', 'on');
      const insert = () => db.query('insert into written values (1)');
      // Nobody has taken its place yet: it is still read from.
      await eventually(() => expect(insert()).rejects.toMatchObject({ problem: 'Unavailable' }));
      expect(await db.query('select inet_server_port() as port')).toEqual([{ port: primary.port }]);
      expect(losses).toBe(0);
      await promote(standby);
      await eventually(insert);
      expect(losses).toBeGreaterThan(0);
      goOn();
      await busy;
      // Nor is it read from by a connection that was in use meanwhile.
      expect(await db.query('select inet_server_port() as port')).toEqual([{ port: standby.port }]);
    });

    it('is not taken by who comes later', async () => {
      const { primary, standby } = await startPairOfTest();
      await promote(standby);
      const db = opened(addressOf(primary, standby));
      expect(await db.query('select inet_server_port() as port')).toEqual([{ port: standby.port }]);
    });
  },
);

describe.skipIf(!inject('postgresUrl'))('two servers that have nothing to do with each other', () => {
  let own: PostgresServer;
  let stranger: PostgresServer;

  beforeAll(async () => {
    [own, stranger] = await Promise.all([startPostgres(), startPostgres()]);
  });
  afterAll(() => Promise.all([own.stop(), stranger.stop()]));

  it('are refused, and both are named', async () => {
    const db = opened(addressOf(stranger, own));
    await expect(db.query('select 1')).rejects.toMatchObject({
      problem: 'Unavailable',
      details: {
        cause: {
          message: `127.0.0.1:${own.port} and 127.0.0.1:${stranger.port} are of different databases: take the one that is not meant out of DATABASE_URL, or end it.`,
        },
      },
    });
  });

  it('do not take the place of each other where one comes later, which is told', async () => {
    const proxy = await startTcpProxy(stranger.port);
    onTestFinished(() => proxy.close());
    proxy.blackHole();
    const told: string[] = [];
    const late = {
      ...stranger,
      url: Object.assign(new URL(stranger.url), { port: String(proxy.port) }).href,
    };
    const tell = (server: string) => void told.push(server);
    const db = opened(addressOf(late, own), undefined, undefined, undefined, tell);
    await db.query('create table kept (id integer)');
    proxy.recover();
    proxy.cut();
    await own.stop();
    await eventually(async () => {
      await expect(db.query('table kept')).rejects.toMatchObject({ problem: 'Unavailable' });
      expect(told).toEqual([`127.0.0.1:${proxy.port}`]);
    });
  });
});

describe.skipIf(!inject('postgresUrl') || !findPgBouncer())(
  'servers that are each behind a PgBouncer',
  () => {
    it('are gone on with when a standby is promoted: whoever writes reads it', async () => {
      const { primary, standby } = await startPairOfTest();
      const one = stoppedAfter(await startPgBouncer(primary.url));
      const two = stoppedAfter(await startPgBouncer(standby.url));
      const db = opened(one.url.replace('@', `@${new URL(two.url).host},`));
      await db.query('create table written (id integer primary key)');
      const acknowledged: { id: number }[] = [];
      const untilMore = async (count: number) => {
        for (let i = 0; i < count; i++) {
          const id = acknowledged.length;
          await eventually(() => db.query('insert into written values ($1) on conflict do nothing', [id]));
          acknowledged.push({ id });
          expect(await eventually(() => db.query('table written order by id'))).toEqual(acknowledged);
        }
      };
      await untilMore(20);
      await primary.stop();
      await promote(standby);
      await untilMore(20);
      expect(await db.query('select inet_server_port() as port')).toEqual([{ port: standby.port }]);
    });
  },
);
