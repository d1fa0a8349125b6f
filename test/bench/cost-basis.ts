import { performance } from 'node:perf_hooks';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { COST_BASES } from '../../src/domain/cost-basis.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';

/**
 * What a transaction costs by each cost basis when it is recorded at the end of the ledger, in a collection of 1,000 and in
 * one of 100,000 transactions, all of one variant or of so many: processor time of node and PostgreSQL together, both
 * collections in turns. The ratio is to be 1.3 at most. Then, of the larger one, what one in the middle costs, a change of the last one and
 * its deletion, how many times what they cost by the average that is, and a change of the preference.
 * `npx tsx test/bench/cost-basis.ts [transactions] [variants]`
 */
const SIZES = [1000, Number(process.argv[2] ?? 100_000)];
const VARIANTS = Number(process.argv[3] ?? 1);
const ROUNDS = 10;
const WRITES = 100;
const PART = 1000;

const entry = (variantId: string, i: number, occurredDate: string) => ({
  variantId,
  occurredDate,
  // A third are sales, and most lots stay open.
  action: i % 3 === 2 ? ('Sale' as const) : ('Purchase' as const),
  quantity: i % 3 === 2 ? 1 : 2,
  unitAmount: {
    currency: i % 2 === 0 ? ('EUR' as const) : ('USD' as const),
    value: Number(`${1 + (i % 700)}e-2`),
  },
});

const dayOf = (i: number, count: number) =>
  new Date(Date.UTC(2020, 0, 1) + Math.floor((i / count) * 2000) * 86_400_000).toISOString().slice(0, 10);

async function filled(ctx: Context, variantIds: readonly string[], count: number): Promise<string> {
  const { id } = await createCollection(ctx, { name: `Of ${count}` });
  for (let at = 0; at < count; at += PART) {
    const entries = Array.from({ length: PART }, (_, i) =>
      entry(variantIds[(at + i) % variantIds.length]!, at + i, dayOf(at + i, count)),
    );
    await createTransactions(ctx, id, entries);
  }
  return id;
}

async function cpuMillis(db: OpenDatabase): Promise<number> {
  const postmaster = await postmasterOf(db);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + cpuSecondsOfFamily(postmaster) * 1000;
}

/** Processor time of the work, in milliseconds. */
async function spent(db: OpenDatabase, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuMillis(db);
  await work();
  return (await cpuMillis(db)) - before;
}

async function record(ctx: Context, id: string, variantIds: readonly string[], day: string, count: number) {
  for (let i = 0; i < count; i++)
    await createTransaction(ctx, id, entry(variantIds[i % variantIds.length]!, i, day));
}

/** What a change of the last transaction costs, and its deletion, in milliseconds. */
async function changed(
  db: OpenDatabase,
  ctx: Context,
  id: string,
  variantIds: readonly string[],
): Promise<[number, number]> {
  const ids: string[] = [];
  for (let i = 0; i < WRITES; i++)
    ids.push(
      (await createTransaction(ctx, id, entry(variantIds[i % variantIds.length]!, i, '2026-04-13'))).id,
    );
  const change = await spent(db, async () => {
    for (let i = 0; i < WRITES; i++) await updateTransaction(ctx, ids.at(-1)!, { quantity: 3 + (i % 2) });
  });
  const deletion = await spent(db, async () => {
    for (const last of ids.reverse()) await deleteTransaction(ctx, last);
  });
  return [change / WRITES, deletion / WRITES];
}

const say = (line: string) => {
  // biome-ignore lint/suspicious/noConsole: the result of the program
  console.log(line);
};

const server = await startPostgres({ settings: { shared_buffers: '512MB', autovacuum: 'off' } });
try {
  const { url } = await loadedPostgresUrl(server.url);
  const db = postgresDatabase(url);
  const now = () => new Date('2026-04-13T10:00:00Z');
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: now() });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now };
  const variants = await db.query<{ id: string }>(`select id from variant order by id limit ${VARIANTS}`);
  const variantIds = variants.map(({ id }) => id);
  const ids: string[] = [];
  for (const size of SIZES) ids.push(await filled(ctx, variantIds, size));
  let average: readonly number[] | undefined;
  for (const costBasis of COST_BASES) {
    const started = performance.now();
    const change = await spent(db, () => updatePreferences(ctx, { costBasis }));
    const changedMillis = performance.now() - started;
    await db.query('vacuum analyze');
    for (const id of ids) await record(ctx, id, variantIds, '2026-04-13', WRITES);
    const used = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      for (const i of round % 2 === 0 ? [0, 1] : [1, 0])
        used[i]! += await spent(db, () => record(ctx, ids[i]!, variantIds, '2026-04-13', WRITES));
    }
    const [small, large] = used.map((millis) => millis / (ROUNDS * WRITES)) as [number, number];
    const middle = await spent(db, () => record(ctx, ids[1]!, variantIds, '2022-09-27', 1));
    const changes = await changed(db, ctx, ids[1]!, variantIds);
    average ??= changes;
    const [ofChange, ofDeletion] = changes.map(
      (millis, i) => `${millis.toFixed(2)} ms (${(millis / average![i]!).toFixed(1)} × AVERAGE)`,
    );
    say(
      `${costBasis.padEnd(14)} at the end: ${small.toFixed(2)} ms of ${SIZES[0]}, ${large.toFixed(2)} ms of ${SIZES[1]} ` +
        `(${(large / small).toFixed(2)} ×); in the middle ${middle.toFixed(0)} ms; ` +
        `a change of the last ${ofChange}, its deletion ${ofDeletion}; ` +
        `the preference ${change.toFixed(0)} ms (${changedMillis.toFixed(0)} ms on the clock)`,
    );
  }
  await db.close();
} finally {
  await server.stop();
}
