import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { mutationDocument } from '../graphql/mutate.ts';
import { asNewAccount, bearing, NOW, newTestApp, pricedVariants, type TestApp } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { newCollection, record } from './support.ts';

/** Of each test; `REPLICA_READS=10000` for the long form. */
const READS = Number(process.env.REPLICA_READS ?? 240);
const CLIENTS = 4;
/** On the standby that lags. */
const DELAY = '2s';

const COLLECTION = `query Own($id: ID!) {
  collection(id: $id) {
    name
    quantity
    transactions(first: 50) { totalCount nodes { id quantity } }
    transactionSummaries(first: 50) { totalCount nodes { quantity } }
  }
}`;

interface Shown {
  name: string;
  quantity: number;
}

/** A client's collection, as each way of asking shows it. */
const WAYS: Record<string, (app: TestApp, id: string) => Promise<Shown>> = {
  async graphql(app, id) {
    type Data = {
      collection: Shown & {
        transactions: { totalCount: number; nodes: { quantity: number }[] };
        transactionSummaries: { totalCount: number; nodes: { quantity: number }[] };
      };
    };
    const { collection } = await app.graphql<Data>(COLLECTION, { id });
    const { name, quantity, transactions, transactionSummaries } = collection;
    const sum = ({ nodes }: { nodes: { quantity: number }[] }) =>
      nodes.reduce((total, node) => total + node.quantity, 0);
    if (transactions.totalCount <= 50) expect(sum(transactions)).toBe(quantity);
    expect(sum(transactionSummaries)).toBe(quantity);
    return { name, quantity };
  },
  async rest(app, id) {
    const { body } = await app.send('GET', `/collection/${id}`);
    const summaries = await app.send('GET', `/collection/${id}/transaction-summary?pageSize=50`);
    const quantity = summaries.body.results.reduce(
      (sum: number, { quantity }: { quantity: number }) => sum + quantity,
      0,
    );
    return { name: body.name, quantity };
  },
};

