import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database, OpenDatabase, StatementListener } from '../../src/db/client.ts';
import { migrate, missingMigrations } from '../../src/db/migrate.ts';
import { MIGRATION_LOCK, MigrationError } from '../../src/db/migration-turn.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { freshServer } from '../support/pglite-template.ts';

removeFoldersAfterwards();

const emptyPostgres = () => emptyPostgresUrl(inject('postgresUrl')!);

/** A folder of migrations, by name. Those of a later version are added to those of the one before. */
async function folderOf(migrations: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'meta'));
  const entries = Object.keys(migrations).map((tag, idx) => ({ idx, tag, when: 1000 + idx }));
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ entries }));
  for (const [tag, sql] of Object.entries(migrations)) await writeFile(join(folder, `${tag}.sql`), sql);
  return folder;
}

const step = (...statements: string[]) => statements.join('\n--> statement-breakpoint\n');

for (const kind of ['pglite', 'postgres'] as const) {
  const open = async () =>
    kind === 'pglite' ? pgliteDatabase(await freshServer()) : postgresDatabase(await emptyPostgres());

  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`migrations (${kind})`, () => {
    let nodes: OpenDatabase[];
    beforeAll(async () => {
      if (kind === 'pglite') nodes = [await open()];
      else {
        const url = await emptyPostgres();
        nodes = Array.from({ length: 4 }, () => postgresDatabase(url));
      }
    });
    afterAll(() => Promise.all(nodes.map((node) => node.close())));

    it('run once when several nodes start at the same time', async () => {
      const results = await Promise.all(nodes.map((node) => migrate(node)));
      const [journal] = await nodes[0]!.query<{ count: number }>('select count(*) as count from migration');
      expect(journal!.count).toBeGreaterThanOrEqual(10);
      expect(results.reduce((sum, { applied }) => sum + applied, 0)).toBe(journal!.count);
      expect(await migrate(nodes[0]!)).toEqual({ applied: 0, waiting: [] });
    });

    it('refuse a database that is newer than the code', async () => {
      await nodes[0]!.query(`insert into migration (created_at, hash) values (99999999999999, 'future')`);
      await expect(migrate(nodes[0]!)).rejects.toThrow(/newer than this version of cardledger/);
      await nodes[0]!.query('delete from migration where created_at = 99999999999999');
      expect(await migrate(nodes[0]!)).toEqual({ applied: 0, waiting: [] });
    });

    it('refuse a database with another history', async () => {
      await nodes[0]!.query(`update migration set hash = 'x' || hash`);
      await expect(migrate(nodes[0]!)).rejects.toThrow(/not the one that this version/);
      await nodes[0]!.query('update migration set hash = substr(hash, 2)');
    });

    it('put the account first in every key of a tenant table', async () => {
      const keys = await nodes[0]!.query<{ table: string; first: string }>(
        `select c.conrelid::regclass::text as table, a.attname as first
         from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
         where c.contype in ('p', 'u') and exists (
           select from pg_attribute t where t.attrelid = c.conrelid and t.attname = 'account_id')
         and c.conrelid::regclass::text !~ '^client(_\\d+)?$'`,
      );
      expect(keys.length).toBeGreaterThanOrEqual(5);
      expect(keys.filter(({ first }) => first !== 'account_id')).toEqual([]);
      const links = await nodes[0]!.query<{ name: string; first: string }>(
        `select c.conname as name, a.attname as first from pg_constraint c
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
         where c.contype = 'f' and c.confrelid in ('account'::regclass, 'collection'::regclass)`,
      );
      expect(links.length).toBeGreaterThanOrEqual(4);
      expect(links.filter(({ first }) => first !== 'account_id')).toEqual([]);
    });
  });

  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`a migration (${kind})`, () => {
    let db: OpenDatabase;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(() => db.close());

    /** A sequence counts what is undone as well. */
    const CRASH_ONCE = {
      pglite: `select 1 / (nextval('tries') - 1)`,
      postgres: `select pg_terminate_backend(pg_backend_pid()) where nextval('tries') = 1`,
    }[kind];

    it('is kept where the one after it fails or the node dies, and the next start goes on', async () => {
      const folder = await folderOf({
        '0000_first': step('create table first ()', 'create sequence tries'),
        '0001_second': step('create table second ()', CRASH_ONCE, 'create table second_too ()'),
        '0002_third': 'create table third ()',
      });
      const there = async () =>
        (
          await db.query<{ name: string }>(
            `select name from unnest('{first,second,second_too,third}'::text[]) as name where to_regclass(name) is not null`,
          )
        ).map(({ name }) => name);
      await expect(migrate(db, { folder })).rejects.toThrow();
      expect(await there()).toEqual(['first']);
      expect(await missingMigrations(db, folder)).toBe(2);
      expect(await migrate(db, { folder })).toEqual({ applied: 2, waiting: [] });
      expect(await there()).toEqual(['first', 'second', 'second_too', 'third']);
      expect(await db.query('select created_at as at from migration order by 1')).toEqual([
        { at: 1000 },
        { at: 1001 },
        { at: 1002 },
      ]);
    });
  });

  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`a contraction (${kind})`, () => {
    const VERSION_1 = { '0000_a': 'create table used (a text, b text, c text)' };
    const VERSION_2 = {
      ...VERSION_1,
      '0001_b': 'create table other ()',
      '0002_drop_a': step('-- contract\n-- Nobody reads it.\nalter table used drop column a'),
      '0003_drop_b': step('-- contract\nalter table used drop column b'),
    };
    const VERSION_3 = {
      ...VERSION_2,
      '0004_d': 'create table another ()\n-- contract',
      '0005_drop_c': step('-- contract\nalter table used drop column c'),
    };
    const columns = async (db: Database) =>
      (
        await db.query<{ name: string }>(
          `select attname as name from pg_attribute where attrelid = 'used'::regclass and attnum > 0
             and not attisdropped order by 1`,
        )
      ).map(({ name }) => name);
    const names = ({ waiting }: Awaited<ReturnType<typeof migrate>>) => waiting.map(({ name }) => name);

    /** Of version 1, and migrated to version 2. */
    async function upgraded() {
      const db = await open();
      onTestFinished(() => db.close());
      await migrate(db, { folder: await folderOf(VERSION_1) });
      const folder = await folderOf(VERSION_2);
      return { db, folder, result: await migrate(db, { folder }) };
    }
    const appliedBefore = (db: Database, age: string) =>
      db.query(`update migration set applied_at = now() - $1::interval where created_at = 1001`, [age]);

    it('waits for nodes of the version before to be replaced, and hinders nobody', async () => {
      const { db, folder, result } = await upgraded();
      const [time] = await db.query<{ from: string }>(
        `select to_char((applied_at + interval '24 hours') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as from
         from migration where created_at = 1001`,
      );
      const waiting = ['0002_drop_a', '0003_drop_b'].map((name) => ({ name, ...time }));
      expect(result).toEqual({ applied: 1, waiting });
      expect(await migrate(db, { folder })).toEqual({ applied: 0, waiting });
      expect(await columns(db)).toEqual(['a', 'b', 'c']);
      expect(await missingMigrations(db, folder)).toBe(0);
    });

    it('is applied by a start a day after the migration before, by the clock of the database', async () => {
      const { db, folder } = await upgraded();
      await appliedBefore(db, '23:59:00');
      expect(names(await migrate(db, { folder }))).toEqual(['0002_drop_a', '0003_drop_b']);
      await appliedBefore(db, '24:00:00');
      expect(await migrate(db, { folder })).toEqual({ applied: 2, waiting: [] });
      expect(await columns(db)).toEqual(['c']);
      expect(await missingMigrations(db, folder)).toBe(0);
    });

    it('is applied when the operator says so', async () => {
      const { db, folder } = await upgraded();
      expect(await migrate(db, { folder, contract: true })).toEqual({ applied: 2, waiting: [] });
      expect(await columns(db)).toEqual(['c']);
    });

    it('is applied with those of a later version, of which the contractions wait in their turn', async () => {
      const { db } = await upgraded();
      await appliedBefore(db, '48:00:00');
      const folder = await folderOf(VERSION_3);
      expect(await missingMigrations(db, folder)).toBe(1);
      const result = await migrate(db, { folder });
      expect([result.applied, names(result)]).toEqual([3, ['0005_drop_c']]);
      expect(await columns(db)).toEqual(['c']);
    });

    it('waits its day also where a migration is added behind it, which goes first', async () => {
      const { db } = await upgraded();
      await appliedBefore(db, '23:59:00');
      const folder = await folderOf(VERSION_3);
      const result = await migrate(db, { folder });
      expect([result.applied, names(result)]).toEqual([1, ['0002_drop_a', '0003_drop_b', '0005_drop_c']]);
      expect(await columns(db)).toEqual(['a', 'b', 'c']);
      expect(await missingMigrations(db, folder)).toBe(0);
      expect(await migrate(db, { folder })).toMatchObject({ applied: 0 });
      await appliedBefore(db, '24:00:00');
      expect(names(await migrate(db, { folder }))).toEqual(['0005_drop_c']);
      expect(await columns(db)).toEqual(['c']);
      expect(await migrate(db, { folder, contract: true })).toEqual({ applied: 1, waiting: [] });
      expect(await columns(db)).toEqual([]);
    });

    it('is applied at once on a database that was empty', async () => {
      const db = await open();
      onTestFinished(() => db.close());
      expect(await migrate(db, { folder: await folderOf(VERSION_3) })).toEqual({ applied: 6, waiting: [] });
      expect(await columns(db)).toEqual([]);
    });

    it('leaves a database that a version without it refuses', async () => {
      const { db, folder } = await upgraded();
      await migrate(db, { folder, contract: true });
      const older = await folderOf(VERSION_1);
      await expect(migrate(db, { folder: older })).rejects.toThrow(/newer than this version/);
      expect(await missingMigrations(db, older)).toBe(-3);
    });
  });
}

