import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { TENANT_TABLES } from '../support/tenancy.ts';
import { load } from './server-process.ts';

/**
 * What row-level security costs: the same requests to the app, in turns, as the owner of a database without policies
 * (`bare`), as the owner of one with them (`owner`), whom they are not to cost anything, and with every statement as the
 * role that they are for (`walled`). Beside the rate stands the processor time of this process and of PostgreSQL's
 * back ends, which other work on the machine changes less. `npx tsx test/bench/tenant-wall.ts [rounds] [requests]`
 */
const [rounds = 9, requests = 400] = process.argv.slice(2).map(Number);
const CONNECTIONS = 8;
const HOLDINGS = 4000;
const now = () => new Date();

const server = await startPostgres();
const { url } = await loadedPostgresUrl(server.url);
const db = postgresDatabase(url);
const { accountId } = await createAccount(db, { name: 'Bench', now: now() });
const credentials = await createClient(db, { accountId, name: 'Bench', now: now() });
const ctx = { db, caller: { accountId, clientId: credentials.clientId }, now };
const variants = await db.query<{ id: string }>(`select id from variant order by id limit ${HOLDINGS}`);
const entry = (variantId: string) => ({
  variantId,
  occurredDate: '2025-01-01',
  action: 'Purchase',
  quantity: 1,
  unitAmount: { currency: 'USD', value: 2.5 },
});
const collections: string[] = [];
for (let i = 0; i < 50; i++) collections.push((await createCollection(ctx, { name: `Collection ${i}` })).id);
for (let start = 0; start < variants.length; start += 1000) {
  const part = variants.slice(start, start + 1000).map(({ id }) => entry(id));
  await createTransactions(ctx, collections[0]!, part);
}
await db.query('vacuum analyze');
const bareDb = await withoutPolicies();

/** A copy of the database. */
async function withoutPolicies(): Promise<OpenDatabase> {
  await db.close();
  const admin = postgresDatabase(server.url);
  await admin.query(`create database bare template ${new URL(url).pathname.slice(1)}`);
  await admin.close();
  const bare = postgresDatabase(Object.assign(new URL(url), { pathname: 'bare' }).href);
  for (const table of TENANT_TABLES)
    await bare.query(`alter table ${table} disable row level security, no force row level security`);
  return bare;
}

async function clientOf(database: OpenDatabase) {
  const config = { ...loadConfig({}), rateLimitPerMinute: 0, workLimitPerMinute: 0, tokenLimitPerMinute: 0 };
  const app = createApp({ config, db: database, now, logger: pino({ level: 'silent' }) });
  const send = (path: string, init: RequestInit) => app.fetch(new Request(`http://localhost${path}`, init));
  const answer = await send('/oauth2/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      scope: 'default',
    }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return async (method: string, path: string, body?: unknown, key?: string) => {
    const response = await send(path, {
      method,
      headers: {
        Authorization: `Bearer ${access_token}`,
        'Content-Type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200 || text.includes('"errors"')) throw new Error(`${response.status} ${text}`);
    return text;
  };
}

type Send = Awaited<ReturnType<typeof clientOf>>;
const summaries = (after: string | null) => ({
  query: `query ($id: ID!, $after: String) { collection(id: $id) {
    transactionSummaries(first: 50, after: $after, sort: MARKET_VALUE) {
      pageInfo { endCursor } nodes { quantity marketValue { decimal } } } } }`,
  variables: { id: collections[0], after },
});
const PATHS: Record<string, (send: Send, i: number) => Promise<unknown>> = {
  'summaries by name': (send) => send('GET', `/collection/${collections[0]}/transaction-summary`),
  'summaries by value': (send) => send('POST', '/graphql', summaries(null)),
  'summaries by value, deep': (send) => send('POST', '/graphql', summaries(middle)),
  'list of 50 collections': (send) => send('GET', '/collection'),
  transactions: (send) => send('GET', `/collection/${collections[0]}/transaction`),
  'create a transaction': (send, i) =>
    send('POST', `/collection/${collections[1 + (i % 40)]}/transaction`, entry(variants[i % 1000]!.id)),
  'create with a key': (send, i) =>
    send(
      'POST',
      `/collection/${collections[1 + (i % 40)]}/transaction`,
      entry(variants[i % 1000]!.id),
      `${Math.random()}`,
    ),
};
const ownerDb = postgresDatabase(url);
const everythingWalled = (of: OpenDatabase): OpenDatabase => ({
  ...of,
  forAccount: (account) => {
    const walled = of.forAccount(account);
    return { ...walled, hot: walled.query };
  },
});
const WALLS = {
  bare: await clientOf({ ...bareDb, forAccount: () => bareDb }),
  owner: await clientOf({ ...ownerDb, forAccount: () => ownerDb }),
  walled: await clientOf(everythingWalled(ownerDb)),
};
type Wall = keyof typeof WALLS;
const NAMES = Object.keys(WALLS) as Wall[];
const middle = await cursorOf(HOLDINGS / 2);
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Of the holding at the place by value. */
async function cursorOf(place: number): Promise<string> {
  let after: string | null = null;
  for (let seen = 0; seen < place; seen += 50) {
    const { data } = JSON.parse(await WALLS.owner('POST', '/graphql', summaries(after)));
    after = data.collection.transactionSummaries.pageInfo.endCursor as string;
  }
  return after!;
}

/** Of this process and of the back ends, on Linux. */
async function processorMillis(): Promise<number> {
  const { user, system } = process.cpuUsage();
  const backEnds = await ownerDb.query<{ pid: number }>(
    'select pid from pg_stat_activity where usename = current_user',
  );
  const ticks = await Promise.all(
    backEnds.map(async ({ pid }) => {
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
      return Number(fields[11]) + Number(fields[12]);
    }),
  );
  return (user + system) / 1000 + ticks.reduce((sum, count) => sum + count * 10, 0);
}

for (const [name, work] of Object.entries(PATHS)) {
  const measured = Object.fromEntries(
    NAMES.map((wall) => [wall, { rate: [] as number[], cost: [] as number[] }]),
  ) as Record<Wall, { rate: number[]; cost: number[] }>;
  for (let round = -1; round < rounds; round++) {
    for (const wall of round % 2 ? NAMES : NAMES.toReversed()) {
      const before = await processorMillis();
      const { perSecond } = await load(CONNECTIONS, requests, (i) => work(WALLS[wall], i));
      if (round < 0) continue;
      measured[wall].rate.push(perSecond);
      measured[wall].cost.push(((await processorMillis()) - before) / requests);
    }
  }
  const of = (wall: Wall) => ({ rate: median(measured[wall].rate), cost: median(measured[wall].cost) });
  const bare = of('bare');
  const cells = NAMES.map((wall) => {
    const { rate, cost } = of(wall);
    const ratios = `(×${(rate / bare.rate).toFixed(2)}, ×${(cost / bare.cost).toFixed(2)})`;
    return `${wall} ${rate.toFixed(0)}/s ${cost.toFixed(2)} ms ${wall === 'bare' ? '' : ratios}`;
  });
  process.stdout.write(`${name.padEnd(26)}${cells.join('  ')}\n`);
}
await ownerDb.close();
await bareDb.close();
await server.stop();
