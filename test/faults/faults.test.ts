import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { openDatabase } from '../../src/db/open.ts';
import { dateOf } from '../../src/domain/dates.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { settleMarket } from '../../src/services/market/settle.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { newAccount } from '../harness.ts';
import { CLI } from '../support/bundle.ts';
import { entry } from '../support/furnished.ts';
import { commitPrices, variantsWithoutEv } from '../support/price-days.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type MortalPostgres, startMortalPostgres } from './postgres.ts';
import { newService, type Service } from './service.ts';
import { startWriters, type Writers } from './writers.ts';

/** `FAULTS=short` does each fault once, for every build; without it they are done as often as the table says. */
const isShort = process.env.FAULTS === 'short';
const times = (count: number) => (isShort ? 1 : count);
const MINUTE = 60_000;
const LIBFAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));

interface Row {
  fault: string;
  times: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Until the first request that began after the fault, or after its end, was acknowledged. */
  'longest outage (s)': number;
  refusals: string;
}
const table: Row[] = [];

let postgres: MortalPostgres;
let proxy: TcpProxy;
let service: Service;
let other: Service;
let folder: string;
let databaseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardledger-faults-'));
  postgres = await startMortalPostgres();
  proxy = await startTcpProxy(postgres.port);
  const proxied = new URL(postgres.url);
  proxied.port = String(proxy.port);
  databaseUrl = proxied.href;
  service = await newService(join(folder, 'one'), { DATABASE_URL: databaseUrl });
  other = await newService(join(folder, 'two'), { DATABASE_URL: databaseUrl });
}, 10 * MINUTE);

afterAll(async () => {
  // biome-ignore lint/suspicious/noConsole: the table is what the suite is for
  console.table(table);
  for (const node of [service, other]) if (node.isRunning()) await node.end('SIGKILL');
  await proxy.close();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** Writes through `count` faults, and holds what was promised against what is there. */
async function suffer(
  fault: string,
  count: number,
  node: Service,
  strike: (writers: Writers) => Promise<number>,
  database: { databaseUrl: string | null; dataDir: string } = { databaseUrl: postgres.url, dataDir: '' },
): Promise<Writers> {
  const writers = await startWriters(node);
  const outages: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let successes = 0; successes < 10; successes++) await writers.nextSuccess();
    outages.push(await strike(writers));
  }
  const outcome = await writers.settle();
  const refusals = [...writers.failures]
    .map(([status, number]) => `${number} × ${status || 'no answer'}`)
    .join(', ');
  table.push({
    fault,
    times: count,
    ...outcome,
    'longest outage (s)': Math.round(Math.max(...outages) / 100) / 10,
    refusals,
  });
  expect(outcome).toMatchObject({ lost: 0, doubled: 0 });
  expect(writers.unhelpful()).toBe(0);
  if (database.databaseUrl === null) await node.end('SIGTERM');
  const db = await openDatabase({ ...database, onProgress: () => {} });
  expect((await diagnose(db, { fix: false })).differences).toEqual([]);
  await db.close();
  return writers;
}

it(
  'two nodes that start together on an empty database',
  async () => {
    await Promise.all([service.start(), other.start()]);
    const writers = await startWriters(service, other);
    for (let successes = 0; successes < 20; successes++) await writers.nextSuccess();
    const outcome = await writers.settle();
    table.push({
      fault: 'two nodes start together',
      times: 1,
      ...outcome,
      'longest outage (s)': 0,
      refusals: '',
    });
    expect(outcome).toMatchObject({ lost: 0, doubled: 0 });
    await other.end('SIGTERM');
  },
  10 * MINUTE,
);

it(
  'kill −9 of the server',
  async () => {
    await suffer('kill −9 of the server', times(5), service, async (writers) => {
      await service.end('SIGKILL');
      const back = writers.nextSuccess();
      await service.start();
      return back;
    });
  },
  10 * MINUTE,
);

it(
  'SIGTERM under load',
  async () => {
    await suffer('SIGTERM under load', times(3), service, async (writers) => {
      expect(await service.end('SIGTERM')).toBe(0);
      const back = writers.nextSuccess();
      await service.start();
      return back;
    });
  },
  10 * MINUTE,
);

it(
  'kill −9 of an import of prices, and of a server that judges alerts',
  async () => {
    if (!service.isRunning()) await service.start();
    const db = await openDatabase({ databaseUrl: postgres.url, dataDir: '', onProgress: () => {} });
    onTestFinished(() => db.close());
    const files = await mkdtemp(join(folder, 'prices-'));
    for (let i = 0; i < times(3); i++) await killMarketWork(db, files);
    table.push({
      fault: 'kill −9 of an import and of judging',
      times: times(3),
      acknowledged: 0,
      lost: 0,
      doubled: 0,
      'longest outage (s)': 0,
      refusals: '',
    });
  },
  10 * MINUTE,
);

