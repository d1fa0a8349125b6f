import { type OpenDatabase, postgresDatabase } from '../../src/db/client.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getValueHistory } from '../../src/services/collections/history.ts';
import { importPrices } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * Three years of prices of 40,000 variants, each changing on every third day: the size of the history, the time of the
 * next day's import, and of the history of a collection, against a database with one day of prices.
 */
const VARIANTS = 40_000;
const DAYS = 3 * 365;
const HELD = [100, 1000, 5000];
const NOW = new Date('2026-04-13T10:00:00Z');

async function fillVariants(db: OpenDatabase): Promise<string[]> {
  await db.query(
    `insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
     select v.id || 'c' || n, v.product_id, v.name || ' copy ' || n, v.position + 100 * n, v.fc_id || '-c' || n, 'XXX', v.edition,
       v.finish, v.rarity, v.is_expansion_slot
     from variant v, generate_series(1, 2) n`,
  );
  const rows = await db.query<{ id: string }>(`select id from variant order by id limit ${VARIANTS}`);
  return rows.map(({ id }) => id);
}

/** A day at a time, as imports would have written it. */
async function fillHistory(db: OpenDatabase): Promise<void> {
  for (let start = 0; start < DAYS; start += 73) {
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query(
        `insert into price_history (variant_id, source, day, currency, amount)
         select v.id, 'VendorMarket', date '2026-04-12' - (${DAYS} - d), 'USD', round((v.n % 900 + d % 37)::numeric / 100 + 0.05, 2)
         from (select id, row_number() over (order by id) as n from (select id from variant order by id limit ${VARIANTS}) one) v,
           generate_series(${start}, ${Math.min(start + 72, DAYS - 1)}) d
         where (v.n + d) % 3 = 0
         on conflict do nothing`,
      );
    });
  }
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return `${times.sort((a, b) => a - b)[2]!.toFixed(0)} ms`;
}

async function measure(db: OpenDatabase, write: (line: string) => void): Promise<void> {
  const variants = await fillVariants(db);
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW };
  const collections: [number, string][] = [];
  for (const held of HELD) {
    const { id } = await createCollection(ctx, { name: `${held} variants` });
    for (let start = 0; start < held; start += 1000) {
      const unitAmount = { currency: 'USD' as const, value: 1 };
      const entries = variants.slice(start, Math.min(start + 1000, held)).map((variantId) => {
        return {
          variantId,
          occurredDate: '2023-06-01',
          action: 'Purchase' as const,
          quantity: 1,
          unitAmount,
        };
      });
      await createTransactions(ctx, id, entries);
    }
    collections.push([held, id]);
  }
  const histories = async (label: string) => {
    for (const [held, id] of collections) {
      const month = { from: '2023-05-01', to: '2026-04-13', interval: 'Month' as const };
      const day = { from: '2025-04-14', to: '2026-04-13', interval: 'Day' as const };
      const byMonth = await timed(() => getValueHistory(ctx, [id], month));
      const byDay = await timed(() => getValueHistory(ctx, [id], day));
      write(`${label}, ${held} variants held: three years by month ${byMonth}, a year by day ${byDay}`);
    }
  };
  await db.query('analyze');
  await histories('one day of prices');
  const start = performance.now();
  await fillHistory(db);
  await db.query('analyze price_history');
  const [size] = await db.query<{ rows: number; megabytes: number }>(
    `select (select count(*) from price_history) as rows, pg_total_relation_size('price_history') / 1048576 as megabytes`,
  );
  write(
    `history: ${size!.rows} rows, ${size!.megabytes} MB, filled in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  await histories('three years');
  const rows = variants.map((variantId, i) => ({
    variantId,
    currency: 'USD',
    amount: ((i % 900) / 100 + 0.07).toFixed(2),
  }));
  const importStart = performance.now();
  await importPrices(db, rows, '2026-04-14', { version: 'next day', isSample: false }, noProgress);
  write(`import of the next day: ${((performance.now() - importStart) / 1000).toFixed(1)} s`);
}

const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
try {
  const db = postgresDatabase((await loadedPostgresUrl(server.url)).url);
  // biome-ignore lint/suspicious/noConsole: the result of the program
  await measure(db, (line) => console.log(line));
  await db.close();
} finally {
  await server.stop();
}
