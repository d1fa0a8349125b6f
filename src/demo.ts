import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './db/client.ts';
import { createAccount } from './services/accounts/create.ts';
import { createClient } from './services/clients/create.ts';
import { listClients } from './services/clients/list.ts';

export interface DemoClient {
  clientId: string;
  clientSecret: string;
}

/**
 * The demo account's client, whose credentials are in `demo-client.json` of the data directory, readable by the owner
 * alone. A new account is made where the file, or the client that it names, is missing.
 */
export async function ensureDemoClient(
  db: Database,
  dataDir: string,
  now: Date,
): Promise<DemoClient & { path: string }> {
  const path = join(dataDir, 'demo-client.json');
  const known = await readDemoClient(path);
  const clients = await listClients(db, {});
  if (known && clients.some(({ clientId, revokedAt }) => clientId === known.clientId && revokedAt === null)) {
    return { ...known, path };
  }
  const { accountId } = await createAccount(db, { name: 'Demo', now });
  const { clientId, clientSecret } = await createClient(db, { accountId, name: 'Demo client', now });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify({ clientId, clientSecret }, null, 2)}\n`, { mode: 0o600 });
  return { clientId, clientSecret, path };
}

async function readDemoClient(path: string): Promise<DemoClient | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
