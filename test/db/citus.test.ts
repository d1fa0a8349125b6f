import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { explaining } from '../../src/cli/database.ts';
import { loadConfig } from '../../src/config.ts';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { distribute } from '../../src/db/distribute.ts';
import { examineReplicas } from '../../src/db/examine-replicas.ts';
import { migrate } from '../../src/db/migrate.ts';
import { REFERENCE_TABLES, TENANT_TABLES } from '../../src/db/placement.ts';
import { placementProblems } from '../../src/db/placement-problems.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { runWith } from '../cli/support.ts';
import { NOW } from '../harness.ts';
import {
  CITUS_SETTINGS,
  type CitusCluster,
  hasCitus,
  joinDatabase,
  newCitusDatabase,
  newDatabaseOnNodes,
  startCitus,
} from '../support/citus-server.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { migrationsBefore } from '../support/migrations-before.ts';
import { startStandby } from '../support/postgres-server.ts';

const OWNER = 'cardledger_owner';
const ALL_TABLES = TENANT_TABLES.length + REFERENCE_TABLES.length;

// Citus is no package of Debian's: where the machine has none, these are skipped.
describe.skipIf(!hasCitus())('a database on Citus', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await startCitus();
  });
  afterAll(() => cluster?.stop());

  const opened = (url: string): OpenDatabase => {
    const db = postgresDatabase(url);
    onTestFinished(() => db.close());
    return db;
  };
  const superuserOf = (url: string) => {
    const address = Object.assign(new URL(cluster.superuserUrl), { pathname: new URL(url).pathname });
    const admin = postgres(address.href, { max: 1, onnotice: () => {} });
    onTestFinished(() => admin.end());
    return admin;
  };
  const empty = async () => opened(await newCitusDatabase(cluster.superuserUrl, OWNER));
  const countOf = async (db: Database, table: string) =>
    (await db.query<{ count: number }>(`select count(*) as count from ${table}`))[0]!.count;
  const referencesOf = (db: OpenDatabase) =>
    db.query(`select conrelid::regclass::text as name, conname, pg_get_constraintdef(oid) as definition, convalidated
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
        and conrelid::regclass::text !~ '_[0-9]+"?$' order by 1, 2`);

  /** With rows, on all nodes, and without the extension. */
  async function filled(): Promise<{ db: OpenDatabase; url: string; accounts: string[] }> {
    const url = await newDatabaseOnNodes(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    await db.query(`insert into fx_rate (currency, day, per_euro) values ('USD', '2024-01-02', 1.1)`);
    const accounts: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { accountId } = await createAccount(db, { name: `Account ${i}`, now: NOW });
      const ctx = { db, now: () => NOW, caller: { accountId, clientId: 'cli_test' } };
      await createCollection(ctx, { name: 'Binder' });
      accounts.push(accountId);
    }
    return { db, url, accounts };
  }

  it('is distributed as it is made, once', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    const early = await runWith({ DATABASE_URL: url }, ['distribute']);
    expect(early).toMatchObject({
      code: 1,
      stderr:
        'cardledger: The database is empty: run "cardledger migrate", which makes the tables and spreads them over the nodes.\n',
    });
    expect(await migrate(db)).toMatchObject({ distributed: ALL_TABLES });
    expect(await placementProblems(db)).toEqual([]);
    expect(await migrate(db)).toEqual({ applied: 0, waiting: [] });
    expect(await distribute(db)).toBe(0);
    await db.query(`insert into fx_rate (currency, day, per_euro) values ('USD', '2024-01-02', 1.1)`);
    const { accountId } = await createAccount(db, { name: 'First', now: NOW });
    // The connection that has placed the tables is used for requests then.
    const [own] = await db
      .forAccount(accountId)
      .query('select name from account where account_id = $1', [accountId]);
    expect(own).toEqual({ name: 'First' });
  });

  it('gives what sessions need to a worker that lacks it, such as one that came later', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const onWorker = postgres(cluster.workers[0]!.superuserUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => onWorker.end());
    await onWorker.unsafe(`alter database ${new URL(url).pathname.slice(1)} reset all`);
    expect(await placementProblems(db)).toEqual([
      expect.stringMatching(/^Nodes lack the role or the settings/),
    ]);
    expect(await distribute(db)).toBe(0);
    expect(await placementProblems(db)).toEqual([]);
    const settings = await opened(url).query(
      `select result from run_command_on_workers($$ select current_setting('jit') $$)`,
    );
    expect(settings).toEqual([{ result: 'off' }, { result: 'off' }]);
  });

  it('is told where its functions are not given to the nodes, which distribute does then', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const admin = superuserOf(url);
    await admin.unsafe(`update pg_dist_object set distribution_argument_index = null
      where classid = 'pg_proc'::regclass
        and objid in (select oid from pg_proc where proname in ('create_transaction', 'delete_transaction'))`);
    expect(await placementProblems(db)).toEqual([
      'Nodes are not given what changes accounts (create_transaction, delete_transaction), so the coordinator has to work it: run "cardledger distribute".',
    ]);
    const told: string[] = [];
    expect(await distribute(db, { tell: (what) => told.push(what) })).toBe(0);
    expect(told).toEqual(['Gave the nodes 2 functions that change accounts.']);
    expect(await placementProblems(db)).toEqual([]);
  });

  it('is told where a node does not let the role of requests log in', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const [worker] = cluster.workers;
    const onWorker = postgres(worker!.superuserUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => onWorker.end());
    const setLogin = (login: string) =>
      onWorker.unsafe(
        `begin; set local citus.enable_ddl_propagation = off; alter role cardledger_tenant ${login}; commit`,
      );
    onTestFinished(() => void setLogin('login'));
    await setLogin('nologin');
    expect(await placementProblems(db)).toEqual([
      expect.stringMatching(
        `^The node [^ ]*:${worker!.port} does not let cardledger_tenant log in \\(.*\\), so what accounts have there is answered 503: let pg_hba`,
      ),
    ]);
    expect(await runWith({ DATABASE_URL: url }, ['doctor'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('does not let cardledger_tenant log in'),
      stderr: 'The ledger was not looked at: put the placement right first.\n',
    });
    await setLogin('login');
    expect(await placementProblems(db)).toEqual([]);
  });

  it('is told what to do where the nodes know a coordinator that is gone', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    await migrate(db);
    const admin = superuserOf(url);
    await admin.unsafe(`select citus_set_coordinator_host('127.0.0.1', 1)`);
    expect(await placementProblems(db)).toEqual([
      expect.stringMatching(
        /^The nodes know the coordinator as 127\.0\.0\.1:1, which does not answer \(.*\): if this server has taken its place, run "select citus_set_coordinator_host/s,
      ),
    ]);
    await admin.unsafe(`select citus_set_coordinator_host('127.0.0.1', ${new URL(url).port})`);
    expect(await placementProblems(db)).toEqual([]);
  });

  it('is not read from a standby of its coordinator, which does not know how far those of the workers are', async () => {
    const primaryUrl = await newCitusDatabase(cluster.superuserUrl, OWNER);
    await migrate(opened(primaryUrl));
    const standby = await startStandby(
      { url: primaryUrl, port: Number(new URL(primaryUrl).port) },
      { settings: CITUS_SETTINGS },
    );
    onTestFinished(() => standby.stop());
    const told: (string | undefined)[] = [];
    const db = postgresDatabase(primaryUrl, undefined, 10_000, {
      urls: [standby.url],
      tell: (_, leftOut) => told.push(leftOut?.kind),
    });
    onTestFinished(() => db.close());
    await eventually(() => expect(told).toEqual(['of a Citus']));
    const reading = db.forAccount(randomUUID()).forOperation().onlyReads()!;
    expect(await reading.query('select pg_is_in_recovery() as "isStandby"')).toEqual([{ isStandby: false }]);
    expect(await examineReplicas(db, primaryUrl, [standby.url])).toEqual([
      { ok: false, detail: expect.stringMatching(/: it is of a Citus, and does not know how far/) },
    ]);
  });

  it('keeps its rows and references where it is distributed later, and the walls between accounts', async () => {
    const { db, url, accounts } = await filled();
    await expect(distribute(db)).rejects.toThrow(/^The database does not have the extension citus: run/);
    expect(await placementProblems(db)).toBeNull();
    const references = await referencesOf(db);
    // Of a node that runs meanwhile.
    const node = opened(url);
    expect(await countOf(node.forAccount(accounts[0]!), 'collection')).toBe(1);
    await joinDatabase(cluster.superuserUrl, url);
    expect(await placementProblems(db)).toEqual([
      expect.stringMatching(
        /^36 tables are on the coordinator alone \(product, .*: run "cardledger distribute"\.$/,
      ),
      'Nodes lack the role or the settings with which accounts see their rows there: run "cardledger distribute".',
    ]);
    expect(await distribute(db)).toBe(ALL_TABLES);
    expect(await placementProblems(db)).toEqual([]);
    expect(await referencesOf(db)).toEqual(references);
    expect(await countOf(db, 'collection')).toBe(6);
    expect(await countOf(db, 'fx_rate')).toBe(1);
    for (const account of accounts) {
      const own = await eventually(async () =>
        node.forAccount(account).query('select account_id from collection'),
      );
      expect(own).toEqual([{ account_id: account }]);
    }
    const [local] = await db.query(`select pg_relation_size('collection') as bytes`);
    expect(local).toEqual({ bytes: 0 });
  });

  it('has the tables of later migrations where they belong', async () => {
    const db = await empty();
    await migrate(db, { folder: await migrationsBefore('0037_') });
    expect(await placementProblems(db)).toEqual([]);
    await migrate(db);
    expect(await placementProblems(db)).toEqual([]);
    expect(
      await db.query(`select citus_table_type from citus_tables where table_name = 'webhook'::regclass`),
    ).toEqual([{ citus_table_type: 'distributed' }]);
  });

  it('goes on where some tables are distributed', async () => {
    const { db, url } = await filled();
    await joinDatabase(cluster.superuserUrl, url);
    await distribute(db);
    await db.query(`select undistribute_table('event')`);
    expect(await placementProblems(db)).toEqual([
      '1 table is on the coordinator alone (event): run "cardledger distribute".',
    ]);
    expect(await migrate(db)).toMatchObject({ distributed: 1 });
    expect(await placementProblems(db)).toEqual([]);
    expect(await countOf(db, 'event')).toBe(6);
  });

  it('says which tables are in another place than theirs, and leaves them', async () => {
    const { db, url } = await filled();
    await joinDatabase(cluster.superuserUrl, url);
    await db.query(`select create_reference_table('former_sub_account')`);
    await db.query(`select create_distributed_table('rate_gap', 'currency')`);
    const wrong = [
      'The table rate_gap is not a reference table: run "select undistribute_table(\'rate_gap\', cascade_via_foreign_keys => true)" and then "cardledger distribute".',
      'The table former_sub_account is not distributed by account_id: run "select undistribute_table(\'former_sub_account\', cascade_via_foreign_keys => true)" and then "cardledger distribute".',
    ];
    await expect(migrate(db)).rejects.toThrow(wrong.join(' '));
    expect((await placementProblems(db))!.slice(0, 2)).toEqual(wrong);
  });

  it('says what tables were taken along by one that was placed by hand, and follows when they are back', async () => {
    const { db, url } = await filled();
    await joinDatabase(cluster.superuserUrl, url);
    await db.query(`select create_reference_table('product')`);
    const refused =
      /^Citus knows .*transaction.*holding.* by references .*: run "(select undistribute_table\('\w+', cascade_via_foreign_keys => true\))" and then "cardledger distribute"\.$/;
    const { message } = await distribute(db).catch((error) => error);
    expect(message).toMatch(refused);
    expect(await placementProblems(db)).toContain(message);
    await db.query(refused.exec(message)![1]!);
    expect(await distribute(db)).toBe(ALL_TABLES);
    expect(await placementProblems(db)).toEqual([]);
    expect(await countOf(db, 'collection')).toBe(6);
  });

  it('names the node whose database has the extension in another version, or not at all', async () => {
    const url = await newCitusDatabase(cluster.superuserUrl, OWNER);
    const db = opened(url);
    const [worker] = cluster.workers;
    const address = Object.assign(new URL(worker!.superuserUrl), { pathname: new URL(url).pathname });
    const onWorker = postgres(address.href, { max: 1, onnotice: () => {} });
    onTestFinished(() => onWorker.end());
    const node = `The database on the node 127\\.0\\.0\\.1:${worker!.port}`;
    const problem = async (what: string) => {
      await expect(migrate(db)).rejects.toThrow(new RegExp(`^${node} ${what}`));
      expect(await placementProblems(db)).toContainEqual(
        expect.stringMatching(new RegExp(`^${node} ${what}`)),
      );
      expect(await db.query(`select to_regclass('migration') as journal`)).toEqual([{ journal: null }]);
    };
    const [{ extversion }] =
      (await onWorker`select extversion from pg_extension where extname = 'citus'`) as [
        { extversion: string },
      ];
    await onWorker`update pg_extension set extversion = '13.1-1' where extname = 'citus'`;
    await problem(
      'has the extension citus 13\\.1-1, and its server loads 13\\.\\S+: run "alter extension citus update" in it',
    );
    await onWorker`update pg_extension set extversion = ${extversion} where extname = 'citus'`;
    await onWorker`drop extension citus cascade`;
    await problem('does not have the extension citus: run "create extension citus" in it');
  });

  it('is refused where DATABASE_URL names a worker', async () => {
    const url = new URL(await newCitusDatabase(cluster.superuserUrl, OWNER));
    url.port = String(cluster.workers[0]!.port);
    for (const command of [['migrate'], ['account', 'list'], ['doctor']]) {
      const { code, stderr, stdout } = await runWith({ DATABASE_URL: url.href }, command);
      expect(code).toBe(1);
      expect(stderr + stdout).toContain('The server of DATABASE_URL is a worker of a Citus');
    }
    expect(await opened(url.href).query(`select to_regclass('migration') as journal`)).toEqual([
      { journal: null },
    ]);
  });

  it('is not told again on workers that a transaction begins, which their logs would be full of', async () => {
    const db = await empty();
    await migrate(db);
    const { accountId } = await createAccount(db, { name: 'Account', now: NOW });
    const ctx = { db: db.forAccount(accountId), now: () => NOW, caller: { accountId, clientId: 'cli_test' } };
    const create = () => createCollection(withIdempotencyKey(ctx, randomUUID(), 'key'), { name: 'Binder' });
    const told = async () => {
      let count = 0;
      for (const { superuserUrl } of cluster.workers) {
        const onWorker = postgres(superuserUrl, { max: 1 });
        const log = `regexp_replace(current_setting('data_directory'), '[^/]*$', 'log')`;
        const [row] = await onWorker.unsafe<{ log: string }[]>(`select pg_read_file(${log}) as log`);
        await onWorker.end();
        count += row!.log.split('there is already a transaction in progress').length - 1;
      }
      return count;
    };
    // The first connections do not know yet what they lead to.
    await create();
    const before = await told();
    for (let i = 0; i < 10; i++) await create();
    expect(await told()).toBe(before);
  });

  it('changes nothing where a worker is away, says so, and is distributed when it is back', async () => {
    const { db, url } = await filled();
    await joinDatabase(cluster.superuserUrl, url);
    // As where it is away: nobody can log in.
    const [worker] = cluster.workers;
    const onWorker = postgres(worker!.superuserUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => onWorker.end());
    const name = new URL(url).pathname.slice(1);
    await onWorker.unsafe(`alter database ${name} allow_connections false`);
    await onWorker.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await expect(distribute(db)).rejects.toThrow(
      new RegExp(
        `^The node 127\\.0\\.0\\.1:${worker!.port} does not answer \\(.*\\): start it, .*\\. Then run this again; nothing is half done\\.$`,
      ),
    );
    // Those that are there are not named: it is this one that is to be started.
    expect((await placementProblems(db))!.filter((problem) => problem.includes('does not answer'))).toEqual([
      expect.stringMatching(new RegExp(`^The node 127\\.0\\.0\\.1:${worker!.port} does not answer `)),
    ]);
    expect(await countOf(db, 'collection')).toBe(6);
    await onWorker.unsafe(`alter database ${name} allow_connections true`);
    expect(await distribute(db)).toBe(ALL_TABLES);
    expect(await placementProblems(db)).toEqual([]);
    expect(await countOf(db, 'collection')).toBe(6);
  });
});

