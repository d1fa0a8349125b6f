import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createWorkLimit } from '../../src/auth/work-limit.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { accountUuid } from '../../src/domain/credentials.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';
import { keepWebhooksDelivered } from '../../src/server/keep-webhooks-delivered.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createSubAccount } from '../../src/services/sub-accounts/create.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { createWebhook } from '../../src/services/webhooks/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { PLAIN_LOG, walBytes } from './database.ts';

/**
 * What webhooks take of a write: transactions that are created one by one by an account without a webhook, by one that has one, and by one below a
 * platform that has one for all of its accounts, in turns; and what telling of them takes afterwards. Processor time of this process (in
 * which the receiver is, too) and of PostgreSQL, and bytes of its log. `npx tsx test/bench/webhook-cost.ts [creates of each] [rounds]`
 */
const [creates = 1600, rounds = 8] = process.argv.slice(2).map(Number);
const EACH = Math.ceil(creates / rounds);
const COLLECTIONS = 5;
const VARIANTS = 300;
const FIGURES = ['nodeMillis', 'databaseMillis', 'walBytes'] as const;
type Used = Record<(typeof FIGURES)[number], number>;

interface Writer {
  name: string;
  ctx: Context;
  collections: string[];
  isTold: boolean;
  creating: Used;
  telling: Used;
}

const server = await startPostgres({ settings: PLAIN_LOG });
const { url } = await loadedPostgresUrl(server.url);
const db = postgresDatabase(url);
const admin = postgresDatabase(url);
const receiver = await startReceiver();
const outboundNetworks = parseNetworks('127.0.0.0/8');
const now = () => new Date();
const postmaster = await postmasterOf(admin);
const variants = await db.query<{ id: string }>(`select id from variant order by md5(id) limit ${VARIANTS}`);

const newAccount = async () => (await createAccount(db, { name: 'Benchmark', now: now() })).accountId;
const contextOf = (accountId: string): Context => ({
  db,
  caller: { accountId, clientId: 'cli_benchmark' },
  now,
  outboundNetworks,
});
const nothing = (): Used => ({ nodeMillis: 0, databaseMillis: 0, walBytes: 0 });

async function newWriter(name: string, isTold: boolean, ctx: Context): Promise<Writer> {
  const collections: string[] = [];
  for (let i = 0; i < COLLECTIONS; i++) collections.push((await createCollection(ctx, { name: `${i}` })).id);
  return { name, ctx, collections, isTold, creating: nothing(), telling: nothing() };
}

async function writers(): Promise<Writer[]> {
  const own = contextOf(await newAccount());
  const platform = contextOf(await newAccount());
  platform.caller.scope = 'platform';
  await setLimits(db, { accountId: platform.caller.accountId, maxAccounts: 1 });
  const below = await createSubAccount(platform, { name: 'Below', externalId: 'below' });
  const webhook = { url: receiver.url, events: ['collection.changed'] };
  const all = [
    await newWriter('no webhook', false, contextOf(await newAccount())),
    await newWriter('one of the account', true, own),
    await newWriter('one of the platform', true, contextOf(accountUuid(below.id)!)),
  ];
  await createWebhook(own, webhook);
  await createWebhook(platform, { ...webhook, allAccounts: true });
  return all;
}

async function write({ ctx, collections }: Writer): Promise<void> {
  for (let i = 0; i < EACH; i++)
    await createTransaction(ctx, collections[i % COLLECTIONS]!, {
      variantId: variants[(i * 7919) % VARIANTS]!.id,
      occurredDate: '2026-01-31',
      action: 'Purchase',
      quantity: 2,
      unitAmount: { currency: 'USD', value: 1.25 },
    });
}

/** Until the receiver has heard of all. */
async function tell(): Promise<void> {
  receiver.received.length = 0;
  const stop = keepWebhooksDelivered(db, {
    workOf: createWorkLimit({ account: 0, platform: 0 }, () => performance.now()),
    addressesOf: createAddressCheck(outboundNetworks),
    logger: pino({ level: 'silent' }),
    now,
    lookMillis: 100,
  });
  while (receiver.received.length < EACH) await sleep(50);
  await stop();
}

async function used(): Promise<Used> {
  const { user, system } = process.cpuUsage();
  const databaseMillis = cpuSecondsOfFamily(postmaster) * 1000;
  return { nodeMillis: (user + system) / 1000, databaseMillis, walBytes: await walBytes(admin) };
}

async function counted(into: Used | null, work: () => Promise<void>): Promise<void> {
  const before = await used();
  await work();
  const after = await used();
  if (into) for (const figure of FIGURES) into[figure] += after[figure] - before[figure];
}

function shown(sums: Used): string {
  const [node, database, bytes] = FIGURES.map((figure) => sums[figure] / EACH / rounds);
  return `node ${node!.toFixed(2)} ms, PostgreSQL ${database!.toFixed(2)} ms, ${bytes!.toFixed(0)} bytes of its log`;
}

try {
  const all = await writers();
  for (let round = -1; round < rounds; round++) {
    for (const writer of round % 2 ? all : all.toReversed()) {
      const isWarm = round >= 0;
      await counted(isWarm ? writer.creating : null, () => write(writer));
      if (writer.isTold) await counted(isWarm ? writer.telling : null, tell);
    }
  }
  for (const { name, creating, telling, isTold } of all)
    process.stdout.write(
      `${name}: a create ${shown(creating)}${isTold ? `; its message ${shown(telling)}` : ''}\n`,
    );
} finally {
  await receiver.stop();
  await db.close();
  await admin.close();
  await server.stop();
}
