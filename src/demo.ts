import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Auth } from './auth/index.ts';
import type { Database } from './db/client.ts';
import { pageByPosition } from './domain/pagination.ts';
import type { SessionOf } from './http/page.ts';
import { makeDirectory } from './paths.ts';
import { createAccount } from './services/accounts/create.ts';
import { type ClientCredentials, createClient } from './services/clients/create.ts';
import { listClients } from './services/clients/list.ts';
import { createCollection } from './services/collections/create.ts';
import { collectionOrder, listCollections } from './services/collections/list.ts';
import { updateCollection } from './services/collections/update.ts';
import type { Caller, Context } from './services/context.ts';
import { loadSamplePast } from './services/market/sample-past.ts';
import { createTransactions } from './services/transactions/create.ts';

export interface DemoClient extends Caller {
  clientSecret: string;
}

/** The purchases and sales that the demo account starts with, in USD: variant, day, action, quantity, price of one card. */
const DEMO_TRANSACTIONS = [
  ['var_bbazf1f2kzz1kq6z', '2025-01-10', 'Purchase', 3, 8.5], // Enlightened Strike, Unlimited Edition
  ['var_pg7abcvnksv24vna', '2025-01-10', 'Purchase', 3, 2.75], // Art of War, Unlimited Edition
  ['var_wvw769mp8vs0xtgf', '2025-01-24', 'Purchase', 6, 0.35], // Sink Below (Red), Unlimited Edition
  ['var_wvw769mp8vs0xtgf', '2025-02-14', 'Sale', 2, 0.6],
  ['var_3b9cm42d78sw3w36', '2025-02-14', 'Purchase', 1, 80], // Fyendal's Spring Tunic, 1st Edition
] as const;

/**
 * The demo account's client, whose credentials are in `demo-client.json` of the data directory, readable by the owner
 * alone. A new account is made where the file, or the client that it names, is missing; and a collection with a few
 * transactions where the account has none, of cards that then have sample prices since they were bought.
 */
export async function ensureDemoClient(
  db: Database,
  dataDir: string,
  now: Date,
): Promise<DemoClient & { path: string }> {
  const path = join(dataDir, 'demo-client.json');
  const client = (await knownClient(db, path)) ?? (await newClient(db, path, now));
  await ensureDemoCollection({ db, caller: client, now: () => now });
  return { ...client, path };
}

/** Another database may have used the directory meanwhile: its credentials, and then ours, are kept beside the file. */
async function knownClient(db: Database, path: string): Promise<DemoClient | null> {
  const clients = new Map((await listClients(db)).map((client) => [client.clientId, client]));
  for (const file of [path, ...(await keptFiles(path))]) {
    const credentials = await readCredentials(file);
    const client = credentials && clients.get(credentials.clientId);
    if (!client || client.revokedAt !== null) continue;
    if (file !== path) await writeCredentials(path, credentials);
    return { ...credentials, accountId: client.accountId };
  }
  return null;
}

async function keptFiles(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  return names.filter((name) => /^demo-client-.*\.json$/.test(name)).map((name) => join(dirname(path), name));
}

/** What the file holds for another database is moved aside, since the secret stands nowhere else. */
async function writeCredentials(path: string, { clientId, clientSecret }: ClientCredentials): Promise<void> {
  const other = await readCredentials(path);
  if (other) await rename(path, join(dirname(path), `demo-client-${other.clientId}.json`));
  await makeDirectory(dirname(path));
  await writeFile(path, `${JSON.stringify({ clientId, clientSecret }, null, 2)}\n`, { mode: 0o600 });
}

async function newClient(db: Database, path: string, now: Date): Promise<DemoClient> {
  const { accountId } = await createAccount(db, { name: 'Demo', now });
  const { clientId, clientSecret } = await createClient(db, { accountId, name: 'Demo client', now });
  await writeCredentials(path, { clientId, clientSecret });
  return { clientId, clientSecret, accountId };
}

async function readCredentials(path: string): Promise<ClientCredentials | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

async function ensureDemoCollection(ctx: Context): Promise<void> {
  if (await firstCollection(ctx)) return;
  const held = DEMO_TRANSACTIONS.map(([variantId]) => variantId);
  const firstDay = DEMO_TRANSACTIONS.map(([, day]) => day).sort()[0]!;
  await loadSamplePast(ctx.db, [...new Set(held)], firstDay);
  const { id } = await createCollection(ctx, { name: 'Demo binder' });
  const entries = DEMO_TRANSACTIONS.map(([variantId, occurredDate, action, quantity, value]) => ({
    variantId,
    occurredDate,
    action,
    quantity,
    unitAmount: { currency: 'USD', value },
  }));
  await createTransactions(ctx, id, entries);
  await updateCollection(ctx, id, { valued: true });
}

/** The id of the caller's oldest collection. */
async function firstCollection(ctx: Context): Promise<string | null> {
  const page = await listCollections(
    ctx,
    collectionOrder('Chronological'),
    pageByPosition({ pageSize: '1' }),
  );
  return page.items[0]?.id ?? null;
}

/** A token is given to all who open a page within this time, so that reloads do not use up the client's limit. */
const TOKEN_SHARED_MILLIS = 5 * 60_000;

/**
 * Signs the pages in as the demo client, at these hosts alone: a name that somebody else has made one of this machine's
 * address would give their pages the token. Null, too, where the client gets none, e.g. when it has been revoked.
 */
export function demoSession(
  auth: Auth,
  { db, now, elapsed }: Pick<Context, 'db' | 'now'> & { elapsed: () => number },
  client: DemoClient,
  demoHosts: string,
): SessionOf {
  const hosts = demoHosts.split(',').map((host) => host.trim());
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    scope: 'default',
  }).toString();
  const request = { contentType: 'application/x-www-form-urlencoded', authorization: undefined, body };
  const peer = { socketAddress: undefined, forwardedFor: undefined };
  let shared: { accessToken: string; untilMillis: number } | undefined;

  return async (hostname) => {
    if (!hosts.includes(hostname)) return null;
    const nowMillis = elapsed();
    if (!shared || nowMillis >= shared.untilMillis) {
      const answer = await auth.token(request, peer);
      if (answer.status !== 200) return null;
      shared = {
        accessToken: String(answer.body.access_token),
        untilMillis: nowMillis + TOKEN_SHARED_MILLIS,
      };
    }
    const collectionId = await firstCollection({ db, now, caller: client });
    return { accessToken: shared.accessToken, collectionId };
  };
}
