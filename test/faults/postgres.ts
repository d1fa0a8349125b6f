import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { plainOwnerUrl } from '../support/plain-owner.ts';
import { findPostgres, freePort, serverUser } from '../support/postgres-server.ts';

/** A PostgreSQL whose postmaster can be killed and started again on the same data. */
export interface MortalPostgres {
  /** Address of a database as its plain owner. */
  url: string;
  port: number;
  /** Address of the database `postgres`, as a superuser. */
  superuserUrl: string;
  /** Kills the postmaster with SIGKILL; its back ends notice and end. */
  kill(): Promise<void>;
  /** @param changed settings, until the next start */
  start(changed?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** @param parent folder in which its data are, @param settings of the server */
export async function startMortalPostgres({
  parent = tmpdir(),
  settings = {},
}: {
  parent?: string;
  settings?: Record<string, string>;
} = {}): Promise<MortalPostgres> {
  const { bin } = findPostgres()!;
  const user = serverUser();
  const port = await freePort();
  const directory = mkdtempSync(join(parent, 'cardledger-faults-'));
  if (user) chownSync(directory, user.uid, user.gid);
  const options = { ...user, cwd: directory };
  const initdb = '-D data -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync'.split(' ');
  execFileSync(join(bin, 'initdb'), initdb, { ...options, stdio: 'pipe' });
  const superuserUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  process.once('exit', () => child?.kill('SIGKILL'));

  const answers = async () => {
    // Not as ours, which is refused where a library is missing.
    const sql = postgres(superuserUrl, { max: 1, connect_timeout: 2 });
    const isThere = await sql.unsafe('select 1').then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    return isThere;
  };
  const start = async (changed: Record<string, string> = {}) => {
    // fsync makes a difference to a loss of power alone, which cannot be had here.
    const own = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
    const flags = Object.entries({ ...settings, ...changed, ...own }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    for (let tries = 0; tries < 300; tries++) {
      // It refuses to start until the last back end of the one that was killed has ended.
      if (!child || child.exitCode !== null || child.signalCode !== null) {
        child = spawn(join(bin, 'postgres'), ['-D', 'data', ...flags], { ...options, stdio: 'ignore' });
      }
      if (await answers()) return;
      await sleep(50);
    }
    throw new Error('PostgreSQL did not start again.');
  };
  await start();
  return {
    url: await plainOwnerUrl(superuserUrl),
    port,
    superuserUrl,
    kill,
    start,
    async stop() {
      await kill();
      await sleep(200);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
