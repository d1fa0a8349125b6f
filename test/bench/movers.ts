import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import type { Direction, MoverMeasure, Period } from '../../src/domain/movers.ts';
import { heldCatalogue, marketChanged } from '../../src/memory/memory.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getMarketMovers, getMovers } from '../../src/services/collections/movers.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { NOW } from '../support/clock.ts';
import { entry } from '../support/furnished.ts';
import { loadedPglite, loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { fillPriceDays } from './price-days.ts';

/**
 * The processor time, of this process and of the database's, that movers take: of 1,000 held variants and of the whole catalogue,
 * which is kept once it was asked for, over three years of prices that change on every third day. On PostgreSQL, or with `--embedded` on the embedded database.
 * `npx tsx test/bench/movers.ts [--embedded]`
 */
const isEmbedded = process.argv.includes('--embedded');
const HELD = 1000;
const DAYS = 3 * 365;
const TIMES = 10;
const CLOCK_TICKS_A_SECOND = 100;
const PERIODS = ['Day', 'Week', 'Month', 'Year'] as const;

/** The embedded database is in this process. */
async function databaseSeconds(db: OpenDatabase): Promise<number> {
  if (isEmbedded) return 0;
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((a, b) => a + b, 0) / CLOCK_TICKS_A_SECOND;
}

async function measure(db: OpenDatabase, write: (line: string) => void): Promise<void> {
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
  const ctx: Context = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW };
  const variants = await db.query<{ id: string }>(`select id from variant order by md5(id) limit ${HELD}`);
  const { id } = await createCollection(ctx, { name: 'Held' });
  await createTransactions(ctx, id, variants.map((variant) => entry(variant.id)) as never);
  const millis = async (work: () => Promise<unknown>, before: () => Promise<unknown> = async () => {}) => {
    let [own, database] = [0, 0];
    for (let i = 0; i <= TIMES; i++) {
      await before();
      const ofDatabase = await databaseSeconds(db);
      const used = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(used);
      const seconds = (await databaseSeconds(db)) - ofDatabase;
      // The first one plans and compiles.
      if (i === 0) continue;
      own += (user + system) / 1000 / TIMES;
      database += (seconds * 1000) / TIMES;
    }
    return `${(own + database).toFixed(1)} ms (${own.toFixed(1)} here, ${database.toFixed(1)} of the database)`;
  };
  /** As after an import: another catalogue, of which nothing is kept. */
  const anotherMarket = async () => {
    await db.query(`update market_data set revision = revision + 1 where kind = 'pull-rates'`);
    marketChanged(db);
    await heldCatalogue(ctx);
    // What reading that has left behind is collected by then: it takes threads of this process some 10 ms.
    await sleep(300);
  };
  const by: MoverMeasure = 'Percentage';
  const direction: Direction = 'Gain';
  for (const period of PERIODS as readonly Period[]) {
    const asked = { period, by, direction };
    write(`${period}, ${HELD} held: ${await millis(() => getMovers(ctx, [id], asked, 50))}`);
    await heldCatalogue(ctx);
    write(`${period}, the catalogue, hot: ${await millis(() => getMarketMovers(ctx, asked, 50))}`);
    write(
      `${period}, the catalogue, cold: ${await millis(() => getMarketMovers(ctx, asked, 50), anotherMarket)}`,
    );
    const bare = () => db.transaction((tx) => getMarketMovers({ ...ctx, db: tx }, asked, 50));
    write(`${period}, the catalogue, by a statement alone: ${await millis(bare)}`);
  }
}

async function fillAndMeasure(db: OpenDatabase): Promise<void> {
  await fillPriceDays(db, { days: DAYS, newest: '2026-04-13', everyDays: 3 });
  await db.query('analyze');
  marketChanged(db);
  // biome-ignore lint/suspicious/noConsole: the result of the program
  await measure(db, (line) => console.log(line));
  await db.close();
}

if (isEmbedded) {
  await fillAndMeasure(await loadedPglite());
} else {
  const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  try {
    await fillAndMeasure(postgresDatabase((await loadedPostgresUrl(server.url)).url));
  } finally {
    await server.stop();
  }
}
