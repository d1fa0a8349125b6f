import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { placementProblems, placementWarnings } from '../../src/db/placement-problems.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { ONE_SNAPSHOT } from '../../src/db/queries/snapshot.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { moveTransactions } from '../../src/services/transactions/move.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { runWith } from '../cli/support.ts';
import { type MortalPostgres, startMortalPostgres } from '../faults/postgres.ts';
import { NOW, newTestApp, type TestApp } from '../harness.ts';
import {
  type CitusCluster,
  hasCitus,
  joinDatabase,
  newCitusDatabase,
  newDatabaseOnNodes,
  startCitus,
} from '../support/citus-server.ts';
import { eventually } from '../support/eventually.ts';
import { contextOf, entry } from '../support/furnished.ts';
import { findPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const OWNER = 'cardledger_owner';

/** The library makes room for prepared transactions by itself. */
const WITHOUT_LIBRARY = { shared_preload_libraries: '', max_prepared_transactions: '1000' };

const opened = (url: string): OpenDatabase => {
  const db = postgresDatabase(url);
  onTestFinished(() => db.close());
  return db;
};

// Citus is no package of Debian's: where the machine has none, these are skipped.
describe.skipIf(!hasCitus())('a node of Citus that is started without its library', () => {
  let cluster: CitusCluster;
  let coordinator: MortalPostgres;
  const workers: MortalPostgres[] = [];
  beforeAll(async () => {
    cluster = await startCitus(
      async (options) => {
        const worker = await startMortalPostgres(options);
        workers.push(worker);
        return worker;
      },
      async (options) => {
        coordinator = await startMortalPostgres(options);
        return coordinator;
      },
    );
  });
  afterAll(() => cluster?.stop());

  const migrated = async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    await migrate(opened(url));
    return url;
  };

  /** That nothing is answered while the coordinator runs without the library, and that all is as before then. */
  async function withoutLibrary(db: OpenDatabase): Promise<void> {
    const app = await newTestApp(db);
    await app.send('POST', '/collection', { name: 'Binder' });
    const list = () => app.send('GET', '/collection');
    const { body } = await list();
    expect(body.results).toHaveLength(1);
    await coordinator.kill();
    await coordinator.start(WITHOUT_LIBRARY);
    await eventually(async () => {
      expect(await list()).toMatchObject({ status: 503 });
      expect(await db.query('select 1 from collection').catch((refusal) => refusal)).toMatchObject({
        problem: 'Unavailable',
        cause: { message: expect.stringMatching(/shared_preload_libraries/) },
      });
    });
    expect(await list()).toMatchObject({ status: 503 });
    await coordinator.kill();
    await coordinator.start();
    await eventually(async () => expect((await list()).body).toEqual(body));
  }

  /** A new account whose rows are on the worker with the port. */
  async function accountOn(db: OpenDatabase, port: number): Promise<TestApp> {
    for (;;) {
      const app = await newTestApp(db);
      const [node] = await db.query<{ port: number }>(
        `select n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
         where p.shardid = get_shard_id_for_distribution_column('account', $1::uuid)`,
        [app.accountId],
      );
      if (node!.port === port) return app;
    }
  }

  /** Each kind of change of a ledger and its collections. */
  async function changesOf(ctx: Context, variantId: string, costBasis: string): Promise<void> {
    const withKey = () => withIdempotencyKey(ctx, crypto.randomUUID(), 'key');
    await updatePreferences(ctx, { costBasis });
    const { id } = await createCollection(ctx, { name: 'Binder' });
    const { id: other } = await createCollection(withKey(), { name: 'Box' });
    await updateCollection(ctx, id, { name: 'Vault', valued: true });
    const first = await createTransaction(ctx, id, entry(variantId));
    const second = await createTransaction(withKey(), id, entry(variantId));
    await createTransaction(ctx, id, entry(variantId, { unitAmount: { currency: 'EUR', value: 3 } }));
    await createTransactions(ctx, id, [entry(variantId), entry(variantId, { action: 'Sale' })]);
    await updateTransaction(ctx, first.id, { quantity: 3 });
    await moveTransactions(ctx, {
      fromCollectionId: id,
      toCollectionId: other,
      transactionIds: [second.id],
    });
    await setGoalCollection(ctx, id, { items: [{ variantId, quantity: 2 }] });
    await setGoalCollection(ctx, null);
    await deleteTransaction(ctx, first.id);
    await deleteCollection(ctx, other);
  }

  it('is refused where it is the coordinator, instead of being read as an empty database', async () => {
    await withoutLibrary(opened(await migrated()));
  });

  it.skipIf(!findPgBouncer())(
    'is refused behind PgBouncer, too, whose sessions end without those of clients',
    async () => {
      const bouncer = await startPgBouncer(await migrated());
      onTestFinished(() => bouncer.stop());
      await withoutLibrary(opened(bouncer.url));
    },
  );

  it('stops no change of an account that another worker has, and is named to who asks for all', async () => {
    const url = await migrated();
    const db = opened(url);
    const variantId = 'var_0000000000000001';
    await db.query(`insert into product (id, name, number_key, image_url, description, set_code, set_name)
      values ('prd_1', 'Card', '', '', '', 'TST', 'Test')`);
    await db.query(
      `insert into variant (id, product_id, name, position, fc_id, set_code, finish, is_expansion_slot)
       values ($1, 'prd_1', 'Regular', 0, 'FC1', 'TST', 'Regular', false)`,
      [variantId],
    );
    await db.query(`insert into fx_rate (currency, day, per_euro) values ('USD', '2024-01-02', 1.1)`);
    const [worker, other] = workers;
    const safe = await accountOn(db, other!.port);
    const lost = await accountOn(db, worker!.port);
    await worker!.kill();
    onTestFinished(() => worker!.start());
    for (const costBasis of ['Average', 'Fifo']) await changesOf(contextOf(db, safe), variantId, costBasis);
    expect(await lost.send('POST', '/collection', { name: 'Binder' })).toMatchObject({ status: 503 });
    expect(await runWith({ DATABASE_URL: url }, ['account', 'list'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        `^cardledger: The node [^ ]*:${worker!.port} of the Citus does not answer \\(.*\\): start it, or put`,
      ),
    });
  });

  it('is named where it is a worker that tables are to be placed on', async () => {
    const db = opened(await newCitusDatabase(cluster.superuserUrl, OWNER));
    const [worker] = workers;
    await worker!.kill();
    await worker!.start(WITHOUT_LIBRARY);
    const problem = `The node 127.0.0.1:${worker!.port} does not load the library of Citus: add citus to shared_preload_libraries there, and restart it.`;
    await expect(migrate(db)).rejects.toThrow(problem);
    expect(await placementProblems(db)).toContain(problem);
    await worker!.kill();
    await expect(migrate(db)).rejects.toThrow(
      new RegExp(`^The node 127\\.0\\.0\\.1:${worker!.port} does not answer \\(.*\\): start it`),
    );
    await worker!.start();
    await eventually(() => migrate(db));
    expect(await placementProblems(db)).toEqual([]);
  });
});

