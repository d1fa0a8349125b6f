import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { projectPath } from '../../src/paths.ts';

/** A reader's terminal in a clone of the repository, and the service that runs there. */
export interface Reader {
  /** Runs a block as it stands, but for the ports of the service and of the tutorial's app. Variables stay for the next one. */
  run(block: string): Promise<Output>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stopService(): Promise<void>;
  /** Runs a block that ends with a service that is ready. */
  untilReady(block: string, environment: Record<string, string>): Promise<{ stop(): Promise<void> }>;
  close(): Promise<void>;
}

export interface Output {
  stdout: string;
  stderr: string;
  /** What the last command ended with; null where an earlier one failed, which ends the shell. */
  status: number | null;
}

/** Does what the README begins with: clones the repository, and starts the service in the clone. */
export async function startReader(firstBlock: string): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-readme-'));
  const repository = await repositoryOfFiles(folder);
  const [port, appPort] = [await freePort(), await freePort()];
  const service = startService(firstBlock.replace('REPOSITORY', repository), folder, { PORT: String(port) });
  // Also where a time-out of the test keeps `close` from being called.
  process.once('exit', () => kill(service));
  await ready(service, service.stdout, service.stderr);
  const options = { cwd: join(folder, 'cardledger'), env: ENVIRONMENT };
  const shell = spawn('sh', ['-eu'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // A shell that a failed command has ended reads no more.
  shell.stdin.on('error', () => {});
  const stdout = gather(shell.stdout);
  const stderr = gather(shell.stderr);
  // What it has left running in the background may keep its output open.
  const ended = once(shell, 'exit');
  let blocks = 0;

  return {
    async run(block) {
      blocks += 1;
      const script = join(folder, `block-${blocks}.sh`);
      const end = `end of block ${blocks}`;
      const here = block
        .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:5180', `127.0.0.1:${appPort}`);
      await writeFile(script, here);
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
    async untilReady(block, environment) {
      const other = startService(block, options.cwd, { PORT: String(port), ...environment });
      await ready(other, other.stdout, other.stderr);
      return { stop: () => stop(other) };
    },
    async close() {
      await Promise.all([stop(service), stop(shell)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const { PATH, HOME } = process.env;
/** Packages that were installed here before need not be asked for again. */
const ENVIRONMENT = { PATH, HOME, npm_config_prefer_offline: 'true' };

type Service = ChildProcessByStdio<null, Readable, Readable>;

/** Of a group of its own, which can be stopped as a whole. */
function startService(script: string, cwd: string, environment: Record<string, string>): Service {
  return spawn('sh', ['-euc', script], {
    cwd,
    env: { ...ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** A repository of the files as they are now, whether they are committed or not. */
async function repositoryOfFiles(folder: string): Promise<string> {
  const repository = join(folder, 'repository');
  const git = (cwd: string, ...args: string[]) =>
    promisify(execFile)('git', args, { cwd, maxBuffer: 16 * 1024 * 1024 });
  const { stdout } = await git(
    projectPath('.'),
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  );
  for (const file of stdout.split('\0').filter((file) => file && existsSync(projectPath(file)))) {
    await cp(projectPath(file), join(repository, file));
  }
  await git(repository, 'init', '--quiet');
  await git(repository, 'add', '--all');
  const author = ['-c', 'user.name=Reader', '-c', 'user.email=reader@example.org'];
  await git(repository, ...author, 'commit', '--quiet', '--message', 'As it is');
  return repository;
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
  kill(child);
  await closed;
}

/** With all that it started; a shell does not pass signals on. */
function kill(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGTERM');
  } catch {
    // It has ended already, or leads no group.
    child.kill('SIGTERM');
  }
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
