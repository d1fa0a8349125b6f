import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { projectPath } from '../../src/paths.ts';

/** A reader's terminal in the folder of the repository, and what `npm start` runs there. */
export interface Reader {
  /** Runs a block as it stands, but for the port and the data directory. Variables stay for the next one. */
  run(block: string): Promise<Output>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stopService(): Promise<void>;
  close(): Promise<void>;
}

export interface Output {
  stdout: string;
  stderr: string;
  /** What the last command ended with; null where an earlier one failed, which ends the shell. */
  status: number | null;
}

export async function startReader(): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-readme-'));
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const options = { cwd: projectPath('.'), env: { PATH, HOME, DATA_DIR: dataDir } };
  const service = spawn('npm', ['start'], {
    ...options,
    env: { ...options.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Also where a time-out of the test keeps `close` from being called.
  process.once('exit', () => service.kill());
  await ready(service, service.stdout, service.stderr);
  const shell = spawn('sh', ['-eu'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // A shell that a failed command has ended reads no more.
  shell.stdin.on('error', () => {});
  const stdout = gather(shell.stdout);
  const stderr = gather(shell.stderr);
  const ended = once(shell, 'close');
  let blocks = 0;

  return {
    async run(block) {
      blocks += 1;
      const script = join(folder, `block-${blocks}.sh`);
      const end = `end of block ${blocks}`;
      await writeFile(
        script,
        block
          .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
          .replaceAll('./data/demo-client.json', join(dataDir, 'demo-client.json')),
      );
      shell.stdin.write(`. ${script} </dev/null\necho "$? ${end}" >&2; echo "${end}"\n`);
      await Promise.race([Promise.all([stdout.until(end), stderr.until(end)]), ended]);
      const [errors = '', status] = stderr.take().split(new RegExp(`(\\d+) ${end}\n`));
      return {
        stdout: stdout.take().replace(`${end}\n`, ''),
        stderr: errors,
        status: status === undefined ? null : Number(status),
      };
    },
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    stopService: () => stop(service),
    async close() {
      await Promise.all([stop(service), stop(shell)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ready(child: ChildProcess, stdout: Readable, stderr: Readable): Promise<void> {
  const errors = gather(stderr);
  for await (const line of createInterface({ input: stdout })) {
    if (line.includes('"ready ')) {
      stdout.resume();
      return;
    }
  }
  throw new Error(`npm start ended with ${child.exitCode}: ${errors.take()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'exit');
  child.kill('SIGTERM');
  await closed;
}

function gather(stream: Readable) {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    async until(end: string): Promise<void> {
      while (!text.includes(end)) await once(stream, 'data');
    },
    take(): string {
      const taken = text;
      text = '';
      return taken;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
