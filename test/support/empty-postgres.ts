import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/**
 * The address of a new database on the server at the address: an empty one, or a copy of a template. Made by the driver
 * alone: what has waited long on a slow machine, ours sends in a transaction, to bound it.
 */
export async function emptyPostgresUrl(serverUrl: string, template = 'template1'): Promise<string> {
  const admin = postgres(serverUrl, { max: 1 });
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  try {
    await admin.unsafe(`create database ${name} template ${template}`);
  } finally {
    await admin.end();
  }
  return Object.assign(new URL(serverUrl), { pathname: name }).href;
}
