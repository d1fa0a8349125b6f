import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { MAIN } from '../support/bundle.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
type LogLine = Record<string, any>;

/** The server as `npm start` runs it, a process of its own, for the time of the test. */
export interface ServedProcess {
  url: string;
  port: string;
  pid: number;
  /** What it has logged. */
  lines: LogLine[];
  /** All that it has written, to either output. */
  output(): string;
  /** Resolves with the first line, also one that was written before, for which `matches` is true. */
  line(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** Sends SIGTERM and gives the exit code, when all output is read. */
  stop(): Promise<number | null>;
}

export type Child = ChildProcessByStdio<null, Readable, Readable>;

/** What `npm start` runs. */
export const NPM_START = [process.execPath, MAIN] as const;

/** Throws what it wrote to standard error where it ends before it is ready. */
export async function serveProcess(
  settings: NodeJS.ProcessEnv,
  cwd: string,
  [command, ...args]: readonly [string, ...string[]] = NPM_START,
): Promise<ServedProcess> {
  const { PATH, HOME } = process.env;
  const port = String(await freePort());
  const child: Child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, PORT: port, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const errors = text(child.stderr);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const lines: LogLine[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const tell of waiting) tell(lines.at(-1)!);
  });
  const line: ServedProcess['line'] = (matches) => {
    const known = lines.find(matches);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const tell = (next: LogLine) => {
        if (!matches(next)) return;
        waiting.delete(tell);
        resolve(next);
      };
      waiting.add(tell);
    });
  };
  const ready = line(({ msg }) => msg?.startsWith('ready '));
  if (!(await Promise.race([ready, closed.then(() => null)]))) throw new Error(await errors);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid!,
    lines,
    output: () => output,
    line,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await closed;
      return code;
    },
  };
}

/** An access token of the demo account of the process with this `DATA_DIR`. */
export async function demoToken(url: string, dataDir: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(dataDir, 'demo-client.json'), 'utf8'));
  const form = { grant_type: 'client_credentials', scope: 'default' };
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
