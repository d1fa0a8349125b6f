import { randomUUID } from 'node:crypto';
import { postgresDatabase } from '../../src/db/client.ts';

/** The address of a new empty database on the server at the address. */
export async function emptyPostgresUrl(serverUrl: string): Promise<string> {
  const admin = postgresDatabase(serverUrl);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    await admin.query(`create database ${name}`);
  } finally {
    await admin.close();
  }
  return Object.assign(new URL(serverUrl), { pathname: name }).href;
}
