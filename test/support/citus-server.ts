import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { findPostgres, type PostgresServer, startPostgres } from './postgres-server.ts';

/** How to get what a machine lacks that has no Citus. */
export const CITUS_ADVICE =
  'Build Citus 13.2 from its source for the PostgreSQL of this machine (./configure PG_CONFIG=…, make, make install).';

/** Few shards: each is a table of its own, for each table of each database that a test makes. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.shard_count': '4',
  max_connections: '300',
};

/** A coordinator and its workers, on free ports of 127.0.0.1. */
export interface CitusCluster {
  /** The coordinator's database `postgres` as a superuser, which knows the workers: what `TEST_CITUS_URL` is to name. */
  superuserUrl: string;
  coordinator: PostgresServer;
  workers: PostgresServer[];
  /** Stops all of them and removes their directories. */
  stop(): Promise<void>;
}

/** Whether the newest PostgreSQL of this machine has the extension. */
export function hasCitus(): boolean {
  const found = findPostgres();
  if (!found) return false;
  const config = join(found.bin, 'pg_config');
  if (!existsSync(config)) return false;
  const folder = execFileSync(config, ['--pkglibdir'], { encoding: 'utf8' }).trim();
  return existsSync(join(folder, 'citus.so'));
}

/** Starts a coordinator and two workers, each a throw-away server of its own, with the extension in their databases `postgres`. */
export async function startCitus(settings: Record<string, string> = {}): Promise<CitusCluster> {
  if (!hasCitus()) throw new Error(`No Citus on this machine. ${CITUS_ADVICE}`);
  const servers: PostgresServer[] = [];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    for (let i = 0; i < 3; i++) servers.push(await startPostgres({ settings: { ...SETTINGS, ...settings } }));
    const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]];
    await joinNodes(
      coordinator.superuserUrl,
      workers.map((worker) => worker.superuserUrl),
    );
    return { superuserUrl: coordinator.superuserUrl, coordinator, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A new database of the cluster, on each of its nodes: an empty one with the extension, or a copy of another. Its address
 * is that of its plain owner, at the coordinator.
 * @param superuserUrl the coordinator's database `postgres` as a superuser
 */
export async function newCitusDatabase(
  superuserUrl: string,
  owner: string,
  { name = `test_${randomUUID().replaceAll('-', '')}`, template }: { name?: string; template?: string } = {},
): Promise<string> {
  const urls = [superuserUrl, ...(await workersOf(superuserUrl))];
  for (const url of urls) {
    await asSuperuser(url, async (send) => {
      if (template) await endSessionsOf(send, template);
      await send(`create database ${name} owner ${owner} template ${template ?? 'template0'}`);
    });
  }
  // A copy on every node is a copy of the whole: shards are tables, known by the name of the database.
  if (!template)
    await joinNodes(
      databaseAt(superuserUrl, name),
      urls.slice(1).map((url) => databaseAt(url, name)),
    );
  return Object.assign(new URL(superuserUrl), { username: owner, password: '', pathname: name }).href;
}

/** No database is copied while someone is at it, such as the daemon of the extension. */
export async function sealCitusTemplate(superuserUrl: string, name: string): Promise<void> {
  for (const url of [superuserUrl, ...(await workersOf(superuserUrl))])
    await asSuperuser(url, (send) => send(`alter database ${name} allow_connections false`));
}

async function endSessionsOf(send: Send, name: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const left = await send(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    if (left.length === 0) return;
  }
}

/** Makes the extension in the database of each node, and the workers known to the coordinator's. */
async function joinNodes(coordinatorUrl: string, workerUrls: readonly string[]): Promise<void> {
  for (const url of [coordinatorUrl, ...workerUrls])
    await asSuperuser(url, (send) => send('create extension if not exists citus'));
  await asSuperuser(coordinatorUrl, async (send) => {
    const { hostname, port } = new URL(coordinatorUrl);
    await send(`select citus_set_coordinator_host('${hostname}', ${port})`);
    for (const url of workerUrls) {
      const worker = new URL(url);
      await send(`select citus_add_node('${worker.hostname}', ${worker.port})`);
    }
  });
}

/** The addresses of the same database on the workers. */
async function workersOf(superuserUrl: string): Promise<string[]> {
  const rows = await asSuperuser(superuserUrl, (send) =>
    send(
      'select nodename as hostname, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid',
    ),
  );
  return rows.map(
    ({ hostname, port }) => Object.assign(new URL(superuserUrl), { hostname, port: String(port) }).href,
  );
}

type Send = (text: string) => Promise<postgres.Row[]>;

async function asSuperuser<T>(url: string, work: (send: Send) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(async (text) => await sql.unsafe(text));
  } finally {
    await sql.end();
  }
}

function databaseAt(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: name }).href;
}
