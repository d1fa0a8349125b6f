import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { load } from './server-process.ts';

/**
 * What row-level security costs: the same requests to the app with the database as the account's role sees it, and with the
 * filter by account alone, in turns. Beside the rate stands the processor time of this process and of PostgreSQL's back
 * ends, which other work on the machine changes less. `npx tsx test/bench/tenant-wall.ts [rounds] [requests]`
 */
const [rounds = 9, requests = 400] = process.argv.slice(2).map(Number);
const CONNECTIONS = 8;
const now = () => new Date();

const server = await startPostgres();
const db = postgresDatabase((await loadedPostgresUrl(server.url)).url);
const { accountId } = await createAccount(db, { name: 'Bench', now: now() });
const credentials = await createClient(db, { accountId, name: 'Bench', now: now() });
const ctx = { db, caller: { accountId, clientId: credentials.clientId }, now };
const variants = await db.query<{ id: string }>('select id from variant order by id limit 1000');
const entry = (variantId: string) => ({
  variantId,
  occurredDate: '2025-01-01',
  action: 'Purchase',
  quantity: 1,
  unitAmount: { currency: 'USD', value: 2.5 },
});
const collections: string[] = [];
for (let i = 0; i < 50; i++) collections.push((await createCollection(ctx, { name: `Collection ${i}` })).id);
await createTransactions(
  ctx,
  collections[0]!,
  variants.map(({ id }) => entry(id)),
);
await db.query('analyze');

async function clientOf(database: OpenDatabase) {
  const config = { ...loadConfig({}), rateLimitPerMinute: 0, tokenLimitPerMinute: 0 };
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
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  };
}

type Send = Awaited<ReturnType<typeof clientOf>>;
const PATHS: Record<string, (send: Send, i: number) => Promise<void>> = {
  'page of 50 summaries': (send) => send('GET', `/collection/${collections[0]}/transaction-summary`),
  'list of 50 collections': (send) => send('GET', '/collection'),
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
const walls = { filter: await clientOf({ ...db, forAccount: () => db }), both: await clientOf(db) };
type Wall = keyof typeof walls;
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Of this process and of the back ends, on Linux. */
async function processorMillis(): Promise<number> {
  const { user, system } = process.cpuUsage();
  const backEnds = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend'`,
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
  const measured: Record<Wall, { rate: number[]; cost: number[] }> = {
    filter: { rate: [], cost: [] },
    both: { rate: [], cost: [] },
  };
  for (let round = -1; round < rounds; round++) {
    for (const wall of round % 2 ? (['filter', 'both'] as const) : (['both', 'filter'] as const)) {
      const before = await processorMillis();
      const { perSecond } = await load(CONNECTIONS, requests, (i) => work(walls[wall], i));
      if (round < 0) continue;
      measured[wall].rate.push(perSecond);
      measured[wall].cost.push(((await processorMillis()) - before) / requests);
    }
  }
  const of = (wall: Wall) => ({ rate: median(measured[wall].rate), cost: median(measured[wall].cost) });
  const [filter, both] = [of('filter'), of('both')];
  const percent = (ratio: number) => `${ratio < 1 ? '−' : '+'}${Math.abs(ratio * 100 - 100).toFixed(0)} %`;
  process.stdout.write(
    `${name.padEnd(24)} filter ${filter.rate.toFixed(0)}/s ${filter.cost.toFixed(2)} ms, ` +
      `both walls ${both.rate.toFixed(0)}/s ${both.cost.toFixed(2)} ms: ` +
      `rate ${percent(both.rate / filter.rate)}, processor time ${percent(both.cost / filter.cost)}\n`,
  );
}
await db.close();
await server.stop();
