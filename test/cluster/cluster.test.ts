import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Service } from '../faults/service.ts';
import { CLI, MAIN } from '../support/bundle.ts';
import { checkOutLastVersion, hasLastVersion } from '../support/last-version.ts';
import { addressOf, promote, startPair } from '../support/postgres-pair.ts';
import { findPostgres } from '../support/postgres-server.ts';
import { findHaproxy } from './balancer.ts';
import { newAccount, startNodes } from './nodes.ts';
import { isShort, Plays } from './plays.ts';
import { startTraffic } from './traffic.ts';

const ACCOUNTS = isShort ? 2 : 5;
const HOUR = 3_600_000;

const haproxy = findHaproxy();

it.skipIf(!haproxy || !findPostgres())(
  'nodes behind a balancer are upgraded, killed and drained, and their database is promoted, and no client loses anything',
  async () => {
    const last = lastVersion();
    const { primary, standby } = await startPair();
    onTestFinished(async () => void (await Promise.all([primary.stop(), standby.stop()])));
    const settings: NodeJS.ProcessEnv = { DATABASE_URL: primary.url };
    const { nodes, balancer, untilAllUp } = await startNodes(haproxy!, settings, last.main);
    const accounts = Array.from({ length: ACCOUNTS }, () => newAccount(last.cli, primary.url));
    const traffic = await startTraffic(balancer.url, accounts);
    const plays = new Plays(traffic, 7, untilAllUp);
    const play = plays.play.bind(plays);

    const [first, second, third] = nodes;
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
    await plays.settle(standby.url);
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
