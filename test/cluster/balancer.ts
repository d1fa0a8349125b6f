import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectPath } from '../../src/paths.ts';
import { freePort } from '../support/postgres-server.ts';

/** haproxy before nodes of this machine, with the configuration that the documents give. */
export interface Balancer {
  url: string;
  /** Whether it takes the node, by its place, for ready. */
  hasUp(node: number): Promise<boolean>;
  stop(): Promise<void>;
}

const CONFIGURATION = projectPath('deploy/haproxy.cfg');

/** The program: on the `PATH`, or where Debian has it. Null when there is none, which under CI is a failure. */
export function findHaproxy(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const found = folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path));
  if (found) return found;
  const advice = 'On Debian: apt-get install haproxy.';
  if (process.env.CI) throw new Error(`No haproxy to test with. ${advice}`);
  console.error(`\nNo haproxy found: nodes behind a balancer are not tested. ${advice}\n`);
  return null;
}

export async function startBalancer(program: string, nodePorts: readonly number[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'admin.sock');
  const port = await freePort();
  await writeFile(file, configuration(port, socket, nodePorts));
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = text(child.stderr);
  process.once('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  while (!(await asked(socket, 'show stat').catch(() => ''))) {
    if (child.exitCode !== null) throw new Error(`haproxy did not start. ${await errors}`);
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async hasUp(node) {
      const lines = (await asked(socket, 'show stat')).trim().split('\n');
      const rows = lines.map((line) => line.split(','));
      const status = rows[0]!.indexOf('status');
      const servers = rows.filter(([proxy, name]) => proxy === 'nodes' && name !== 'BACKEND');
      return servers[node]![status] === 'UP';
    },
    stop,
  };
}

/** The example of the documents, with addresses of this machine alone. */
function configuration(port: number, socket: string, nodePorts: readonly number[]): string {
  const example = readFileSync(CONFIGURATION, 'utf8');
  const nodes = [...example.matchAll(/^ {4}server \S+ (\S+)$/gm)].map(([, address]) => address!);
  if (nodes.length !== nodePorts.length) throw new Error(`${CONFIGURATION} has ${nodes.length} nodes.`);
  const addresses: [string, string][] = [
    ['bind :8080', `bind 127.0.0.1:${port}`],
    ['/run/haproxy/admin.sock mode', `${socket} mode`],
    ...nodes.map((address, i): [string, string] => [address, `127.0.0.1:${nodePorts[i]}`]),
  ];
  return addresses.reduce((config, [from, to]) => {
    if (!config.includes(from)) throw new Error(`${CONFIGURATION} has no "${from}".`);
    return config.replace(from, to);
  }, example);
}

async function asked(path: string, command: string): Promise<string> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.end(`${command}\n`);
  return text(socket);
}