describe.skipIf(!inject('postgresUrl'))('a migration that meets the locks of others', () => {
  async function lockedTable(listener?: StatementListener) {
    const url = await emptyPostgres();
    const node = postgresDatabase(url, listener);
    const other = postgresDatabase(url);
    onTestFinished(async () => {
      await node.close();
      await other.close();
    });
    await other.query('create table used ()');
    const folder = await folderOf({
      '0000_first': 'create table first ()',
      '0001_second': step(
        `create table limits as select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`,
        'alter table used add column added text',
      ),
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holding: Promise<void> | undefined;
    await new Promise<void>((locked) => {
      holding = other.transaction(async (tx) => {
        await tx.query('lock table used in access share mode');
        locked();
        await released;
      });
    });
    return {
      node,
      other,
      folder,
      async release() {
        release();
        await holding;
      },
    };
  }

  it('gives up with what to do, leaves what it had done before, and lets others pass meanwhile', async () => {
    const { node, other, folder, release } = await lockedTable();
    const lockPatience = { tries: 3, timeoutMillis: 20, pauseMillis: 10 };
    const failed = await migrate(node, { folder, lockPatience }).catch((error) => error);
    expect(failed).toBeInstanceOf(MigrationError);
    expect(failed.message).toMatch(
      /^The migration 0001_second waits for a lock .* Let what runs long .* end, .* and start again\.$/,
    );
    expect(await other.query('select * from used')).toEqual([]);
    expect(await missingMigrations(node, folder)).toBe(1);
    await release();
    expect(await migrate(node, { folder })).toEqual({ applied: 1, waiting: [] });
    expect(await node.query('select * from limits')).toEqual([{ lock: '2s', statement: '0' }]);
  });

  it('tries again until they are gone', async () => {
    let tries = 0;
    const { node, folder, release } = await lockedTable((text) => {
      if (text.includes('alter table used') && ++tries === 3) void release();
    });
    const lockPatience = { tries: 1000, timeoutMillis: 20, pauseMillis: 1 };
    expect(await migrate(node, { folder, lockPatience })).toEqual({ applied: 2, waiting: [] });
    expect(tries).toBeGreaterThanOrEqual(3);
  });
});

it.skipIf(!inject('postgresUrl'))(
  'a migration that waits for its turn says who has it, as one whose process was killed may',
  async () => {
    const url = await emptyPostgres();
    const holder = postgres(url, { max: 1 });
    const node = postgresDatabase(url);
    onTestFinished(async () => {
      await holder.end();
      await node.close();
    });
    const [{ pid }] = (await holder
      .unsafe(`begin; select pg_advisory_xact_lock(${MIGRATION_LOCK}); select pg_backend_pid() as pid`)
      .then((results) => results.at(-1))) as unknown as [{ pid: number }];
    const folder = await folderOf({ '0000_first': 'create table first ()' });
    let migrating: Promise<unknown> | undefined;
    const line = await new Promise<string>((tell) => {
      migrating = migrate(node, { folder, tell });
    });
    expect(line).toMatch(
      new RegExp(
        `^Waiting for another that migrates or distributes the database since 20.*Z \\(process ${pid} of the database, from .*\\)\\..* select pg_terminate_backend\\(${pid}\\)$`,
      ),
    );
    await holder.unsafe('commit');
    expect(await migrating).toEqual({ applied: 1, waiting: [] });
  },
);
