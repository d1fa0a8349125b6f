import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DataDirectoryError, lockDirectory } from '../../src/db/directory-lock.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { maintain } from '../../src/db/embedded-maintenance.ts';
import { pgliteOptions } from '../../src/db/embedded-options.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { eventually } from '../support/eventually.ts';
import { loadedDump } from '../support/loaded-databases.ts';
import { freshServer } from '../support/pglite-template.ts';
import { startChild, temporaryDataDir } from './embedded-process.ts';

/** Runs as a user who owns nothing, since permissions do not bind root. */
async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid!() !== 0) return work();
  process.seteuid!(65_534);
  return work().finally(() => process.seteuid!(0));
}

/** Needs root, and in a container the right to mount. */
const CAN_MOUNT = ['mount -t tmpfs tmpfs /mnt', 'umount /mnt'].every(
  (command) => process.getuid?.() === 0 && spawnSync('sh', ['-c', command]).status === 0,
);

describe('openEmbedded', () => {
  it('makes the directory and the database, keeps the data, and refuses a second opener', async () => {
    const directory = await temporaryDataDir();
    const messages: string[] = [];
    const first = await openEmbedded(directory, { onProgress: (message) => messages.push(message) });
    expect(messages).toEqual([
      'Creating the embedded database (first start only: it takes about 20 seconds in all)',
    ]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await readdir(directory)).sort()).toEqual(['embedded', 'embedded.lock']);
    const db = pgliteDatabase(first);
    const setUp = ['CREATE EXTENSION pg_trgm', 'CREATE EXTENSION unaccent', 'CREATE TABLE t (a text)'];
    for (const statement of setUp) await db.query(statement);
    await db.query("INSERT INTO t SELECT unaccent('Éclair')");

    const message = new RegExp(
      `^The data directory ${directory} is in use by process ${process.pid} on ${hostname()} \\(since .*\\)\\. ` +
        'Stop that process first, or set DATA_DIR to another directory\\.$',
    );
    await expect(openEmbedded(directory)).rejects.toThrow(message);
    const other = await startChild(directory);
    other.send('open');
    expect((await other.next('opened', 'failed')).value).toMatch(message);

    await Promise.all([first.close(), first.close()]);
    // As a kill leaves it that comes while PostgreSQL writes its own lock.
    await writeFile(join(directory, 'embedded', 'postmaster.pid'), '');
    const second = await openEmbedded(directory, { onProgress: (line) => messages.push(line) });
    const rows = await pgliteDatabase(second).query("SELECT a, similarity(a, 'Eclair') AS s FROM t");
    expect(rows).toEqual([{ a: 'Eclair', s: 1 }]);
    expect(messages).toHaveLength(1);
    await second.close();
  });

  it('answers Unavailable while its directory is gone, makes no other in its place, and goes on when it is back', async () => {
    const directory = await temporaryDataDir();
    await mkdir(directory);
    const path = join(directory, 'embedded');
    await (await PGlite.create(path, { ...pgliteOptions, loadDataDir: await loadedDump() })).close();
    const messages: string[] = [];
    const server = await openEmbedded(directory, { onProgress: (line) => messages.push(line) });
    onTestFinished(server.close);
    const db = pgliteDatabase(server);
    const count = () => db.query('select count(*) from product');
    await rename(path, `${path}.away`);
    const unavailable = { problem: 'Unavailable' };
    await eventually(() => expect(count()).rejects.toMatchObject(unavailable));
    await eventually(() => expect(messages).toHaveLength(2));
    expect(messages).toEqual([
      expect.stringMatching(
        /^The embedded database has ended and is opened anew: could not open .*: No such file or directory$/,
      ),
      `The embedded database does not open, and is tried again each second: ${path} is gone. Put it back, or a copy of it.`,
    ]);
    await expect(count()).rejects.toMatchObject(unavailable);
    expect(await readdir(directory)).toEqual(['embedded.away', 'embedded.lock']);
    await rename(`${path}.away`, path);
    await eventually(async () => expect(await count()).toHaveLength(1));
    expect(messages.slice(2)).toEqual(['The embedded database is open again']);
  });

  it('leaves the memory that a first start takes to a process that ends', async () => {
    const child = await startChild(await temporaryDataDir());
    child.send('open');
    const { value } = await child.next('opened', 'failed');
    expect((value as { peakMegabytes: number }).peakMegabytes).toBeLessThan(400);
  });

  it('reports a failed initialisation, leaves nothing behind, and can be tried again', async () => {
    const directory = await temporaryDataDir();
    vi.stubEnv('NODE_OPTIONS', '--require=/missing/module.cjs');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const failure = openEmbedded(directory);
    await expect(failure).rejects.toThrow(
      /could not be created in .*Cannot find module '\/missing\/module.cjs'/,
    );
    expect(await readdir(directory)).toEqual(['embedded.lock']);
    (await lockDirectory(directory)).release();
  });

  it('removes an unfinished database, and leaves what it does not know alone', async () => {
    const directory = await temporaryDataDir();
    const unfinished = `embedded.init-${randomUUID()}`;
    await mkdir(join(directory, unfinished, 'base'), { recursive: true });
    const strange = ['notes.txt', 'embedded.init-backup', `${unfinished}.tar`, 'embedded.old'];
    for (const name of strange) await writeFile(join(directory, name), name);
    await writeFile(join(directory, 'embedded'), 'a file');
    await expect(openEmbedded(directory)).rejects.toThrow(
      `${join(directory, 'embedded')} exists but is not a database. Move it away`,
    );
    expect((await readdir(directory)).sort()).toEqual([...strange, 'embedded', 'embedded.lock'].sort());
    for (const name of strange) expect(await readFile(join(directory, name), 'utf8')).toBe(name);
    expect(await readFile(join(directory, 'embedded'), 'utf8')).toBe('a file');
  });

  it('refuses a directory that is not a database, an empty one and a broken one', async () => {
    const directory = await temporaryDataDir();
    const embedded = join(directory, 'embedded');
    await mkdir(embedded, { recursive: true });
    await expect(openEmbedded(directory)).rejects.toThrow('exists but is not a database');
    await writeFile(join(embedded, 'PG_VERSION'), '12\n');
    await expect(openEmbedded(directory)).rejects.toThrow(
      /does not open: .*postgresql\.conf.*Restore a copy of the directory/,
    );
    expect(await readdir(embedded)).toEqual(['PG_VERSION']);
  });

  it('says so when the path is a file or below one', async () => {
    const directory = await temporaryDataDir();
    await writeFile(directory, '');
    for (const path of [directory, join(directory, 'below')]) {
      const failure = openEmbedded(path);
      await expect(failure).rejects.toThrow(DataDirectoryError);
      await expect(failure).rejects.toThrow(
        `${path} cannot be used: it, or a part of its path, is not a directory`,
      );
    }
  });

  it.skipIf(!CAN_MOUNT)(
    'says so when the file system is read-only, for a new database and for one that is there',
    async () => {
      const directory = await temporaryDataDir();
      await mkdir(join(directory, 'data', 'embedded'), { recursive: true });
      await writeFile(join(directory, 'data', 'embedded', 'PG_VERSION'), '17\n');
      const empty = await temporaryDataDir();
      await mkdir(empty);
      const message =
        'cannot be used: its file system is read-only. Correct that, or set DATA_DIR to another directory.';
      for (const [path, dataDir] of [
        [directory, join(directory, 'data')],
        [empty, empty],
        [empty, join(empty, 'new')],
      ] as const) {
        execFileSync('mount', ['--bind', path, path]);
        execFileSync('mount', ['-o', 'remount,ro,bind', path]);
        await expect(openEmbedded(dataDir)).rejects.toThrow(`${dataDir} ${message}`);
        execFileSync('umount', [path]);
      }
    },
  );

  it.skipIf(!existsSync('/proc/self'))('says so where nothing can be made', async () => {
    await expect(openEmbedded('/proc/cardledger/data')).rejects.toThrow(
      '/proc/cardledger/data cannot be used: nothing can be made at this path',
    );
  });

  it('says so when permissions are missing', async () => {
    const directory = await temporaryDataDir();
    await mkdir(directory);
    await chmod(join(directory, '..'), 0o755);
    await chmod(directory, 0o555);
    const message = 'cannot be used: this user may not read and write there. Correct that';
    await unprivileged(async () => {
      await expect(openEmbedded(directory)).rejects.toThrow(`${directory} ${message}`);
      await expect(openEmbedded(join(directory, 'new'))).rejects.toThrow(message);
    });
    await chmod(directory, 0o755);
    await mkdir(join(directory, 'embedded'), { mode: 0o000 });
    if (process.getuid!() === 0) await chown(directory, 65_534, 65_534);
    await unprivileged(() => expect(openEmbedded(directory)).rejects.toThrow(message));
  });
});