describe.skipIf(!inject('postgresUrl'))('nodes with replicas', () => {
  const servers: PostgresServer[] = [];
  let primary: PostgresServer;
  let quick: PostgresServer;
  let slow: PostgresServer;
  let url: string;
  let variants: string[];

  beforeAll(async () => {
    // Acknowledged when it is on the disk, as a service's is, which a standby gets at once.
    primary = await startPostgres({ settings: { synchronous_commit: 'on' } });
    servers.push(primary);
    ({ url } = await loadedPostgresUrl(primary.url));
    quick = await startStandby(primary);
    slow = await startStandby(primary, { settings: { recovery_min_apply_delay: DELAY } });
    servers.push(quick, slow);
    const db = postgresDatabase(url);
    variants = await pricedVariants(db, 40);
    await db.close();
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const urlOn = ({ port }: PostgresServer) => Object.assign(new URL(url), { port: String(port) }).href;
  const start = performance.now();
  const now = () => new Date(NOW.getTime() + performance.now() - start);

  async function openNodes(replicas: readonly PostgresServer[]) {
    const dbs = [1, 2].map(() =>
      postgresDatabase(url, undefined, 60_000, { urls: replicas.map(urlOn), tell: () => {} }),
    );
    for (const db of dbs) {
      await eventually(() => expect(db.readUse!.replicas.every(({ isLeftOut }) => !isLeftOut)).toBe(true));
    }
    const apps = await Promise.all(
      dbs.map((db) => newTestApp(db, { now, elapsed: () => performance.now() })),
    );
    return { dbs, apps, close: () => Promise.all(dbs.map((db) => db.close())) };
  }
  const readsOf = (dbs: readonly OpenDatabase[], server: PostgresServer) =>
    dbs
      .flatMap(({ readUse }) => readUse!.replicas)
      .filter((replica) => replica.server === `127.0.0.1:${server.port}`)
      .reduce((sum, { reads }) => sum + reads, 0);

  /** Clients that write on one node and read it on the other, by both transports, in turn; gives what they saw that was stale. */
  async function staleReads(db: OpenDatabase, apps: readonly TestApp[]): Promise<unknown[]> {
    const stale: unknown[] = [];
    const client = async () => {
      const { token, accountId } = await asNewAccount(db, apps[0]!.fetch);
      const nodes = apps.map(({ fetch }) => bearing(fetch, token, accountId));
      const id = await newCollection(nodes[0]!);
      let quantity = 0;
      for (let i = 0; i < READS / CLIENTS; i++) {
        const [writing, reading] = [nodes[i % 2]!, nodes[(i + 1 + (i % 5 === 0 ? 1 : 0)) % 2]!];
        let name = `No. ${i}`;
        if (i % 4 === 3) {
          quantity += 2;
          await record(writing, id, variants[i % variants.length]!, { quantity: 2 });
          name = `No. ${i - 1}`;
        } else if (i % 4 === 2) {
          const input = { id, name };
          await writing.graphql(mutationDocument('updateCollection'), { input });
        } else {
          const body = { name, valued: false, description: '', pinned: false, image: 0 };
          await writing.send('PUT', `/collection/${id}`, body);
        }
        const way = i % 3 === 0 ? 'rest' : 'graphql';
        const shown = await WAYS[way]!(reading, id);
        if (shown.name !== name || shown.quantity !== quantity) {
          stale.push({ i, way, shown, written: { name, quantity } });
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return stale;
  }

  async function shownStale(replicas: readonly PostgresServer[]) {
    const { dbs, apps, close } = await openNodes(replicas);
    const stale = await staleReads(dbs[0]!, apps);
    const answered = replicas.map((server) => readsOf(dbs, server));
    const primaryReads = dbs.reduce((sum, { readUse }) => sum + readUse!.primaryReads, 0);
    const repeated = dbs
      .flatMap(({ readUse }) => readUse!.replicas)
      .reduce((sum, one) => sum + one.leftReads, 0);
    if (process.env.REPLICA_READS) {
      process.stdout.write(
        `${READS} reads of own writes: ${stale.length} stale; by replicas ${answered.join(' and ')}, by the primary ${primaryReads}, repeated there ${repeated}\n`,
      );
    }
    await close();
    return { stale, answered, repeated };
  }

  it('show a client what it has written, on whichever it comes back, while both replicas lag', async () => {
    const other = await startStandby(primary, { settings: { recovery_min_apply_delay: DELAY } });
    const { stale } = await shownStale([slow, other]);
    await other.stop();
    expect(stale).toEqual([]);
  }, 900_000);

  it('and while one lags, and the other answers', async () => {
    const { stale, answered, repeated } = await shownStale([slow, quick]);
    expect(stale).toEqual([]);
    expect(answered[1]).toBeGreaterThan(0);
    expect(repeated).toBe(0);
  }, 900_000);

  it('show preferences as they are by now, and values of the newest prices, which they store', async () => {
    const { dbs, apps, close } = await openNodes([quick]);
    const [app] = apps as [TestApp];
    const id = await newCollection(app);
    await record(app, id, variants[0]!);
    const value = '{ viewer { preferredCurrency dashboard { marketValue { currency } } } }';
    for (const currency of ['EUR', 'JPY', 'USD', 'GBP']) {
      const input = { preferredCurrency: currency };
      await app.graphql(mutationDocument('updatePreferences'), { input });
      const { viewer } = await app.graphql<{ viewer: { preferredCurrency: string } }>(value);
      expect(viewer.preferredCurrency).toBe(currency);
      const { body } = await app.send('GET', `/collection/${id}`);
      expect(body.marketValue.currency).toBe(currency);
    }
    // Made stale, so that the next reader values it afresh.
    await dbs[0]!.query('update collection set market_revision = -1 - revision where id = $1', [id]);
    const before = readsOf(dbs, quick);
    const shown = await app.send('GET', `/collection/${id}`);
    expect(shown.body.marketValue.value).toBeGreaterThan(0);
    const [row] = await dbs[0]!.query<{ isStale: boolean }>(
      'select market_revision = -1 - revision as "isStale" from collection where id = $1',
      [id],
    );
    expect(row!.isStale).toBe(false);
    expect(readsOf(dbs, quick)).toBeGreaterThanOrEqual(before);
    await close();
  });

  it('say in their metrics which server answers', async () => {
    const { apps, dbs, close } = await openNodes([quick]);
    const [app] = apps as [TestApp];
    for (const read of [
      () => app.graphql('{ collections(first: 1) { nodes { id } } }'),
      () => app.send('GET', '/collection'),
    ]) {
      const before = readsOf(dbs, quick);
      await eventually(async () => {
        await read();
        expect(readsOf(dbs, quick)).toBeGreaterThan(before);
      });
    }
    const { body } = await app.send('GET', '/metrics');
    const server = `127.0.0.1:${quick.port}`;
    expect(body).toMatch(/cardledger_db_reads_total\{server="primary"\} \d+/);
    expect(body).toMatch(new RegExp(`cardledger_db_reads_total\\{server="${server}"\\} [1-9]`));
    expect(body).toContain(`cardledger_db_reads_repeated_total{server="${server}"} 0`);
    expect(body).toContain(`cardledger_db_replica_left_out{server="${server}"} 0`);
    expect(body).toContain(`cardledger_db_replica_lag_seconds{server="${server}"}`);
    expect(body).toContain(`cardledger_db_pool_size{pool="shared ${server}"} 32`);
    await close();
  });
});