describe.skipIf(!inject('superuserUrl') || process.env.TEST_CITUS_URL)(
  'an extension of the wrong version',
  () => {
    /** A database that says it has the extension, on a server that has none. */
    async function claiming(version: string): Promise<string> {
      const url = await emptyPostgresUrl(inject('superuserUrl')!);
      const admin = postgres(url, { max: 1 });
      await admin.unsafe('set allow_system_table_mods = on');
      await admin.unsafe(`insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      values (99999, 'citus', 10, 11, false, '${version}')`);
      await admin.end();
      return url;
    }

    const opened = (url: string): OpenDatabase => {
      const db = postgresDatabase(url);
      onTestFinished(() => db.close());
      return db;
    };

    it('is refused with what to do', async () => {
      const url = await claiming('13.1-1');
      await expect(explaining(loadConfig({ DATABASE_URL: url }), () => migrate(opened(url)))).rejects.toThrow(
        /^The database has the extension citus, but its server does not load it.*shared_preload_libraries/,
      );
      // As of a server that loads it.
      const admin = postgres(url, { max: 1 });
      await admin.unsafe(`alter database ${new URL(url).pathname.slice(1)} set citus.version = '13.1.0'`);
      await admin.end();
      const db = opened(url);
      const message =
        /^The database has the extension citus 13\.1-1, and 13\.2 or later is needed: install it/;
      await expect(migrate(db)).rejects.toThrow(message);
      expect(await placementProblems(db)).toEqual([expect.stringMatching(message)]);
      expect(await db.query(`select to_regclass('migration') as made`)).toEqual([{ made: null }]);
    });
  },
);
