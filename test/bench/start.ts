import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectPath } from '../../src/paths.ts';
import { MAIN, NODE_FLAGS } from '../support/bundle.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, residentMegabytes } from './compare/servers.ts';

/**
 * How long a start takes, from the process to its first answers: the bundle, which production runs, against the sources
 * through tsx, on PostgreSQL and on the embedded database, on one that holds all and on none at all; taken in turn.
 * `npx tsx test/bench/start.ts [rounds] [name=bundle...]`; further bundles, such as one of another version, come last.
 */
const [rounds = '5', ...others] = process.argv.slice(2);
const programs: Record<string, string[]> = {
  bundle: [MAIN],
  sources: ['--import', 'tsx', projectPath('src/main.ts')],
};
for (const other of others) {
  const [name, file] = other.split('=') as [string, string];
  programs[name] = [file];
}

interface Start {
  healthMillis: number;
  queryMillis: number;
  cpuSeconds: number;
  megabytes: number;
}

const QUERY = JSON.stringify({ query: '{ collections(first: 1) { nodes { name } } }' });
const POLL_MILLIS = 5;
const START_MILLIS = 600_000;

const folder = await mkdtemp(join(tmpdir(), 'cardledger-start-'));
const port = await freePort();
const postgres = await startPostgres();
try {
  const embedded = join(folder, 'embedded');
  await start(programs.bundle!, embedded);
  await start(programs.bundle!, join(folder, 'postgres'), postgres.url);
  const situations: Record<string, (program: string[]) => Promise<Start>> = {
    PostgreSQL: (program) => start(program, join(folder, 'postgres'), postgres.url),
    embedded: (program) => start(program, embedded),
    'embedded, first': async (program) => {
      const dataDir = await mkdtemp(join(folder, 'first-'));
      return start(program, dataDir).finally(() => rm(dataDir, { recursive: true }));
    },
  };
  for (const [situation, measure] of Object.entries(situations)) {
    const starts = Object.keys(programs).map((name) => ({ name, of: [] as Start[] }));
    for (let round = 0; round < Number(rounds); round++) {
      for (const { name, of } of starts) of.push(await measure(programs[name]!));
    }
    const base = medians(starts[0]!.of);
    for (const { name, of } of starts) print(situation, name, medians(of), base);
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true });
}

/** One start until its first query is answered, with the demo account. */
async function start(program: string[], dataDir: string, databaseUrl?: string): Promise<Start> {
  const started = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, ...program], {
    cwd: projectPath('.'),
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: String(port),
      DEMO: '1',
      TOKEN_LIMIT_PER_MINUTE: '0',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await untilAnswered(child, { path: '/healthz' });
    const healthMillis = performance.now() - started;
    // The file is there as soon as anything listens, but for a first start.
    await untilAnswered(child, { path: '/readyz' });
    const authorization = `Bearer ${await token(dataDir)}`;
    await untilAnswered(child, {
      path: '/graphql',
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: QUERY,
    });
    const queryMillis = performance.now() - started;
    const pid = child.pid!;
    return {
      healthMillis,
      queryMillis,
      cpuSeconds: cpuSecondsOfFamily(pid),
      megabytes: residentMegabytes(pid),
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function untilAnswered(child: ChildProcess, sent: Sent): Promise<string> {
  const deadline = performance.now() + START_MILLIS;
  while (performance.now() < deadline && child.exitCode === null) {
    const { status, text } = await send(sent).catch(() => ({ status: 0, text: '' }));
    if (status === 200) return text;
    await sleep(POLL_MILLIS);
  }
  throw new Error(`${sent.path} was not answered.`);
}

async function token(dataDir: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(dataDir, 'demo-client.json'), 'utf8'));
  const { text } = await send({
    path: '/oauth2/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&scope=default&client_id=${clientId}&client_secret=${clientSecret}`,
  });
  return JSON.parse(text).access_token;
}

function send({ path, method, headers, body }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const agent: Agent | false = false;
    const sending = request({ port, path, method, headers, agent }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () => resolve({ status: response.statusCode!, text }))
        .on('error', reject);
    });
    sending.on('error', reject).end(body);
  });
}

function medians(starts: readonly Start[]): Start {
  const median = (of: (start: Start) => number) =>
    starts.map(of).sort((a, b) => a - b)[Math.floor(starts.length / 2)]!;
  return {
    healthMillis: median((start) => start.healthMillis),
    queryMillis: median((start) => start.queryMillis),
    cpuSeconds: median((start) => start.cpuSeconds),
    megabytes: median((start) => start.megabytes),
  };
}

function print(situation: string, name: string, start: Start, base: Start): void {
  const { healthMillis, queryMillis, cpuSeconds, megabytes } = start;
  const ratio = (of: (start: Start) => number) => `(×${(of(start) / of(base)).toFixed(2)})`;
  const cells = [
    situation.padEnd(16),
    name.padEnd(10),
    `/healthz ${healthMillis.toFixed(0).padStart(6)} ms ${ratio((one) => one.healthMillis)}`,
    `query ${queryMillis.toFixed(0).padStart(6)} ms ${ratio((one) => one.queryMillis)}`,
    `CPU ${cpuSeconds.toFixed(2).padStart(5)} s ${ratio((one) => one.cpuSeconds)}`,
    `${megabytes.toFixed(0).padStart(4)} MB`,
  ];
  process.stdout.write(`${cells.join('  ')}\n`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