async function killMarketWork(db: OpenDatabase, files: string): Promise<void> {
  const priced = await vendorPrices(db, files);
  const [variantId] = await variantsWithoutEv(db, 1);
  expect(await exitOf(priced('5'))).toBe(0);
  const ctx = await newAccount(db);
  const { id: collectionId } = await createCollection(ctx, { name: 'Watched' });
  await createTransaction(ctx, collectionId, entry(variantId!));
  const above = { condition: 'Above', amount: { currency: 'USD', value: 10 } };
  for (const targetId of [variantId, collectionId]) await createPriceAlert(ctx, { targetId, ...above });
  const firings = async () =>
    (
      await db.query<{ fired: number; logged: number }>(
        `select sum(trigger_count)::int as fired,
           (select count(*)::int from event where account_id = $1 and kind = 'AlertTriggered') as logged
         from price_alert where account_id = $1`,
        [ctx.caller.accountId],
      )
    )[0]!;

  await whileLocked(db, 'price_day', async () => {
    const importing = priced('11');
    await untilOneWaitsFor(db, 'price_day');
    importing.kill('SIGKILL');
    await exitOf(importing);
  });
  expect(await exitOf(priced('5'))).toBe(0);
  expect(await firings()).toEqual({ fired: 0, logged: 0 });
  expect((await diagnose(db, { fix: false })).differences).toEqual([]);

  await whileLocked(db, 'event_stream', async () => {
    const source = { version: 'test', isSample: false };
    await commitPrices(db, dateOf(new Date()), { [variantId!]: '11' }, source);
    marketChanged(db);
    await untilOneWaitsFor(db, 'event_stream');
    await service.end('SIGKILL');
  });
  expect(await firings()).toEqual({ fired: 0, logged: 0 });
  await service.start();
  // By the server alone: nobody else works on the market.
  await vi.waitFor(async () => expect(await firings()).toEqual({ fired: 2, logged: 2 }), MINUTE);
  await settleMarket(db);
  expect(await firings()).toEqual({ fired: 2, logged: 2 });
  expect((await diagnose(db, { fix: false })).differences).toEqual([]);
}

/** The command that imports a price of the vendor, for the first variant without expected values. */
async function vendorPrices(db: OpenDatabase, files: string): Promise<(amount: string) => ChildProcess> {
  const [variantId] = await variantsWithoutEv(db, 1);
  const [product] = await db.query<{ id: number; name: string }>(
    `select p.vendor_product_id as id, v.name from variant v join product p on p.id = v.product_id where v.id = $1`,
    [variantId!],
  );
  return (amount) => {
    const file = join(files, 'prices.json');
    const results = [{ productId: product!.id, marketPrice: Number(amount), subTypeName: product!.name }];
    writeFileSync(file, JSON.stringify({ totalItems: 1, success: true, errors: [], results }));
    return spawn(process.execPath, [CLI, 'import', 'prices', file], {
      cwd: files,
      env: { PATH: process.env.PATH, DATABASE_URL: postgres.url },
      stdio: 'ignore',
    });
  };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** Nobody writes to the table meanwhile, and those who would wait in their transactions. */
function whileLocked(db: OpenDatabase, name: string, work: () => Promise<void>): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(`lock table ${name} in share mode`);
    await work();
  });
}

async function untilOneWaitsFor(db: OpenDatabase, name: string): Promise<void> {
  const waiting = `select 1 from pg_locks l where not l.granted and l.relation = '${name}'::regclass`;
  await vi.waitFor(async () => expect(await db.query(waiting)).toHaveLength(1), {
    timeout: MINUTE,
    interval: 50,
  });
}

it(
  'all back ends terminated',
  async () => {
    const admin = await openDatabase({ databaseUrl: postgres.url, dataDir: '', onProgress: () => {} });
    onTestFinished(() => admin.close());
    await suffer('all back ends terminated', 5, service, async (writers) => {
      const back = writers.nextSuccess();
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()`,
      );
      return back;
    });
    expect(service.isRunning()).toBe(true);
  },
  10 * MINUTE,
);

it(
  'postmaster killed',
  async () => {
    await suffer('postmaster killed', times(3), service, async (writers) => {
      await postgres.kill();
      const back = writers.nextSuccess();
      await postgres.start();
      return back;
    });
    expect(service.isRunning()).toBe(true);
  },
  10 * MINUTE,
);

it(
  'database unreachable',
  async () => {
    const writers = await suffer('database unreachable (8 s)', times(2), service, async (running) => {
      proxy.blackHole();
      await sleep(8000);
      const back = running.nextSuccess();
      proxy.recover();
      return back;
    });
    expect(service.isRunning()).toBe(true);
    expect(writers.failures.get(503)).toBeGreaterThan(0);
    // Nobody waited longer than for a place, a connection and a statement together.
    expect(writers.longestMillis()).toBeLessThan(13_000);
  },
  10 * MINUTE,
);

it.skipIf(!LIBFAKETIME && !process.env.CI)(
  'clock moved',
  async () => {
    const clock = join(folder, 'clock');
    const moveTo = (offset: string) => writeFile(clock, offset);
    await moveTo('+0');
    await service.end('SIGTERM');
    const moved = await newService(join(folder, 'one'), {
      DATABASE_URL: databaseUrl,
      LD_PRELOAD: LIBFAKETIME,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    onTestFinished(async () => {
      if (moved.isRunning()) await moved.end('SIGKILL');
    });
    await moved.start();
    const offsets = ['+2h', '-90m', '+20h', '+0'];
    await suffer('clock moved', offsets.length, moved, async (writers) => {
      await moveTo(offsets.shift()!);
      return writers.nextSuccess();
    });
    await moved.end('SIGTERM');
    await service.start();
  },
  10 * MINUTE,
);
