import { expect } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { eventually } from './eventually.ts';
import { type PostgresOptions, type PostgresServer, startPostgres, startStandby } from './postgres-server.ts';
import { setOfServer } from './server-settings.ts';

/** A server, and another that has each change before it is acknowledged. */
export async function startPair(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const settings = { synchronous_commit: 'on' };
  const primary = await startPostgres({ settings });
  return { primary, standby: await startSynchronousStandby(primary, { settings }) };
}

/** A standby that has each change of the primary before it is acknowledged, from now on. */
export async function startSynchronousStandby(
  primary: Omit<PostgresServer, 'version'>,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const standby = await startStandby(primary, options);
  await setOfServer(primary.superuserUrl, 'synchronous_standby_names', '*');
  const admin = postgresDatabase(primary.superuserUrl);
  const isSynchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  await eventually(async () => expect(await admin.query(isSynchronous)).toHaveLength(1));
  await admin.close();
  return standby;
}

/** One address for all of them, the first last. */
export function addressOf({ url }: PostgresServer, ...others: PostgresServer[]): string {
  const hosts = others.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return url.replace('@', `@${hosts},`);
}

export async function promote({ superuserUrl }: PostgresServer): Promise<void> {
  const admin = postgresDatabase(superuserUrl);
  await admin.query('select pg_promote()');
  await admin.close();
}
