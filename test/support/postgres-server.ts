import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { plainOwnerUrl } from './plain-owner.ts';

const START_TIMEOUT_MS = 30_000;
const DEBIAN_HOME = '/usr/lib/postgresql';

/** Nothing is forced to the disk: the data is thrown away. */
const THROW_AWAY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  // A standby that is behind when another is begun, which is a checkpoint, still finds what it lacks.
  wal_keep_size: '512MB',
};

// The server lives as long as this script's standard input is open. The kernel closes that when our process
// ends, however it ends, so no server and no directory is left behind.
const KEEPER_SCRIPT = `
directory=$1; shift
exec 3<&0
"$@" >"$directory/log" 2>&1 3<&- & server=$!
(cat <&3; kill -QUIT $server) >/dev/null 2>&1 & watcher=$!
wait $server
kill $watcher 2>/dev/null
tail -n 20 "$directory/log" >&2
rm -rf "$directory"`;

export interface PostgresServer {
  /** Address of a database as its plain owner. */
  url: string;
  port: number;
  /** Address of the database `postgres`, as a superuser. */
  superuserUrl: string;
  /** Major version, such as 15. */
  version: number;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Server settings over those of a throw-away server, such as `{ fsync: 'on' }`. */
  settings?: Record<string, string>;
}

export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * The newest PostgreSQL server on this machine: from the folder `PG_BIN` if that is set, or else from Debian's
 * folders and `PATH`. Null when there is none.
 */
export function findPostgres(): { bin: string; version: number } | null {
  const named = process.env.PG_BIN;
  const folders = named ? [named] : [...debianFolders(), ...(process.env.PATH ?? '').split(delimiter)];
  const [newest] = folders.flatMap((folder) => serverIn(folder) ?? []).sort((a, b) => b.version - a.version);
  if (named && !newest) throw new Error(`PG_BIN is ${named}, which holds no initdb and postgres.`);
  return newest ?? null;
}

/** Starts a PostgreSQL of its own in a temporary directory, on a free port of 127.0.0.1. */
export async function startPostgres({ settings }: PostgresOptions = {}): Promise<PostgresServer> {
  const found = findPostgres();
  if (!found) throw new Error('No PostgreSQL server on this machine: install one, or set PG_BIN.');
  const port = await freePort();
  const user = serverUser();
  const server = await run(found, initialise(found.bin, user), user, port, settings);
  try {
    return { ...server, url: await plainOwnerUrl(server.superuserUrl) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A PostgreSQL that follows another, as a hot standby, until it is promoted (`select pg_promote()`). */
export async function startStandby(
  primary: Pick<PostgresServer, 'url' | 'port'>,
  { settings }: PostgresOptions = {},
) {
  const found = findPostgres()!;
  const user = serverUser();
  const directory = newDirectory(user);
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  const options = ['-D', 'data', '--write-recovery-conf', '--checkpoint=fast', '--no-sync', ...from];
  await promisify(execFile)(join(found.bin, 'pg_basebackup'), options, { ...user, cwd: directory });
  const port = await freePort();
  const server = await run(found, directory, user, port, settings);
  const url = Object.assign(new URL(primary.url), { port: String(port) }).href;
  return { ...server, url };
}

async function run(
  found: { bin: string; version: number },
  directory: string,
  user: ServerUser | null,
  port: number,
  settings: Record<string, string> | undefined,
): Promise<Omit<PostgresServer, 'url'>> {
  const allSettings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    ...THROW_AWAY_SETTINGS,
    ...settings,
  };
  const flags = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(found.bin, 'postgres'), '-D', join(directory, 'data'), ...flags];
  // Detached: Ctrl-C ends the tests first, and the server through the closed pipe.
  const keeper = spawn('/bin/sh', ['-c', KEEPER_SCRIPT, 'sh', directory, ...command], {
    ...user,
    cwd: directory,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const stop = () => stopKeeper(keeper);
  const superuserUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(keeper, directory);
    return { port, superuserUrl, version: found.version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A temporary directory with an empty database cluster in `data`. */
function initialise(bin: string, user: ServerUser | null): string {
  const directory = newDirectory(user);
  const options = '-D data -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync'.split(' ');
  try {
    execFileSync(join(bin, 'initdb'), options, { ...user, cwd: directory, stdio: 'pipe' });
    return directory;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function newDirectory(user: ServerUser | null): string {
  const directory = mkdtempSync(join(tmpdir(), 'cardledger-postgres-'));
  if (user) chownSync(directory, user.uid, user.gid);
  return directory;
}

function debianFolders(): string[] {
  if (!existsSync(DEBIAN_HOME)) return [];
  return readdirSync(DEBIAN_HOME).map((version) => join(DEBIAN_HOME, version, 'bin'));
}

/** `initdb` looks for `postgres` beside itself, so links are followed first. */
function serverIn(folder: string): { bin: string; version: number } | null {
  if (!existsSync(join(folder, 'initdb'))) return null;
  const bin = join(realpathSync(join(folder, 'initdb')), '..');
  if (!existsSync(join(bin, 'postgres'))) return null;
  const text = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const version = Number(/\d+/.exec(text)?.[0]);
  return Number.isNaN(version) ? null : { bin, version };
}

/** PostgreSQL refuses to run as root: the user it runs as then, or null to run as ourselves. */
export function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1.');
  return address.port;
}

/** The server writes `ready` into postmaster.pid once it takes connections. */
async function untilReady(keeper: ChildProcess, directory: string): Promise<void> {
  let log = '';
  keeper.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const ended = once(keeper, 'close').then(() => true);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !(await Promise.race([ended, sleep(20)]))) {
    if (/^ready\s*$/m.test(readIfThere(join(directory, 'data/postmaster.pid')))) return;
  }
  throw new Error(`PostgreSQL did not start. ${log}`);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function stopKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = once(keeper, 'exit');
  keeper.stdin?.end();
  await exited;
}
