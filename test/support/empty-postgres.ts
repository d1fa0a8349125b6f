import { randomUUID } from 'node:crypto';
import { postgresDatabase } from '../../src/db/client.ts';

/** The address of a new database on the server at the address: an empty one, or a copy of a template. */
export async function emptyPostgresUrl(serverUrl: string, template = 'template1'): Promise<string> {
  const admin = postgresDatabase(serverUrl);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    await admin.query(`create database ${name} template ${template}`);
  } finally {
    await admin.close();
  }
  return Object.assign(new URL(serverUrl), { pathname: name }).href;
}
