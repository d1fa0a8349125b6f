import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../src/db/client.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { newService, type Service } from '../faults/service.ts';
import { CLI, MAIN } from '../support/bundle.ts';
import { eventually } from '../support/eventually.ts';
import { checkOutLastVersion, hasLastVersion } from '../support/last-version.ts';
import { addressOf, promote, startPair } from '../support/postgres-pair.ts';
import { findPostgres } from '../support/postgres-server.ts';
import { type Balancer, findHaproxy, startBalancer } from './balancer.ts';
import { type Credentials, startTraffic } from './traffic.ts';

/** `CLUSTER=short` is for every build; otherwise the traffic lasts `CLUSTER_MINUTES`. */
const isShort = process.env.CLUSTER === 'short';
const SECONDS = isShort ? 14 : 60 * Number(process.env.CLUSTER_MINUTES ?? 5);
const ACCOUNTS = isShort ? 2 : 5;
const PLAYS = 7;
const NODES = [0, 1, 2];
const HOUR = 3_600_000;

const table: object[] = [];
const repeats: object[] = [];
const outcomes: object[] = [];
const failures: string[] = [];

afterAll(() => {
  // biome-ignore lint/suspicious/noConsole: the tables are what the suite is for
  for (const rows of [table, repeats, outcomes]) if (rows.length > 0) console.table(rows);
});

const haproxy = findHaproxy();

it.skipIf(!haproxy || !findPostgres())(
  'nodes behind a balancer are upgraded, killed and drained, and their database is promoted, and no client loses anything',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cardledger-cluster-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const last = lastVersion();
    const { primary, standby } = await startPair();
    onTestFinished(async () => void (await Promise.all([primary.stop(), standby.stop()])));

    // With the limits that a node has by itself.
    const settings: NodeJS.ProcessEnv = {
      DATABASE_URL: primary.url,
      DEMO: '0',
      TRUST_PROXY: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '',
      WORK_LIMIT_PER_MINUTE: '',
      TOKEN_LIMIT_PER_MINUTE: '',
    };
    const nodes = await Promise.all(NODES.map((i) => newService(join(folder, String(i)), settings)));
    onTestFinished(async () => {
      for (const node of nodes) if (node.isRunning()) await node.end('SIGKILL');
    });
    const ports = nodes.map(({ port }) => port);
    const balancer = await startBalancer(haproxy!, ports);
    onTestFinished(() => balancer.stop());
    settings.PUBLIC_URL = balancer.url;
    await Promise.all(nodes.map((node) => node.start(last.main)));
    await untilAllUp(balancer);

    const accounts = Array.from({ length: ACCOUNTS }, () => newAccount(last.cli, primary.url));
    const traffic = await startTraffic(balancer.url, accounts);
    const play = async (what: string, strike: () => Promise<unknown>) => {
      traffic.takeTally();
      await strike();
      await untilAllUp(balancer);
      await sleep((SECONDS * 1000) / PLAYS);
      const { answered, repeated, toldToWait, failed, longestGapMillis, slowestMillis, slowest } =
        traffic.takeTally();
      table.push({
        what,
        answered,
        repeated: repeated.length,
        'told to wait': toldToWait,
        'failed after that': failed.length,
        'outage (s)': seconds(longestGapMillis),
        'slowest (s)': `${seconds(slowestMillis)} ${slowest}`,
      });
      repeats.push(...repeated.map((reason) => ({ what, 'repeated after': reason })));
      failures.push(...failed);
    };

    const [first, second, third] = nodes as [Service, Service, Service];
    await play(`nothing: three nodes of ${last.name}`, async () => {});
    // The last version knows no list of hosts.
    settings.DATABASE_URL = addressOf(standby, primary);
    await play('drained, this version in its place', () => replace(first, 'SIGTERM'));
    await play('killed, this version in its place', () => replace(second, 'SIGKILL'));
    await play('drained, this version in its place', () => replace(third, 'SIGTERM'));
    await play('killed, started again', () => replace(first, 'SIGKILL'));
    await play('drained, started again', () => replace(second, 'SIGTERM'));
    await play('the primary gone, its standby promoted', async () => {
      await primary.stop();
      await promote(standby);
    });
    const outcome = await traffic.settle();
    failures.push(...traffic.takeTally().failed);

    const db = postgresDatabase(standby.url);
    const { differences } = await diagnose(db, { fix: false });
    await db.close();
    outcomes.push({ ...outcome, 'differences by doctor': differences.length });
    expect(failures).toEqual([]);
    expect(outcome).toMatchObject({ lost: 0, doubled: 0, missedEvents: 0, doubledEvents: 0 });
    expect(differences).toEqual([]);
  },
  HOUR,
);

interface Version {
  name: string;
  main: string;
  cli: string;
}

/** The bundle of the last version, or where the history lacks that, of this one. */
function lastVersion(): Version {
  if (!hasLastVersion()) return { name: 'this version', main: MAIN, cli: CLI };
  const folder = checkOutLastVersion();
  onTestFinished(() => rm(folder, { recursive: true }));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder });
  return {
    name: 'the last version',
    main: join(folder, 'dist/main.js'),
    cli: join(folder, 'dist/cli.js'),
  };
}

/** As docs/operations.md#replacing-nodes says, where that is by SIGTERM. */
async function replace(node: Service, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  expect(await node.end(signal)).toBe(signal === 'SIGTERM' ? 0 : signal);
  await node.start();
}

async function untilAllUp(balancer: Balancer): Promise<void> {
  for (const node of NODES) await eventually(async () => expect(await balancer.hasUp(node)).toBe(true));
}

function newAccount(cli: string, databaseUrl: string): Credentials {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const command = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, [cli, ...args, '--json'], { env, encoding: 'utf8' }));
  const { accountId } = command('account', 'create', 'Cluster');
  return command('client', 'create', accountId, 'Cluster');
}

const seconds = (millis: number) => (millis / 1000).toFixed(1);
