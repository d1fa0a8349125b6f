import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { distribute } from '../../src/db/distribute.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { findPostgres, type PostgresServer, startPostgres } from './postgres-server.ts';

/** How to get what a machine lacks that has no Citus. */
export const CITUS_ADVICE =
  'Build Citus 13.2 from its source for the PostgreSQL of this machine (./configure PG_CONFIG=…, make, make install).';

/** Few shards: each is a table of its own, for each table of each database that a test makes. */
export const CITUS_SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.shard_count': '4',
  // Of the suites: each database that a test has made keeps some, to the coordinator and from there to all nodes.
  max_connections: '1000',
  // A daemon for each database, which looks for deadlocks among all nodes.
  max_worker_processes: '400',
  'citus.distributed_deadlock_detection_factor': '10',
};

type CitusNode = Pick<PostgresServer, 'superuserUrl' | 'port' | 'stop'>;
type StartNode = (options: { settings: Record<string, string> }) => Promise<CitusNode>;

/** A coordinator and its workers, on free ports of 127.0.0.1. */
export interface CitusCluster {
  /** The coordinator's database `postgres` as a superuser, which knows the workers: what `TEST_CITUS_URL` is to name. */
  superuserUrl: string;
  workers: CitusNode[];
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

/**
 * Starts a coordinator and two workers, each a throw-away server of its own, with the extension in their databases `postgres`.
 * @param startWorker how, where a worker is to be one that can be killed
 * @param startCoordinator the same of the coordinator
 */
export async function startCitus(
  startWorker: StartNode = startPostgres,
  startCoordinator: StartNode = startPostgres,
): Promise<CitusCluster> {
  if (!hasCitus()) throw new Error(`No Citus on this machine. ${CITUS_ADVICE}`);
  const nodes: CitusNode[] = [];
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    for (const start of [startCoordinator, startWorker, startWorker])
      nodes.push(await start({ settings: CITUS_SETTINGS }));
    const [coordinator, ...workers] = nodes as [CitusNode, ...CitusNode[]];
    await joinNodes(
      coordinator.superuserUrl,
      workers.map((worker) => worker.superuserUrl),
    );
    return { superuserUrl: coordinator.superuserUrl, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface NewDatabase {
  name?: string | undefined;
  /** A database of the cluster that is distributed. */
  template?: string | undefined;
}

/**
 * A new database of the cluster, on each of its nodes: an empty one with the extension, or a copy of another. Its address is that
 * of its owner, at the coordinator.
 * @param superuserUrl the coordinator's database `postgres` as a superuser
 */
export async function newCitusDatabase(
  superuserUrl: string,
  owner: string,
  { name, template }: NewDatabase = {},
): Promise<string> {
  const url = await newDatabaseOnNodes(superuserUrl, owner, { name, template });
  if (!template) await joinDatabase(superuserUrl, url);
  else {
    // A copy on every node is a copy of the whole, since a shard is a table. It has not the settings of the database.
    const db = postgresDatabase(url);
    await distribute(db).finally(() => db.close());
  }
  return url;
}

/** The same without the extension, as it is before a database becomes one of Citus. */
export async function newDatabaseOnNodes(
  superuserUrl: string,
  owner: string,
  { name = `test_${randomUUID().replaceAll('-', '')}`, template = 'template0' }: NewDatabase = {},
): Promise<string> {
  const create = `create database ${name} owner ${owner} template ${template}`;
  const nodes = await nodesOf(superuserUrl);
  await Promise.all(nodes.map((node) => asSuperuser(node, (send) => send(create))));
  return Object.assign(new URL(superuserUrl), { username: owner, pathname: name }).href;
}

/** Gives a database on all nodes the extension, and its nodes to each other. */
export async function joinDatabase(superuserUrl: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const [coordinator, ...workers] = (await nodesOf(superuserUrl)).map((node) => databaseAt(node, name));
  await joinNodes(coordinator!, workers);
}

/** Makes a template of a database of the cluster: nobody may be at it while it is copied, not even the daemon of Citus. */
export async function makeCitusTemplate(superuserUrl: string, name: string, template: string): Promise<void> {
  for (const node of await nodesOf(superuserUrl))
    await asSuperuser(node, async (send) => {
      await send(`alter database ${name} allow_connections false`);
      await endSessionsOf(send, name);
      await send(`alter database ${name} rename to ${template}`);
    });
}

async function endSessionsOf(send: Send, name: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const left = await send(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    if (left.length === 0) return;
    await sleep(20);
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

/** The addresses of the same database on all nodes, the coordinator's first. */
async function nodesOf(superuserUrl: string): Promise<string[]> {
  const rows = await asSuperuser(superuserUrl, (send) =>
    send('select nodename as hostname, nodeport as port from pg_dist_node order by groupid'),
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
