import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { COST_BASES } from '../../src/domain/cost-basis.ts';
import type { KeyCursor } from '../../src/domain/pagination.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { countSales, getSales } from '../../src/services/collections/sales.ts';
import { getSalesCsv } from '../../src/services/collections/sales-csv.ts';
import type { Context } from '../../src/services/context.ts';
import { NOW } from '../support/clock.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * The processor time, of this process and of the database's, that pages of the sales of a year and their CSV take, the points that they
 * are charged, and the longest turn of the event loop: 50,000 transactions of a year, every second one a sale, of
 * 5,000 variants or of one. `npx tsx test/bench/sales.ts`
 */
const TRANSACTIONS = 50_000;
const CLOCK_TICKS_A_SECOND = 100;

async function databaseMillis(db: OpenDatabase): Promise<number> {
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return (ticks.reduce((a, b) => a + b, 0) * 1000) / CLOCK_TICKS_A_SECOND;
}

async function fill(ctx: Context, collectionId: string, variants: number): Promise<void> {
  const { accountId } = ctx.caller;
  await ctx.db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       select $1, 'txn_' || $4 || lpad(n::text, 20, '0'), $2, v.id, date '2025-01-01' + n * 365 / ${TRANSACTIONS},
         case n / $3::integer % 2 when 0 then 'Purchase' else 'Sale' end, 1, 1 + n % 700, 'USD', 1
       from generate_series(0, ${TRANSACTIONS - 1}) n
       join (select id, row_number() over (order by id) - 1 as nth from variant limit $3::integer) v on v.nth = n % $3::integer`,
      [accountId, collectionId, variants, collectionId.slice(4, 10)],
    );
    await tx.query(
      `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
       select account_id, collection_id, variant_id, count(*), sum(quantity) filter (where action = 'Purchase'),
         sum(quantity * unit_amount) filter (where action = 'Purchase'), sum(quantity) filter (where action = 'Sale'),
         sum(quantity * unit_amount) filter (where action = 'Sale')
       from transaction where account_id = $1 and collection_id = $2 group by 1, 2, 3`,
      [accountId, collectionId],
    );
    await tx.query(
      'update collection set transaction_count = $3::integer where account_id = $1 and id = $2',
      [accountId, collectionId, TRANSACTIONS],
    );
  });
  await ctx.db.query('analyze');
}

async function measure(db: OpenDatabase, write: (line: string) => void): Promise<void> {
  for (const variants of [5000, 1]) {
    const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
    let points = 0;
    const charge = (more: number) => {
      points += more;
    };
    const ctx: Context = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW, charge };
    const { id } = await createCollection(ctx, { name: 'Sold' });
    await fill(ctx, id, variants);
    const timed = async (name: string, work: () => Promise<unknown>) => {
      await work();
      points = 0;
      const before = await databaseMillis(db);
      const used = process.cpuUsage();
      const loop = monitorEventLoopDelay({ resolution: 1 });
      loop.enable();
      await work();
      loop.disable();
      const { user, system } = process.cpuUsage(used);
      const database = (await databaseMillis(db)) - before;
      const own = (user + system) / 1000;
      write(
        `${variants} variants, ${name}: ${(own + database).toFixed(0)} ms (${own.toFixed(0)} here, ${database.toFixed(0)} of the database), ${points} points, turns of ${(loop.max / 1e6).toFixed(0)} ms at most`,
      );
    };
    const request = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;
    await timed('their number', () => countSales(ctx, id, 2025));
    for (const basis of COST_BASES) {
      await timed(`${basis}, the first page`, () => getSales(ctx, id, 2025, basis, request));
      await timed(`${basis}, the last page`, () =>
        getSales(ctx, id, 2025, basis, { ...request, fromEnd: true }),
      );
    }
    const first = await getSales(ctx, id, 2025, 'Fifo', { ...request, size: 200 });
    const after: KeyCursor = first.keyOf(first.items.length - 1);
    await timed('Fifo, the page behind 200', () => getSales(ctx, id, 2025, 'Fifo', { ...request, after }));
    await timed('Fifo, all of the CSV', async () => {
      for (let part = await getSalesCsv(ctx, id, 2025, 'Fifo', null); part.endCursor !== null; )
        part = await getSalesCsv(ctx, id, 2025, 'Fifo', part.endCursor);
    });
  }
}

const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
try {
  const db = postgresDatabase((await loadedPostgresUrl(server.url)).url, undefined, 60_000);
  // biome-ignore lint/suspicious/noConsole: the result of the program
  await measure(db, (line) => console.log(line));
  await db.close();
} finally {
  await server.stop();
}
