import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getValueHistory } from '../../src/services/collections/history.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { importPrices } from '../support/import-prices.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { copyVariants, fillPriceDays } from './price-days.ts';

/**
 * Three years of prices of 40,000 variants, each changing on every third day: the size of the history, the time of the
 * next days' imports, of the history of a collection, against a database with one day of prices, and of one variant's.
 */
const VARIANTS = 40_000;
const DAYS = 3 * 365;
const HELD = [100, 1000, 5000];
const IMPORTS = 5;
const NOW = new Date('2026-04-13T10:00:00Z');

async function fillVariants(db: OpenDatabase): Promise<string[]> {
  await copyVariants(db);
  const rows = await db.query<{ id: string }>(`select id from variant order by id limit ${VARIANTS}`);
  return rows.map(({ id }) => id);
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    try {
      await work();
    } catch (error) {
      if (error instanceof DomainError && error.problem === 'Unavailable') return 'too long';
      throw error;
    }
    times.push(performance.now() - start);
  }
  return `${times.sort((a, b) => a - b)[2]!.toFixed(1)} ms`;
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
      const week = { ...month, interval: 'Week' as const };
      const times = [];
      for (const range of [month, week, day])
        times.push(await timed(() => getValueHistory(ctx, [id], range)));
      write(
        `${label}, ${held} variants held: three years by month ${times[0]}, by week ${times[1]}, a year by day ${times[2]}`,
      );
    }
  };
  await db.query('analyze');
  await histories('one day of prices');
  const start = performance.now();
  await fillPriceDays(db, { variants: VARIANTS, days: DAYS, newest: '2026-04-11', everyDays: 3 });
  const size = () =>
    db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await tx.query('analyze price_year');
      const [row] = await tx.query<{ years: number; changes: number; megabytes: number }>(
        `select count(*) as years, sum(cardinality(days)) as changes, pg_total_relation_size('price_year') / 1048576 as megabytes
         from price_year`,
      );
      return `${row!.changes} changes in ${row!.years} rows, ${row!.megabytes} MB`;
    });
  const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  write(`history: ${await size()}, filled in ${seconds(start)}`);
  await histories('three years');
  const ofVariant = 'select day, amount from price_history where variant_id = $1 order by day';
  write(`history of one variant: ${await timed(() => db.query(ofVariant, [variants[7]!]))}`);
  for (let day = 0; day < IMPORTS; day++) {
    // The first import replaces all prices of the sample, the next ones a third of them.
    const rows = variants.map((variantId, i) => ({
      variantId,
      currency: 'USD',
      amount: ((i % 900) / 100 + 0.07 + Math.floor((i + day) / 3)).toFixed(2),
    }));
    const importStart = performance.now();
    const summary = await importPrices(
      db,
      rows,
      `2026-04-${14 + day}`,
      { version: `day ${day}`, isSample: true },
      noProgress,
    );
    write(`import of a day, ${summary.added + summary.changed} prices changed: ${seconds(importStart)}`);
  }
  write(`history: ${await size()}`);
  await histories('and the next days');
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
