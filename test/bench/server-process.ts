import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectPath } from '../../src/paths.ts';
import { MAIN, NODE_FLAGS } from '../support/bundle.ts';

/** One is good for an hour. */
const TOKEN_MILLIS = 30 * 60_000;

/** The server as `npm start` runs it, as a process of its own with the demo data, and no limit of requests or of work. */
export interface ServerProcess {
  /** Sends a request of the demo account and gives the status and the text. */
  send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>;
  url: string;
  /** Of the demo account. */
  token: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startServer(databaseUrl: string | null, main = MAIN): Promise<ServerProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cardledger-bench-'));
  const port = await freePort();
  const child = spawn(process.execPath, [...NODE_FLAGS, main], {
    cwd: projectPath('.'),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '0',
      WORK_LIMIT_PER_MINUTE: '0',
      DEMO: '1',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child.stdout);
  child.stdout.resume();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let token = await accessToken(agent, port, dataDir);
  const renewing = setInterval(async () => {
    token = await accessToken(agent, port, dataDir);
  }, TOKEN_MILLIS);
  return {
    url: `http://127.0.0.1:${port}`,
    get token() {
      return token;
    },
    pid: child.pid!,
    send: (method, path, body) =>
      send(
        agent,
        port,
        method,
        path,
        { Authorization: `Bearer ${token}` },
        body === undefined ? undefined : JSON.stringify(body),
      ),
    stop: async () => {
      clearInterval(renewing);
      agent.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Milliseconds of each call of `work`, sorted, with `connections` of them under way at once; and calls a second. */
export async function load(connections: number, calls: number, work: (i: number) => Promise<unknown>) {
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const one = async () => {
    for (let i = next++; i < calls; i = next++) {
      const start = performance.now();
      await work(i);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - started) / 1000;
  return { times: times.sort((a, b) => a - b), perSecond: calls / seconds };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

async function ready(stdout: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface({ input: stdout })) if (line.includes('"ready ')) return;
  throw new Error('The server ended before it was ready.');
}

async function accessToken(agent: Agent, port: number, dataDir: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(dataDir, 'demo-client.json'), 'utf8'));
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
  });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { text } = await send(agent, port, 'POST', '/oauth2/token', headers, String(form));
  return JSON.parse(text).access_token;
}

function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const type =
      body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const outgoing = request({ agent, port, method, path, headers: { ...type, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