describe.skipIf(!hasCitus())('a worker of Citus that is silent', () => {
  let cluster: CitusCluster;
  const networks: TcpProxy[] = [];
  beforeAll(async () => {
    cluster = await startCitus(async (options) => {
      const server = await startPostgres(options);
      const network = await startTcpProxy(server.port);
      networks.push(network);
      const superuserUrl = Object.assign(new URL(server.superuserUrl), { port: String(network.port) }).href;
      const stop = async () => {
        await network.close();
        await server.stop();
      };
      return { superuserUrl, port: network.port, stop };
    });
  });
  afterAll(() => cluster?.stop());

  const silenced = () => {
    const [network] = networks;
    network!.blackHole();
    const recovered = () => {
      network!.recover();
      network!.cut();
    };
    onTestFinished(recovered);
    return { silentPort: network!.port, recovered };
  };

  it('is told apart from an operation that asks too much', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    await migrate(opened(url));
    const { silentPort, recovered } = silenced();
    // Sessions that have no connection to it yet; the old ones find out by the network alone.
    const db = opened(url);
    const asked = (statement: string) => {
      const operation = db.forOperation();
      return operation.query(statement).catch((error) => error);
    };
    expect(await asked('select count(*) from account')).toMatchObject({
      problem: 'Unavailable',
      cause: { message: `The coordinator of Citus does not reach the node 127.0.0.1:${silentPort}.` },
    });
    const waited = asked('select pg_sleep(60)');
    recovered();
    // Its time was used up while the node was silent, for all that is known.
    expect(await waited).toMatchObject({ problem: 'Unavailable' });
    await eventually(async () =>
      expect(await asked('select pg_sleep(60)')).toMatchObject({ problem: 'TooMuchWork' }),
    );
  });

  it('is named by what examines and places tables, instead of being waited for', async () => {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    await joinDatabase(cluster.superuserUrl, url);
    const empty = opened(await newCitusDatabase(cluster.superuserUrl, OWNER));
    const { silentPort, recovered } = silenced();
    const problem = new RegExp(
      `The node 127\\.0\\.0\\.1:${silentPort} does not answer \\(.*\\): start it, and check that each node may log in on it\\.`,
    );
    expect(await placementProblems(db)).toContainEqual(expect.stringMatching(problem));
    await expect(distribute(db)).rejects.toThrow(problem);
    await expect(migrate(empty)).rejects.toThrow(problem);
    recovered();
    expect(await distribute(db)).toBeGreaterThan(0);
    expect(await placementProblems(db)).toEqual([]);
    // What is placed already is served beside it, by nodes that start as well.
    silenced();
    expect(await migrate(opened(url))).toEqual({ applied: 0, waiting: [] });
  });
});

