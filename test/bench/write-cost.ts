import { performance } from 'node:perf_hooks';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { maintain, walBytes } from './database.ts';

/**
 * What a created transaction costs: processor time of node and of PostgreSQL, bytes of the write-ahead log, and the share
 * of updates of its holding and its collection that stay on their page (HOT), in collections of 300 and of 10,000 variants
 * on PostgreSQL. The share is to be 95 % or more. It calls the verb alone, so that it runs on other versions of the
 * code as well: copy the file there.
 *
 * Nothing but the creates is in the log: pages are not written to it as a whole (`full_page_writes`), and neither
 * checkpoints nor autovacuum run. So dead rows go by what readers and writers of a page do on their way alone.
 */
const SIZES = [300, 10_000];
const COLLECTIONS = 5;
const WARM_UP = 500;
const WRITES = Number(process.argv[2] ?? 4000);
const SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
};

const entry = (variantId: string) => ({
  variantId,
  occurredDate: '2026-01-31',
  action: 'Purchase' as const,
  quantity: 2,
  unitAmount: { currency: 'USD' as const, value: 1.25 },
});

interface Ledger {
  ctx: Context;
  collections: string[];
}

async function fill(db: OpenDatabase, variants: readonly string[]): Promise<Ledger> {
  const now = () => new Date('2026-04-13T10:00:00Z');
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: now() });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now };
  const collections: string[] = [];
  for (let i = 0; i < COLLECTIONS; i++) {
    const { id } = await createCollection(ctx, { name: `Collection ${i}` });
    collections.push(id);
    for (let start = 0; start < variants.length; start += 1000)
      await createTransactions(ctx, id, variants.slice(start, start + 1000).map(entry));
  }
  return { ctx, collections };
}

/** So many creates one after the other, in turn in each collection, all over its variants. */
async function create({ ctx, collections }: Ledger, variants: readonly string[], count: number) {
  for (let i = 0; i < count; i++) {
    const variantId = variants[(i * 7919) % variants.length]!;
    await createTransaction(ctx, collections[i % collections.length]!, entry(variantId));
  }
}

interface Used {
  nodeMillis: number;
  databaseMillis: number;
  walBytes: number;
}

async function used(admin: OpenDatabase): Promise<Used> {
  const [postmaster, bytes] = [await postmasterOf(admin), await walBytes(admin)];
  const { user, system } = process.cpuUsage();
  return {
    nodeMillis: (user + system) / 1000,
    databaseMillis: cpuSecondsOfFamily(postmaster) * 1000,
    walBytes: bytes,
  };
}

interface Updates {
  name: string;
  all: number;
  hot: number;
}

/** As the backends that have ended left them. */
async function updates(admin: OpenDatabase): Promise<Updates[]> {
  return admin.query<Updates>(
    `select relname as name, n_tup_upd::integer as "all", n_tup_hot_upd::integer as hot from pg_stat_user_tables
     where relname in ('holding', 'collection') order by relname`,
  );
}

async function measure(
  { url, superuserUrl }: Record<'url' | 'superuserUrl', string>,
  size: number,
): Promise<string> {
  const admin = postgresDatabase(url);
  const filling = postgresDatabase(url);
  const rows = await filling.query<{ id: string }>(`select id from variant order by md5(id) limit ${size}`);
  const variants = rows.map(({ id }) => id);
  const ledger = await fill(filling, variants);
  await filling.query('vacuum analyze');
  await filling.close();
  const updatesBefore = await updates(admin);

  const db = postgresDatabase(url);
  const measured = { ...ledger, ctx: { ...ledger.ctx, db } };
  await create(measured, variants, WARM_UP);
  await maintain(superuserUrl, 'checkpoint');
  const before = await used(admin);
  const started = performance.now();
  await create(measured, variants, WRITES);
  const millis = performance.now() - started;
  const after = await used(admin);
  await db.close();
  const updatesAfter = await updates(admin);
  await admin.close();

  const each = (figure: keyof Used) => (after[figure] - before[figure]) / WRITES;
  const hot = updatesAfter.map(({ name, all, hot: hotNow }, i) => {
    const total = all - updatesBefore[i]!.all;
    return `${name} ${((100 * (hotNow - updatesBefore[i]!.hot)) / total).toFixed(1)} % of ${total}`;
  });
  return [
    `${String(size).padStart(6)} variants: ${(millis / WRITES).toFixed(2)} ms`,
    `node ${each('nodeMillis').toFixed(3)} ms CPU, PostgreSQL ${each('databaseMillis').toFixed(3)} ms CPU`,
    `${each('walBytes').toFixed(0)} bytes of WAL a create`,
    `HOT: ${hot.join(', ')}`,
  ].join('; ');
}

const server = await startPostgres({ settings: SETTINGS });
try {
  for (const size of SIZES) {
    const { url } = await loadedPostgresUrl(server.url);
    // biome-ignore lint/suspicious/noConsole: the result of the program
    console.log(await measure({ url, superuserUrl: server.superuserUrl }, size));
  }
} finally {
  await server.stop();
}
