import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { ONE_SNAPSHOT } from '../../src/db/queries/snapshot.ts';
import { ensureTenantRole } from '../../src/db/tenant-role.ts';
import { eventually } from '../support/eventually.ts';
import { findPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { setOfServer } from '../support/server-settings.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const ACCOUNT = randomUUID();
const PORT = 'select inet_server_port() as port, (select count(*)::integer from noted) as count';
const NOTE = 'insert into noted default values';
const STORE =
  'with made as (insert into noted default values returning id) select inet_server_port() as port from made';

/** What each replica was said to be. */
type Told = Record<string, string | null>;

interface Node {
  db: OpenDatabase;
  told: Told;
  history: [server: string, kind: string | null][];
}

/** An operation that only reads, of an account. */
const reader = ({ db }: Node): Database => db.forAccount(ACCOUNT).forOperation().onlyReads()!;
const serverOf = ({ port }: { port: number }) => `127.0.0.1:${port}`;
const useOf = ({ db }: Node, server: { port: number }) =>
  db.readUse!.replicas.find((replica) => replica.server === serverOf(server))!;

interface Seen {
  port: number;
  count: number;
}

async function seenBy(node: Node, how: 'hot' | 'query' = 'hot'): Promise<Seen> {
  const [seen] = await reader(node)[how]<Seen>(PORT);
  return seen!;
}

async function asAdmin(server: PostgresServer, ...texts: string[]): Promise<void> {
  const admin = postgresDatabase(server.superuserUrl);
  for (const text of texts) await admin.query(text);
  await admin.close();
}

describe.skipIf(!inject('postgresUrl'))('replicas', () => {
  let primary: PostgresServer;
  let quick: PostgresServer;
  let slow: PostgresServer;
  let writer: OpenDatabase;
  const nodes: Node[] = [];

  beforeAll(async () => {
    primary = await startPostgres({ settings: { synchronous_commit: 'on' } });
    writer = postgresDatabase(primary.url);
    await writer.transaction(ensureTenantRole);
    await writer.query('create table noted (id integer generated always as identity)');
    await writer.query('grant select, insert on noted to cardledger_tenant');
    quick = await startStandby(primary);
    slow = await startStandby(primary, { settings: { recovery_min_apply_delay: '2s' } });
  });
  afterEach(async () => {
    for (const { db } of nodes.splice(0)) await db.close();
  });
  afterAll(async () => {
    await writer.close();
    await Promise.all([primary, quick, slow].map((server) => server.stop()));
  });

  function open(replicas: readonly { url: string }[], primaryUrl = primary.url): Node {
    const told: Told = {};
    const history: Node['history'] = [];
    const db = postgresDatabase(primaryUrl, undefined, 10_000, {
      urls: replicas.map(({ url }) => url),
      tell(server, leftOut) {
        told[server] = leftOut?.reason ?? null;
        history.push([server, leftOut?.kind ?? null]);
      },
    });
    const node = { db, told, history };
    nodes.push(node);
    return node;
  }
  /** Once it has been looked at. */
  async function openWith(replicas: readonly PostgresServer[]): Promise<Node> {
    const node = open(replicas);
    const all = Object.fromEntries(replicas.map((replica) => [serverOf(replica), null]));
    await eventually(() => expect(node.told).toEqual(all));
    return node;
  }
  const caughtUp = (node: Node, server: PostgresServer) =>
    eventually(async () => expect((await seenBy(node)).port).toBe(server.port));
  /** An operation that the server answers: on a slow machine the primary may be asked for any other. */
  const readerOn = (node: Node, server: PostgresServer) =>
    eventually(async () => {
      const db = reader(node);
      expect((await db.hot<Seen>(PORT))[0]!.port).toBe(server.port);
      return db;
    });
  const kindsOf = ({ history }: Node) => history.map(([, kind]) => kind);

  it('answer what only reads, and nothing else', async () => {
    const node = await openWith([quick]);
    const reading = await readerOn(node, quick);
    expect((await reading.query<Seen>(PORT))[0]!.port).toBe(quick.port);
    const tx = await reading.transaction((tx) => tx.query<Seen>(PORT), { reads: true });
    expect(tx[0]!.port).toBe(quick.port);
    const operation = node.db.forAccount(ACCOUNT).forOperation();
    for (const db of [node.db, node.db.housekeeping, node.db.forAccount(ACCOUNT), operation]) {
      for (const how of ['hot', 'query'] as const) {
        expect((await db[how]<Seen>(PORT))[0]!.port).toBe(primary.port);
      }
    }
    const writes = await reader(node).transaction((tx) => tx.query<Seen>(PORT));
    expect(writes[0]!.port).toBe(primary.port);
  });

  it('have what was committed before, at once: whichever server answers', async () => {
    const node = await openWith([quick]);
    const answered = new Set<number>();
    for (let i = 0; i < 200; i++) {
      await writer.transaction(async (tx) => {
        // Acknowledged before it is on the disk, and the last that were so.
        if (i > 150) await tx.query('set local synchronous_commit = off');
        await tx.query(NOTE);
      });
      const [{ count }] = (await writer.query<Seen>(PORT)) as [Seen];
      const seen = await seenBy(node);
      expect(seen.count).toBe(count);
      answered.add(seen.port);
    }
    expect(answered).toContain(quick.port);
  });

  it('answer nothing while they have not what was committed, and are left out where they lag', async () => {
    const node = await openWith([slow]);
    await writer.query(NOTE);
    const [{ count }] = (await writer.query<Seen>(PORT)) as [Seen];
    // The delay is there: who asked the replica itself would not see it.
    const direct = postgresDatabase(slow.url);
    expect((await direct.query<Seen>(PORT))[0]!.count).toBeLessThan(count);
    await direct.close();
    await eventually(async () => {
      expect(await seenBy(node)).toEqual({ port: primary.port, count });
      expect(node.told[serverOf(slow)]).toMatch(/^it lags by \d\.\d s$/);
    });
    expect(useOf(node, slow)).toMatchObject({ isLeftOut: true, reads: 0 });
    expect(useOf(node, slow).lagMillis).toBeGreaterThanOrEqual(1000);
    // It catches up.
    await eventually(() => expect(node.told[serverOf(slow)]).toBeNull());
    await caughtUp(node, slow);
    expect(kindsOf(node).slice(0, 3)).toEqual([null, 'lagging', null]);
  });

  it('answer by the one that has it, while another lags', async () => {
    const node = await openWith([slow, quick]);
    const answered = new Set<number>();
    for (let i = 0; i < 100; i++) {
      await writer.query(NOTE);
      answered.add((await seenBy(node)).port);
    }
    expect(answered).toContain(quick.port);
    expect(answered).not.toContain(slow.port);
  });

  it('take turns where each has it', async () => {
    const more = await startStandby(primary);
    onTestFinished(() => more.stop());
    const node = await openWith([quick, more]);
    await eventually(async () => {
      await seenBy(node);
      expect(useOf(node, quick).reads).toBeGreaterThan(3);
      expect(useOf(node, more).reads).toBeGreaterThan(3);
    });
  });

  it('give all statements of an operation, until it has stored something', async () => {
    const node = await openWith([quick]);
    const db = await readerOn(node, quick);
    const portOf = async () => (await db.hot<Seen>(PORT))[0]!;
    const { port, count } = await portOf();
    expect(port).toBe(quick.port);
    expect(await db.query(STORE, [], { stores: true })).toEqual([{ port: primary.port }]);
    expect((await portOf()).count).toBe(count + 1);
  });

  it('give what is to be held in memory only with all that was committed before it was asked for', async () => {
    const node = await openWith([quick]);
    await caughtUp(node, quick);
    for (let i = 0; i < 50; i++) {
      const db = reader(node);
      await db.hot(PORT);
      await writer.query(NOTE);
      const [{ count }] = (await writer.query<Seen>(PORT)) as [Seen];
      const [held] = await db.hot<Seen>(PORT, [], { isKept: true });
      expect(held!.count).toBe(count);
    }
  });

  it('leave to the primary what they cannot do, and then all that follows', async () => {
    const node = await openWith([quick]);
    const db = await readerOn(node, quick);
    expect(await db.query('select 1 as one from noted limit 1 for update').catch((error) => error.code)).toBe(
      // The rights of the role of requests, on the primary; a replica would say 25006.
      '42501',
    );
    expect((await db.hot<Seen>(PORT))[0]!.port).toBe(primary.port);
    expect(useOf(node, quick).leftReads).toBe(1);
    await caughtUp(node, quick);
  });

  it('refuse changes in their sessions by themselves', async () => {
    const node = await openWith([quick]);
    const db = await readerOn(node, quick);
    const isReadOnly = `select current_setting('transaction_read_only') as "readOnly", current_setting('default_transaction_read_only') as "byDefault"`;
    for (const how of ['hot', 'query'] as const) {
      expect(await db[how](isReadOnly)).toEqual([{ readOnly: 'on', byDefault: 'on' }]);
    }
  });

  it('are left for the primary where a statement is in the way of what they replay', async () => {
    const strict = await startStandby(primary, { settings: { max_standby_streaming_delay: '0' } });
    onTestFinished(() => strict.stop());
    await writer.query('create table passing (id integer)');
    await writer.query('grant select on passing to cardledger_tenant');
    const node = await openWith([strict]);
    const slowly = (await readerOn(node, strict)).query<{ port: number }>(
      'select inet_server_port() as port, pg_sleep(3)::text from passing right join (select 1) x on true',
    );
    await eventually(() => expect(useOf(node, strict).pools.alone.usage.inUse).toBe(1));
    await writer.query('drop table passing');
    // There it is no more.
    await expect(slowly).rejects.toMatchObject({ code: '42P01' });
    expect(useOf(node, strict).leftReads).toBe(1);
    expect((await seenBy(node)).count).toBeGreaterThan(0);
  });

  it('are left out when they are gone, and taken again when they are back: nobody notices', async () => {
    const proxy = await startTcpProxy(quick.port);
    onTestFinished(() => proxy.close());
    const url = Object.assign(new URL(quick.url), { port: String(proxy.port) }).href;
    const node = open([{ url }]);
    await eventually(() => expect(node.told).toEqual({ [serverOf(proxy)]: null }));
    const read = async () => (await reader(node).query<Seen>(`${PORT}, pg_sleep(0.2)`))[0]!.port;
    await eventually(async () => expect(await read()).toBe(quick.port));
    const underWay = [read(), read(), read()];
    await eventually(() => expect(useOf(node, proxy).pools.alone.usage.inUse).toBeGreaterThan(0));
    proxy.blackHole();
    proxy.cut();
    expect(await Promise.all(underWay)).toEqual(Array(3).fill(primary.port));
    await eventually(async () => {
      expect(await read()).toBe(primary.port);
      expect(node.told[serverOf(proxy)]).toMatch(/^it cannot be read: /);
    });
    await node.db.check();
    proxy.recover();
    proxy.cut();
    await eventually(async () => expect(await read()).toBe(quick.port));
    expect(kindsOf(node).filter((kind) => kind === 'gone')).toHaveLength(1);
  });

  it('are left out when they say nothing any more', async () => {
    const proxy = await startTcpProxy(quick.port);
    onTestFinished(() => proxy.close());
    const url = Object.assign(new URL(quick.url), { port: String(proxy.port) }).href;
    const node = open([{ url }]);
    await eventually(() => expect(node.told).toEqual({ [serverOf(proxy)]: null }));
    await eventually(async () => expect((await seenBy(node)).port).toBe(quick.port));
    proxy.blackHole();
    expect((await seenBy(node)).port).toBe(primary.port);
    await eventually(() =>
      expect(node.told[serverOf(proxy)]).toMatch(/^it cannot be read: .* has not answered for 500 ms/),
    );
  });

  it('are not waited for by the many who had their turn to come when they said nothing any more', async () => {
    const proxy = await startTcpProxy(quick.port);
    onTestFinished(() => proxy.close());
    const url = Object.assign(new URL(quick.url), { port: String(proxy.port) }).href;
    const node = open([{ url }]);
    await eventually(() => expect(node.told).toEqual({ [serverOf(proxy)]: null }));
    const reads = await eventually(async () => {
      const before = useOf(node, proxy).reads;
      const operations = Array.from({ length: 24 }, () => reader(node).query<Seen>(`${PORT}, pg_sleep(0.2)`));
      await Promise.race(operations);
      proxy.blackHole();
      if (useOf(node, proxy).reads === before + 24) return operations;
      proxy.recover();
      proxy.cut();
      throw new Error('The primary answers.');
    });
    const ports = (await Promise.all(reads)).map(([seen]) => seen!.port);
    expect(new Set(ports)).toEqual(new Set([quick.port, primary.port]));
  });

  it('are left out where they are of another database, whether of this server or of another', async () => {
    const stranger = await startPostgres();
    const follower = await startStandby(stranger);
    onTestFinished(() => Promise.all([stranger.stop(), follower.stop()]).then(() => {}));
    const beside = Object.assign(new URL(quick.superuserUrl), { pathname: '/template1' }).href;
    await asAdmin(primary, 'select pg_switch_wal()');
    for (const url of [follower.url, beside]) {
      const node = open([{ url }]);
      const said = [serverOf({ port: Number(new URL(url).port) }), 'it is a replica of another database'];
      await eventually(() => expect(node.told).toEqual(Object.fromEntries([said])));
      expect((await seenBy(node)).port).toBe(primary.port);
    }
  });

  it('are told apart by their databases where two are on one server', async () => {
    const { pathname } = new URL(quick.url);
    const beside = Object.assign(new URL(quick.superuserUrl), { pathname: '/template1' }).href;
    const node = open([quick, { url: beside }]);
    const own = `${serverOf(quick)}${pathname}`;
    await eventually(() =>
      expect(node.told).toEqual({
        [own]: null,
        [`${serverOf(quick)}/template1`]: 'it is a replica of another database',
      }),
    );
    await caughtUp(node, quick);
    const { pools } = node.db;
    expect(Object.keys(pools!).filter((pool) => pool.startsWith('alone '))).toHaveLength(2);
  });

  it('are read from once, where two addresses lead to one server, by that which does', async () => {
    const proxies = await Promise.all([startTcpProxy(quick.port), startTcpProxy(quick.port)]);
    onTestFinished(() => Promise.all(proxies.map((proxy) => proxy.close())).then(() => {}));
    const urls = proxies.map(({ port }) => ({
      url: Object.assign(new URL(quick.url), { port: String(port) }).href,
    }));
    const node = open(urls);
    await eventually(() => expect(Object.keys(node.told)).toHaveLength(2));
    const [used, other] = node.told[serverOf(proxies[0]!)] === null ? proxies : proxies.toReversed();
    expect(node.told).toEqual({
      [serverOf(used!)]: null,
      [serverOf(other!)]: `it is the same server as ${serverOf(used!)}`,
    });
    used!.blackHole();
    used!.cut();
    await eventually(() => expect(node.told[serverOf(other!)]).toBeNull());
    await caughtUp(node, quick);
  });

  it('are left out where they take changes', async () => {
    const promoted = await startStandby(primary);
    onTestFinished(() => promoted.stop());
    const node = await openWith([promoted]);
    await caughtUp(node, promoted);
    await asAdmin(promoted, 'select pg_promote()', 'set application_name = x');
    await eventually(() =>
      expect(node.told[serverOf(promoted)]).toBe('it is no standby (any more), and takes changes of its own'),
    );
    await writer.query(NOTE);
    expect((await seenBy(node)).port).toBe(primary.port);
  });

  it('are known to be there for what a quiet primary has written, pages of its log that have just begun included', async () => {
    await asAdmin(primary, 'select pg_switch_wal()');
    const node = await openWith([quick]);
    await caughtUp(node, quick);
  });

  describe.skipIf(!findPgBouncer())('behind PgBouncer', () => {
    async function openBehind(url: string): Promise<Node> {
      const bouncer = await startPgBouncer(url);
      onTestFinished(bouncer.stop);
      return open([bouncer]);
    }

    it('have what was committed before, at once, and answer', async () => {
      const node = await openBehind(quick.url);
      await caughtUp(node, quick);
      const answered = new Set<number>();
      for (let i = 0; i < 100; i++) {
        await writer.query(NOTE);
        const [{ count }] = (await writer.query<Seen>(PORT)) as [Seen];
        const seen = await seenBy(node, i % 2 === 0 ? 'hot' : 'query');
        expect(seen.count).toBe(count);
        answered.add(seen.port);
      }
      expect(answered).toContain(quick.port);
    });

    it('answer what is of one snapshot, too', async () => {
      const node = await openBehind(quick.url);
      await eventually(async () => {
        const read = reader(node).transaction(
          async (tx) => {
            await tx.query(ONE_SNAPSHOT);
            return tx.query<Seen>(PORT);
          },
          { reads: true },
        );
        expect((await read)[0]!.port).toBe(quick.port);
      });
    });

    it('show nothing old when their server was started anew, or is another one by now', async () => {
      const proxy = await startTcpProxy(quick.port);
      onTestFinished(() => proxy.close());
      const node = await openBehind(Object.assign(new URL(quick.url), { port: String(proxy.port) }).href);
      for (let i = 0; i < 5; i++) {
        await caughtUp(node, quick);
        await writer.query(NOTE);
        const [{ count }] = (await writer.query<Seen>(PORT)) as [Seen];
        await eventually(async () => expect(await seenBy(node)).toEqual({ port: quick.port, count }));
        // It lacks that for two seconds.
        proxy.leadTo(slow.port);
        proxy.cut();
        for (let j = 0; j < 30; j++) {
          expect((await seenBy(node, j % 2 === 0 ? 'hot' : 'query')).count).toBe(count);
        }
        proxy.leadTo(quick.port);
        proxy.cut();
      }
    });
  });

  it('cost nothing where there are none', () => {
    const operation = writer.forAccount(ACCOUNT).forOperation();
    expect(operation.onlyReads()).toBeNull();
    expect(writer.readUse).toBeUndefined();
  });
});

describe.skipIf(!inject('postgresUrl'))('a standby that did not follow when another was promoted', () => {
  it('is left out, though its log is longer; the one that followed is read from', async () => {
    const settings = { wal_keep_size: '64MB' };
    const primary = await startPostgres({ settings });
    const heir = await startStandby(primary, { settings: { ...settings, checkpoint_timeout: '30s' } });
    const stray = await startStandby(primary, { settings });
    onTestFinished(() => Promise.all([primary, heir, stray].map((server) => server.stop())).then(() => {}));
    const before = postgresDatabase(primary.url);
    await before.transaction(ensureTenantRole);
    await before.query('create table noted (id integer generated always as identity)');
    await before.query('grant select on noted to cardledger_tenant');
    await before.close();
    const isThere = async (server: PostgresServer) => {
      const one = postgresDatabase(server.url);
      await one.query(PORT).finally(() => one.close());
    };
    for (const server of [heir, stray]) await eventually(() => isThere(server));
    // What only the stray one gets.
    await setOfServer(heir.superuserUrl, 'primary_conninfo', '');
    const lost = postgresDatabase(primary.url);
    for (let i = 0; i < 20; i++) await lost.query(NOTE);
    await lost.close();
    const direct = postgresDatabase(stray.url);
    await eventually(async () => expect((await direct.query<Seen>(PORT))[0]!.count).toBe(20));
    await direct.close();
    await primary.stop();
    await asAdmin(heir, 'select pg_promote()');

    const told: Told = {};
    const db = postgresDatabase(heir.url, undefined, 10_000, {
      urls: [stray.url],
      tell(server, leftOut) {
        told[server] = leftOut?.reason ?? null;
      },
    });
    const node: Node = { db, told, history: [] };
    await eventually(() =>
      expect(told[serverOf(stray)]).toMatch(
        /^it is on timeline 1, and the primary on 2: it has not followed/,
      ),
    );
    expect(await seenBy(node)).toEqual({ port: heir.port, count: 0 });
    await db.close();
  });
});
