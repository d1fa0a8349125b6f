import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { newCitusDatabase } from './citus-server.ts';

/**
 * The address of a new database on the server at the address: an empty one, or a copy of a template. Made by the driver
 * alone: what has waited long on a slow machine, ours sends in a transaction, to bound it. On the coordinator at TEST_CITUS_URL it
 * is made on all nodes.
 */
export async function emptyPostgresUrl(serverUrl: string, template = 'template1'): Promise<string> {
  const citus = citusAt(serverUrl);
  if (citus)
    return newCitusDatabase(citus, new URL(serverUrl).username, template === 'template1' ? {} : { template });
  const admin = postgres(serverUrl, { max: 1 });
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    await admin.unsafe(`create database ${name} template ${template}`);
  } finally {
    await admin.end();
  }
  return Object.assign(new URL(serverUrl), { pathname: name }).href;
}

/** TEST_CITUS_URL where the server is that coordinator; null of a server that a test has started itself. */
export function citusAt(serverUrl: string): string | null {
  const citus = process.env.TEST_CITUS_URL;
  return citus && new URL(citus).host === new URL(serverUrl).host ? citus : null;
}