describe('lockDirectory', () => {
  it('does not believe a lock file that nobody holds', async () => {
    const directory = await temporaryDataDir();
    await mkdir(directory);
    const live = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
    for (const content of [JSON.stringify(live), JSON.stringify({ ...live, host: 'elsewhere' }), 'x', '']) {
      await writeFile(join(directory, 'embedded.lock'), content);
      const lock = await lockDirectory(directory);
      lock.release();
      lock.release();
    }
  });

  it('goes to exactly one of eight processes when its holder is killed', async () => {
    const directory = await temporaryDataDir();
    await mkdir(directory);
    let holder = await startChild(directory);
    holder.send('lock');
    await holder.next('locked');
    let others = await Promise.all(Array.from({ length: 8 }, () => startChild(directory)));
    for (let round = 1; round <= 3; round++) {
      for (const child of others) child.events.length = 0;
      const killed = holder.kill();
      for (const child of others) child.send('lock');
      await killed;
      const answers = await Promise.all(others.map((child) => child.next('locked', 'failed')));
      const winners = others.filter((_, i) => answers[i]!.event === 'locked');
      expect(winners).toHaveLength(1);
      holder = winners[0]!;
      others = others.filter((child) => child !== holder);
      for (const { event, value } of answers) {
        if (event === 'failed') expect(value).toContain(`in use by process ${holder.pid} on`);
      }
    }
  });
});

describe('maintain', () => {
  it('bounds the log of changes and the dead rows, which PGlite itself does not', async () => {
    const server = await freshServer();
    const db = pgliteDatabase(server);
    const numberOf = async (query: string) => (await db.query<{ n: number }>(query))[0]!.n;
    const walFiles = () => numberOf('SELECT count(*)::int AS n FROM pg_ls_waldir()');
    const size = () => numberOf("SELECT pg_table_size('t')::int AS n FROM t LIMIT 1");
    const updateAll = async () => {
      for (let i = 0; i < 14; i++) await db.query("UPDATE t SET note = note || ''");
      // Counts of changed rows are passed on by the first statement after a second.
      await setTimeout(1100);
      await db.query('SELECT 1');
    };
    await db.query(
      "CREATE TABLE t AS SELECT i AS id, repeat('x', 200) AS note FROM generate_series(1, 20000) i",
    );
    await updateAll();
    expect(await walFiles()).toBeGreaterThan(6);
    const bytes = await size();
    await maintain(server);
    expect(await walFiles()).toBeLessThanOrEqual(5);
    await updateAll();
    expect(await size()).toBeLessThan(bytes * 1.2);
    await server.close();
  });
});
