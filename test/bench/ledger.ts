import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * The cost of a write in a collection of 100,000 transactions over 10,000 variants against one of 100: create, edit and
 * delete, taken in turns in one run on PostgreSQL. The ratio of the medians is to stay under 1.3.
 */
const LARGE = { transactions: 100_000, variants: 10_000 };
const SMALL = { transactions: 100, variants: 100 };
const ROUNDS = 5;
const WRITES_PER_ROUND = 300;

const say = pino({ level: 'info', base: null, timestamp: false }, pino.destination(2));

const entry = (variantId: string) => ({
  variantId,
  occurredDate: '2026-01-31',
  action: 'Purchase' as const,
  quantity: 2,
  unitAmount: { currency: 'USD' as const, value: 1.25 },
});

async function fill(ctx: Context, name: string, size: typeof LARGE, variants: string[]): Promise<string> {
  const { id } = await createCollection(ctx, { name });
  for (let start = 0; start < size.transactions; start += 1000) {
    const count = Math.min(1000, size.transactions - start);
    await createTransactions(
      ctx,
      id,
      Array.from({ length: count }, (_, i) => entry(variants[(start + i) % size.variants]!)),
    );
  }
  return id;
}

type Timings = Record<'create' | 'edit' | 'delete', number[]>;

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  into.push(performance.now() - start);
  return result;
}

async function round(
  ctx: Context,
  collectionId: string,
  variants: string[],
  timings: Timings,
): Promise<void> {
  for (let i = 0; i < WRITES_PER_ROUND; i++) {
    const variantId = variants[(i * 37) % variants.length]!;
    const { id } = await timed(timings.create, () => createTransaction(ctx, collectionId, entry(variantId)));
    await timed(timings.edit, () =>
      updateTransaction(ctx, id, { quantity: 3, unitAmount: { currency: 'EUR', value: 2 } }),
    );
    await timed(timings.delete, () => deleteTransaction(ctx, id));
  }
}

const percentile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)]!;

async function measure(db: OpenDatabase): Promise<void> {
  const now = () => new Date('2026-04-13T10:00:00Z');
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: now() });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now };
  const rows = await db.query<{ id: string }>(`select id from variant order by id limit ${LARGE.variants}`);
  const variants = rows.map(({ id }) => id);
  say.info('filling');
  const large = await fill(ctx, 'Large', LARGE, variants);
  const small = await fill(ctx, 'Small', SMALL, variants);
  await db.query('analyze');
  const empty = (): Timings => ({ create: [], edit: [], delete: [] });
  const timings = { large: empty(), small: empty() };
  await round(ctx, small, variants.slice(0, SMALL.variants), empty());
  for (let i = 0; i < ROUNDS; i++) {
    await round(ctx, large, variants, timings.large);
    await round(ctx, small, variants.slice(0, SMALL.variants), timings.small);
  }
  const table = (['create', 'edit', 'delete'] as const).map((write) => ({
    write,
    'large median ms': percentile(timings.large[write], 0.5).toFixed(3),
    'small median ms': percentile(timings.small[write], 0.5).toFixed(3),
    'large p99 ms': percentile(timings.large[write], 0.99).toFixed(3),
    'small p99 ms': percentile(timings.small[write], 0.99).toFixed(3),
    'ratio of medians': (
      percentile(timings.large[write], 0.5) / percentile(timings.small[write], 0.5)
    ).toFixed(2),
  }));
  // biome-ignore lint/suspicious/noConsole: the result of the program
  console.table(table);
}

const server = await startPostgres({ settings: { shared_buffers: '512MB' } });
try {
  const db = postgresDatabase((await loadedPostgresUrl(server.url)).url);
  await measure(db);
  await db.close();
} finally {
  await server.stop();
}
