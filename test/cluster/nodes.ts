import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { newService, type Service } from '../faults/service.ts';
import { eventually } from '../support/eventually.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { Credentials } from './traffic.ts';

const NODES = [0, 1, 2];

/** Three processes of the service behind a balancer, on one database, until the test is finished. */
export interface Nodes {
  nodes: [Service, Service, Service];
  balancer: Balancer;
  /** Until the balancer takes all of them for ready. */
  untilAllUp(): Promise<void>;
}

/** @param settings of each; what is changed there is of those that start later, @param main the program they begin with */
export async function startNodes(
  haproxy: string,
  settings: NodeJS.ProcessEnv,
  main?: string,
): Promise<Nodes> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-cluster-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // With the limits that a node has by itself.
  Object.assign(settings, {
    DEMO: '0',
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '',
    WORK_LIMIT_PER_MINUTE: '',
    TOKEN_LIMIT_PER_MINUTE: '',
  });
  const nodes = await Promise.all(NODES.map((i) => newService(join(folder, String(i)), settings)));
  onTestFinished(async () => {
    for (const node of nodes) if (node.isRunning()) await node.end('SIGKILL');
  });
  const balancer = await startBalancer(
    haproxy,
    nodes.map(({ port }) => port),
  );
  onTestFinished(() => balancer.stop());
  settings.PUBLIC_URL = balancer.url;
  await Promise.all(nodes.map((node) => node.start(main)));
  const untilAllUp = async () => {
    for (const node of NODES) await eventually(async () => expect(await balancer.hasUp(node)).toBe(true));
  };
  await untilAllUp();
  return { nodes: nodes as [Service, Service, Service], balancer, untilAllUp };
}

/** By the commands of a version, in its own process. */
export function newAccount(cli: string, databaseUrl: string): Credentials & { accountId: string } {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const command = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, [cli, ...args, '--json'], { env, encoding: 'utf8' }));
  const { accountId } = command('account', 'create', 'Cluster');
  return { accountId, ...command('client', 'create', accountId, 'Cluster') };
}
