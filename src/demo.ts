import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Auth } from './auth/index.ts';
import type { Database } from './db/client.ts';
import { addDays } from './domain/dates.ts';
import { pageByPosition } from './domain/pagination.ts';
import type { SessionOf } from './http/page.ts';
import { makeDirectory } from './paths.ts';
import { createAccount } from './services/accounts/create.ts';
import { setLimits } from './services/accounts/set-limits.ts';
import { type ClientCredentials, createClient } from './services/clients/create.ts';
import { listClients } from './services/clients/list.ts';
import { createCollection } from './services/collections/create.ts';
import { collectionOrder, listCollections } from './services/collections/list.ts';
import type { Caller, Context } from './services/context.ts';
import { setGoalCollection } from './services/goals/set.ts';
import { loadSamplePast } from './services/market/sample-past.ts';
import { createPriceAlert } from './services/price-alerts/create.ts';
import { createTransactions } from './services/transactions/create.ts';

export interface DemoClient extends Caller {
  clientSecret: string;
}

/** Below the demo account, so that who builds an app for many collectors can try it. */
const DEMO_ACCOUNTS = 100;

type DemoTransaction = readonly [
  variantId: string,
  day: string,
  action: 'Purchase' | 'Sale',
  quantity: number,
  dollars: number,
];

interface DemoCollection {
  name: string;
  transactions: readonly DemoTransaction[];
  /** The set that it is to hold. */
  goal?: string;
}

/** What the demo account starts with, so that each view has something to show; at prices of one card, in USD. */
const DEMO_COLLECTIONS: readonly DemoCollection[] = [
  {
    name: 'Demo binder',
    transactions: [
      ['var_bbazf1f2kzz1kq6z', '2025-01-10', 'Purchase', 3, 8.5], // Enlightened Strike, Unlimited Edition
      ['var_pg7abcvnksv24vna', '2025-01-10', 'Purchase', 3, 2.75], // Art of War, Unlimited Edition
      ['var_wvw769mp8vs0xtgf', '2025-01-24', 'Purchase', 6, 0.35], // Sink Below (Red), Unlimited Edition
      ['var_wvw769mp8vs0xtgf', '2025-02-14', 'Sale', 2, 0.6],
      ['var_3b9cm42d78sw3w36', '2025-02-14', 'Purchase', 1, 80], // Fyendal's Spring Tunic, 1st Edition
    ],
  },
  {
    name: 'Demo sealed',
    transactions: [
      ['var_z9sg3qqsy2k336p3', '2025-04-04', 'Purchase', 1, 68], // Monarch, box, Unlimited Edition
      ['var_7kpgrsszc4pb3pr7', '2025-04-04', 'Purchase', 6, 4.1], // Monarch, pack, Unlimited Edition
      ['var_gccby3vrfatjbeje', '2025-06-20', 'Purchase', 1, 79.5], // Uprising, box
      ['var_z9sg3qqsy2k336p3', '2025-11-28', 'Sale', 1, 82.5],
    ],
  },
  {
    name: 'Demo goal: Arcane Rising',
    goal: 'ARC',
    transactions: [
      ['var_q2ejnr1hrt1e1xkv', '2025-05-02', 'Purchase', 1, 0.1], // Dash, Inventor Extraordinaire
      ['var_6nbz6fgkcrh4q8mv', '2025-05-02', 'Purchase', 1, 0.1], // Teklo Plasma Pistol
      ['var_hxmymqz02djcj8jc', '2025-05-02', 'Purchase', 3, 14.25], // High Octane
      ['var_chda4t2fpkrgst1e', '2025-07-18', 'Purchase', 3, 8.4], // Teklo Core
      ['var_bzy40e17cjq5a5dv', '2025-07-18', 'Purchase', 3, 3.9], // Maximum Velocity
      ['var_65rpx07ys3r41wsr', '2025-09-05', 'Purchase', 1, 47], // Teklo Foundry Heart
      ['var_hxmymqz02djcj8jc', '2025-12-12', 'Sale', 1, 17.5],
    ],
  },
];

const DEMO_ENTRIES = DEMO_COLLECTIONS.flatMap(({ transactions }) => transactions);
const FIRST_DAY = DEMO_ENTRIES.map(([, day]) => day).sort()[0]!;

const PAST_DAYS = 2 * 365;

/** The day from which on made-up prices of a first start are: two years, or what the demo account has held its cards for. */
export function samplesSince(today: string): string {
  return [addDays(today, -PAST_DAYS), FIRST_DAY].sort()[0]!;
}

/**
 * The demo account's client, whose credentials are in `demo-client.json` of the data directory, readable by the owner
 * alone. A new account is made where the file, or the client that it names, is missing; and collections with a few
 * transactions, a goal and an alert where the account has none, of cards that then have sample prices since they were bought.
 */
export async function ensureDemoClient(
  db: Database,
  dataDir: string,
  now: Date,
): Promise<DemoClient & { path: string }> {
  const path = join(dataDir, 'demo-client.json');
  const client = (await knownClient(db, path)) ?? (await newClient(db, path, now));
  await fillDemoAccount({ db, caller: client, now: () => now });
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
  await setLimits(db, { accountId, maxAccounts: DEMO_ACCOUNTS });
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

/** Makes the demo collections, a goal and an alert, where the account has no collection yet. */
export async function fillDemoAccount(ctx: Context): Promise<void> {
  if (await firstCollection(ctx)) return;
  const held = new Set(DEMO_ENTRIES.map(([variantId]) => variantId));
  await loadSamplePast(ctx.db, [...held], FIRST_DAY);
  for (const [i, collection] of DEMO_COLLECTIONS.entries()) {
    // Their order is that of the time they are made.
    const made = new Date(ctx.now().getTime() - DEMO_COLLECTIONS.length + i);
    await createDemoCollection({ ...ctx, now: () => made }, collection);
  }
  await createPriceAlert(ctx, {
    targetId: DEMO_ENTRIES[0]![0],
    when: { above: { currency: 'USD', value: 12.5 } },
  });
}

async function createDemoCollection(
  ctx: Context,
  { name, transactions, goal }: DemoCollection,
): Promise<void> {
  const { id } = await createCollection(ctx, { name, valued: true });
  const entries = transactions.map(([variantId, occurredDate, action, quantity, value]) => ({
    variantId,
    occurredDate,
    action,
    quantity,
    unitAmount: { currency: 'USD', value },
  }));
  await createTransactions(ctx, id, entries);
  if (goal) await setGoalCollection(ctx, id, { setCode: goal }, 'Product');
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
