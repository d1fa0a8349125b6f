import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../../src/db/embedded.ts';
import { pgliteOptions } from '../../src/db/embedded-options.ts';
import { type OpenOptions, openDatabase } from '../../src/db/open.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { loadedDump } from '../support/loaded-databases.ts';
import { startMortalPostgres } from './postgres.ts';
import { newService, type Service } from './service.ts';
import { startWriters } from './writers.ts';

/** Needs root, and in a container the right to mount. */
const canMount = ['mount -t tmpfs tmpfs /mnt', 'umount /mnt'].every(
  (command) => process.getuid?.() === 0 && spawnSync('sh', ['-c', command]).status === 0,
);
const RUNS = Number(process.env.DISK_RUNS ?? (process.env.FAULTS === 'short' ? 1 : 10));
const FULL_MILLIS = 5000;
const BACK_MILLIS = 60_000;
const HOUR = 3_600_000;

const table: object[] = [];
afterAll(() => {
  // biome-ignore lint/suspicious/noConsole: the table is what the suite is for
  console.table(table);
});

interface Disk {
  path: string;
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

/** A small disk in memory, for the time of the test. */
async function newDisk(megabytes: number): Promise<Disk> {
  const path = await mkdtemp(join(tmpdir(), 'cardledger-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', path]);
    await rm(path, { recursive: true });
  });
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () =>
      writeFile(ballast, Buffer.alloc(megabytes * 1024 * 1024)).catch((error) =>
        expect(error.code).toBe('ENOSPC'),
      ),
    makeRoom: () => rm(ballast),
  };
}

async function loadedDirectory(disk: Disk): Promise<string> {
  const dataDir = join(disk.path, 'data');
  await mkdir(dataDir);
  const loadDataDir = await loadedDump();
  await (await PGlite.create(join(dataDir, 'embedded'), { ...pgliteOptions, loadDataDir })).close();
  return dataDir;
}

const within = (work: Promise<unknown>) =>
  Promise.race([work.then(() => true), sleep(BACK_MILLIS, false, { ref: false })]);

/** Writers beside a disk that is full for a while, as often as asked for. */
async function runsOn(kind: string, disk: Disk, service: Service, database: OpenOptions): Promise<void> {
  const sums = { hangs: 0, acknowledged: 0, lost: 0, doubled: 0, 'refused (503)': 0, 'ended by itself': 0 };
  let longestSeconds = 0;
  for (let run = 0; run < RUNS; run++) {
    if (!service.isRunning()) await service.start();
    const writers = await startWriters(service);
    for (let successes = 0; successes < 10; successes++) await writers.nextSuccess();
    await disk.fill();
    await sleep(FULL_MILLIS);
    const lives = await within(fetch(`${service.url}/healthz`));
    const start = performance.now();
    const back = writers.nextSuccess();
    await disk.makeRoom();
    if (!service.isRunning()) {
      sums['ended by itself']++;
      await service.start();
    }
    if (!lives || !(await within(back))) sums.hangs++;
    longestSeconds = Math.max(longestSeconds, (performance.now() - start) / 1000);
    const { acknowledged, lost, doubled } = await writers.settle();
    sums.acknowledged += acknowledged;
    sums.lost += lost;
    sums.doubled += doubled;
    sums['refused (503)'] += writers.failures.get(503) ?? 0;
    expect(writers.unhelpful()).toBe(0);
    expect(await service.end('SIGTERM')).toBe(0);
  }
  const db = await openDatabase(database);
  expect((await diagnose(db, { fix: false })).differences).toEqual([]);
  await db.close();
  table.push({ kind, runs: RUNS, ...sums, 'back within (s)': longestSeconds.toFixed(1) });
  expect(sums).toMatchObject({ hangs: 0, lost: 0, doubled: 0 });
}

it.skipIf(!canMount)(
  'the embedded database, on a disk that is full',
  async () => {
    const disk = await newDisk(200);
    const dataDir = await loadedDirectory(disk);
    const service = await newService(dataDir, {});
    onTestFinished(async () => void (service.isRunning() && (await service.end('SIGKILL'))));
    await runsOn('embedded', disk, service, { databaseUrl: null, dataDir, onProgress() {} });
  },
  HOUR,
);

it.skipIf(!canMount)(
  'the embedded database, whose log of changes needs a new segment on a disk that is full',
  async () => {
    const disk = await newDisk(200);
    const dataDir = await loadedDirectory(disk);
    const lines: string[] = [];
    let [hangs, acknowledged, lost] = [0, 0, 0];
    for (let run = 0; run < RUNS; run++) {
      const db = pgliteDatabase(await openEmbedded(dataDir, { onProgress: (line) => void lines.push(line) }));
      await db.query('create table if not exists written (run int, number int)');
      const written: number[] = [];
      const write = async (number: number) => {
        await db.query('insert into written values ($1, $2)', [run, number]);
        written.push(number);
        await db.query('select pg_switch_wal()');
      };
      await disk.fill();
      // Until no segment is left that was made before.
      let failure: unknown;
      const writeTwenty = async () => {
        for (let i = 0; i < 20; i++) failure = await write(i).catch((error) => error);
      };
      const isAnswered = await within(writeTwenty());
      await disk.makeRoom();
      const before = written.length;
      const writeAgain = async () => {
        for (let i = 100; written.length === before; i++) {
          await write(i).catch(() => {});
          await sleep(100);
        }
      };
      if (!isAnswered || !(await within(writeAgain()))) {
        hangs++;
        break;
      }
      expect(failure).toMatchObject({ problem: 'Unavailable' });
      const rows = await db.query<{ number: number }>('select number from written where run = $1', [run]);
      const there = new Set(rows.map(({ number }) => number));
      acknowledged += written.length;
      lost += written.filter((number) => !there.has(number)).length;
      await db.close();
    }
    const ended = lines.filter((line) => line.includes('has ended and is opened anew'));
    table.push({
      kind: 'embedded, no new segment',
      runs: RUNS,
      hangs,
      acknowledged,
      lost,
      'opened anew': ended.length,
    });
    // Most runs end it; in one that does not, the segment before had room for all.
    for (const line of ended) expect(line).toContain('PANIC:  could not write to file "pg_wal/xlogtemp');
    expect({ hangs, lost }).toEqual({ hangs: 0, lost: 0 });
  },
  HOUR,
);

it.skipIf(!canMount)('a first start says how much room it needs', async () => {
  const { path } = await newDisk(100);
  await expect(openEmbedded(path)).rejects.toThrow(
    /^The data directory .* has \d+ MB of free space, and a first start needs 160 MB\. Make room, or set DATA_DIR/,
  );
  expect(await readdir(path)).toEqual(['embedded.lock']);
});

it.skipIf(!canMount)(
  'PostgreSQL, on a disk that is full',
  async () => {
    const disk = await newDisk(400);
    const postgres = await startMortalPostgres({ parent: disk.path });
    onTestFinished(() => postgres.stop());
    const folder = await mkdtemp(join(tmpdir(), 'cardledger-full-'));
    const service = await newService(folder, { DATABASE_URL: postgres.url });
    onTestFinished(async () => {
      if (service.isRunning()) await service.end('SIGKILL');
      await rm(folder, { recursive: true });
    });
    await runsOn('PostgreSQL', disk, service, { databaseUrl: postgres.url, dataDir: '', onProgress() {} });
  },
  HOUR,
);
