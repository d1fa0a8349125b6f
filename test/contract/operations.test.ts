import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { projectPath } from '../../src/paths.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { NOW } from '../support/clock.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { blocksOf } from '../support/readme-blocks.ts';

removeFoldersAfterwards();

const FIRST_VERSION = readFileSync(projectPath('test/fixtures/database/first-version.sql'), 'utf8');
const blocks = blocksOf('docs/operations.md').filter(({ meta }) => meta === 'postgres');

/** The commands of docs/operations.md, as they stand there and as the plain owner, on a database of the first version. */
/** What is said of the machine, and of market data that is older than the day of the test. */
const EXPECTED_NOTES = /^(npm warn|The newest (market prices|exchange rates) are those of) .*\n/gm;

describe.skipIf(!findPostgres())('docs/operations.md, on PostgreSQL', () => {
  let server: PostgresServer;
  let other: PostgresServer;
  let folder: string;
  const addressOf = (database: string) => Object.assign(new URL(server.url), { pathname: database }).href;

  const onDatabase = async <T>(database: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    const sql = postgres(database === 'other' ? other.url : addressOf(database), {
      max: 1,
      onnotice: () => {},
    });
    return work(sql).finally(() => sql.end());
  };

  beforeAll(async () => {
    server = await startPostgres();
    other = await startPostgres();
    folder = await temporaryFolder();
    await onDatabase(new URL(server.url).pathname, (sql) => sql.unsafe('create database ledger'));
    await onDatabase('ledger', (sql) => sql.unsafe(FIRST_VERSION));
  });
  afterAll(() => Promise.all([server.stop(), other.stop()]));

  async function run(block: string) {
    const path = [findPostgres()!.bin, process.env.PATH].join(delimiter);
    // npm finds the project; the files of the commands are made elsewhere.
    const script = block.replaceAll(/\S+\.dump/g, (file) =>
      file.replace(/[\w-]+\.dump/, (name) => join(folder, name)),
    );
    const child = spawn('sh', ['-euc', script], {
      cwd: projectPath('.'),
      env: {
        PATH: path,
        HOME: process.env.HOME,
        DATABASE_URL: addressOf('ledger'),
        OTHER_DATABASE_URL: other.url,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, stdout, stderr: stderr.replaceAll(EXPECTED_NOTES, '') };
  }

  it.each(blocks.map((block) => [block.place, block.text] as const))('%s', async (_, block) => {
    const { code, stdout, stderr } = await run(block);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    if (block.includes('doctor')) expect(stdout).toMatch(/^ok +ledger +every derived value is right$/m);
  });

  it('keep what the tenants have, and give the old version its database back', async () => {
    const rowsOf = (database: string) =>
      onDatabase(database, (sql) => sql`select to_jsonb(t)::text as row from transaction t order by 1`);
    const migrations = (database: string) =>
      onDatabase(database, async (sql) => Number((await sql`select count(*) from migration`)[0]!.count));
    expect(await migrations('cardledger_before')).toBe(3);
    expect(await migrations('ledger')).toBeGreaterThan(3);
    expect(await migrations('cardledger_restored')).toBe(await migrations('ledger'));
    const rows = await rowsOf('ledger');
    expect(rows).toHaveLength(17);
    expect(await rowsOf('cardledger_restored')).toEqual(rows);
    expect(await rowsOf('other')).toEqual(rows);
    expect(await rowsOf('cardledger_before')).toHaveLength(17);
  });

  it.each(['cardledger_restored', 'other'])('restore the wall between accounts: %s', async (database) => {
    const url = database === 'other' ? other.url : addressOf(database);
    const db = await openDatabase({ databaseUrl: url, dataDir: '', onProgress: () => {} });
    try {
      const { accountId } = await createAccount(db, { name: 'Second', now: NOW });
      const seen = 'select account_id as "accountId" from account';
      expect((await db.query(seen)).length).toBeGreaterThan(1);
      expect(await db.forAccount(accountId).query(seen)).toEqual([{ accountId }]);
    } finally {
      await db.close();
    }
  });
});
