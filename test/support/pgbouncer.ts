import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, serverUser } from './postgres-server.ts';

export interface PgBouncer {
  /** The address of the same database through PgBouncer, as the service is to be given it. */
  url: string;
  stop(): Promise<void>;
}

/** The program: on the `PATH`, or where Debian has it. Null when there is none, which under CI is a failure. */
export function findPgBouncer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const found = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));
  if (!found && process.env.CI)
    throw new Error('No PgBouncer to test with. On Debian: apt-get install pgbouncer.');
  return found ?? null;
}

/** A PgBouncer in transaction mode with a few connections to the database at `databaseUrl`. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const user = serverUser();
  const directory = mkdtempSync(join(tmpdir(), 'cardledger-pgbouncer-'));
  const own = await freePort();
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`,
  );
  if (user) chownSync(directory, user.uid, user.gid);
  const child = spawn(findPgBouncer()!, ['-q', file], { ...user, cwd: directory, stdio: 'ignore' });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(directory, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 200; tries++) {
    if (await takesConnections(own)) {
      return { url: `postgres://${username}@127.0.0.1:${own}${pathname}?pgbouncer=true`, stop };
    }
    await sleep(20);
  }
  await stop();
  throw new Error('PgBouncer did not start.');
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
