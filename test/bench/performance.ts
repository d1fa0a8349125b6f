import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getValueHistory } from '../../src/services/collections/history.ts';
import { getPerformances } from '../../src/services/collections/performance.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { median } from './database.ts';
import { fillPriceDays } from './price-days.ts';

/**
 * The processor time, of node and of PostgreSQL, of the performance of a collection of 1,000 variants over three years, with
 * 4,000 transactions on 500 days in three currencies, where each price changes every third day, and where it changes every day.
 * Cold is the first call of a process and its connection, hot the median of the next ones; 400 ms are wanted. Also histories of the same.
 */
const VARIANTS = 1000;
const DAYS = 3 * 365;
const HOT_CALLS = 9;
const NOW = new Date('2026-04-13T10:00:00Z');
const RANGE = { from: '2023-04-14', to: '2026-04-13' };
const say = (line: string) => process.stdout.write(`${line}\n`);

const dayOf = (n: number) => new Date(Date.parse(RANGE.from) + n * 86_400_000).toISOString().slice(0, 10);

async function fillLedger(db: OpenDatabase) {
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW };
  const { id } = await createCollection(ctx, { name: 'Three years' });
  const variants = await db.query<{ id: string }>(`select id from variant order by id limit ${VARIANTS}`);
  const entries = variants.flatMap(({ id: variantId }, i) =>
    Array.from({ length: 4 }, (_, n) => ({
      variantId,
      occurredDate: dayOf(((i * 7 + n * 311) % 500) * 2),
      action: n === 3 ? ('Sale' as const) : ('Purchase' as const),
      quantity: 1 + ((i + n) % 3),
      unitAmount: {
        currency: (['USD', 'EUR', 'JPY'] as const)[(i + n) % 3]!,
        value: 1 + ((i * 13) % 900) / 10,
      },
    })),
  );
  for (let start = 0; start < entries.length; start += 1000)
    await createTransactions(ctx, id, entries.slice(start, start + 1000));
  return { accountId, id };
}

/** Milliseconds of node and of PostgreSQL, with all that either does meanwhile. */
async function processorTime(postmaster: number, work: () => Promise<unknown>): Promise<[number, number]> {
  const [own, postgres] = [process.cpuUsage(), cpuSecondsOfFamily(postmaster)];
  await work();
  const { user, system } = process.cpuUsage(own);
  return [(user + system) / 1000, (cpuSecondsOfFamily(postmaster) - postgres) * 1000];
}

const shown = ([node, postgres]: readonly [number, number]) =>
  `${(node + postgres).toFixed(0)} ms (node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)})`;

async function measure(url: string, owner: { accountId: string; id: string }): Promise<void> {
  const db = postgresDatabase(url);
  const ctx = { db, caller: { accountId: owner.accountId, clientId: 'cli_benchmark' }, now: () => NOW };
  const postmaster = await postmasterOf(db);
  const kinds: [name: string, work: () => Promise<unknown>][] = [
    ['performance over three years', () => getPerformances(ctx, [owner.id], RANGE)],
    [
      'history of three years by month',
      () => getValueHistory(ctx, [owner.id], { ...RANGE, interval: 'Month' }),
    ],
    [
      'history of a year by day',
      () => getValueHistory(ctx, [owner.id], { from: '2025-04-14', to: RANGE.to, interval: 'Day' }),
    ],
    [
      'history of 30 days',
      () => getValueHistory(ctx, [owner.id], { from: '2026-03-15', to: RANGE.to, interval: 'Day' }),
    ],
  ];
  for (const [name, work] of kinds) {
    const cold = await processorTime(postmaster, work);
    const hot: [number, number][] = [];
    for (let call = 0; call < HOT_CALLS; call++) hot.push(await processorTime(postmaster, work));
    const middle = [median(hot.map(([node]) => node)), median(hot.map(([, postgres]) => postgres))] as const;
    say(`  ${name}: first ${shown(cold)}, then ${shown(middle)}`);
  }
  await db.close();
}

const server = await startPostgres({
  settings: { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'off' },
});
try {
  const { url } = await loadedPostgresUrl(server.url);
  const db = postgresDatabase(url);
  const owner = await fillLedger(db);
  for (const everyDays of [3, 1]) {
    const changes = await fillPriceDays(db, {
      variants: VARIANTS,
      days: DAYS + 1,
      newest: RANGE.to,
      everyDays,
    });
    await db.query('analyze');
    say(
      `${VARIANTS} variants, ${changes} changes of price, every ${everyDays === 1 ? 'day' : `${everyDays} days`}`,
    );
    await measure(url, owner);
  }
  await db.close();
} finally {
  await server.stop();
}