describe.skipIf(!hasCitus())('a coordinator of Citus', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await startCitus();
  });
  afterAll(() => cluster?.stop());

  const asSuperuser = (url: string, { superuserUrl }: { superuserUrl: string } = cluster) => {
    const { pathname } = new URL(url);
    const sql = postgres(Object.assign(new URL(superuserUrl), { pathname }).href, {
      max: 1,
      onnotice: () => {},
    });
    onTestFinished(() => sql.end());
    return sql;
  };

  it('without workers has all rows, which is said', async () => {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    await asSuperuser(url).unsafe('create extension citus');
    const db = opened(url);
    const lines: string[] = [];
    await migrate(db, { tell: (line) => lines.push(line) });
    expect(lines).toEqual([
      expect.stringMatching(/^No worker has been added: all rows are on the coordinator\./),
    ]);
    expect(await placementWarnings(db)).toEqual(lines);
    expect(await placementProblems(db)).toEqual([]);
    await joinDatabase(cluster.superuserUrl, url);
    const idle = cluster.workers.map(
      ({ port }) => `The worker 127.0.0.1:${port} has no rows of accounts yet: `,
    );
    expect(await placementWarnings(db)).toEqual(idle.map((line) => expect.stringContaining(line)));
  });

  it('that is to have no rows and has no workers places no tables until there is one', async () => {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    const admin = asSuperuser(url);
    await admin.unsafe('create extension citus');
    const { hostname, port } = new URL(url);
    await admin.unsafe(`select citus_set_coordinator_host('${hostname}', ${port})`);
    const db = opened(url);
    await expect(migrate(db)).rejects.toThrow(/^No node takes rows yet: add a worker, by/);
    await joinDatabase(cluster.superuserUrl, url);
    expect(await migrate(db)).toMatchObject({ applied: 0, distributed: expect.any(Number) });
    expect(await placementProblems(db)).toEqual([]);
  });

  it('places no tables while others hold them, and lets these go on', async () => {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    await createAccount(db, { name: 'First', now: NOW });
    await joinDatabase(cluster.superuserUrl, url);
    const holder = asSuperuser(url);
    await holder.unsafe('begin; lock table collection in access share mode');
    const lockPatience = { tries: 3, timeoutMillis: 20, pauseMillis: 10 };
    await expect(distribute(db, { lockPatience })).rejects.toThrow(
      /^Placing the tables waits for a lock on a table that others use/,
    );
    expect(await db.query('select name from account')).toEqual([{ name: 'First' }]);
    await holder.unsafe('commit');
    expect(await distribute(db)).toBeGreaterThan(0);
    expect(await db.query('select name from account')).toEqual([{ name: 'First' }]);
  });

  it('says on which node the settings cannot be made, and ends no session where it has them itself', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const name = new URL(url).pathname.slice(1);
    const [worker] = cluster.workers;
    const onWorker = asSuperuser('postgres://x/postgres', worker!);
    await onWorker.unsafe(`alter database ${name} reset all`);
    await onWorker.unsafe(`alter database ${name} owner to postgres`);
    await expect(distribute(db)).rejects.toThrow(
      new RegExp(
        `^The settings of the database cannot be made on 127\\.0\\.0\\.1:${worker!.port} \\(.*must be owner.*\\): its owner there is to be`,
      ),
    );
    await onWorker.unsafe(`alter database ${name} owner to ${OWNER}`);
    const other = opened(url);
    const pid = () => other.query('select pg_backend_pid() as pid');
    const before = await pid();
    expect(await distribute(db)).toBe(0);
    expect(await placementProblems(db)).toEqual([]);
    expect(await pid()).toEqual(before);
  });

  it('ends sessions that began without the settings also where a node refuses these', async () => {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const other = opened(url);
    const pid = () => other.query('select pg_backend_pid() as pid');
    const before = await pid();
    await joinDatabase(cluster.superuserUrl, url);
    const name = new URL(url).pathname.slice(1);
    const onWorker = asSuperuser('postgres://x/postgres', cluster.workers[0]!);
    await onWorker.unsafe(`alter database ${name} owner to postgres`);
    await expect(distribute(db)).rejects.toThrow(/^The settings of the database cannot be made on/);
    await eventually(async () => expect(await pid()).not.toEqual(before));
    await onWorker.unsafe(`alter database ${name} owner to ${OWNER}`);
    expect(await distribute(db)).toBeGreaterThan(0);
  });

  it.skipIf(!findPgBouncer())(
    'serves accounts through PgBouncer, within the walls between them',
    async () => {
      const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
      const bouncer = await startPgBouncer(url);
      onTestFinished(() => bouncer.stop());
      const db = opened(bouncer.url);
      await migrate(db);
      const accounts = await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const { accountId } = await createAccount(db, { name: `Account ${i}`, now: NOW });
          const ctx = { db, now: () => NOW, caller: { accountId, clientId: 'cli_test' } };
          await createCollection(ctx, { name: 'Binder' });
          return accountId;
        }),
      );
      await Promise.all(
        accounts.map(async (account) => {
          const rows = await db.forAccount(account).query('select account_id from collection');
          expect(rows).toEqual([{ account_id: account }]);
        }),
      );
      const app = await newTestApp(db);
      const { status, body } = await app.send('POST', '/collection', { name: 'Binder' });
      expect(status).toBe(200);
      expect((await app.send('GET', '/collection')).body).toEqual({ results: [body] });
      // On sessions that are known to be of a Citus by now, on which each transaction asserts that.
      for (let i = 0; i < 5; i++) {
        const ofOneMoment = db.transaction(async (tx) => {
          await tx.query(ONE_SNAPSHOT);
          return tx.query('select count(*) as count from account');
        });
        expect(await ofOneMoment).toEqual([{ count: accounts.length + 1 }]);
      }
      expect((await app.send('GET', '/product/search?q=snatch')).status).toBe(200);
      // By its deadline, which each transaction has with it.
      const slow = db
        .forOperation()
        .query('select pg_sleep(60) from account where account_id = $1', [accounts[0]!]);
      await expect(slow).rejects.toMatchObject({ problem: 'TooMuchWork' });
      expect(await placementProblems(db)).toEqual([]);
    },
  );
});
