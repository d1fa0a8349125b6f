import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenDatabase } from '../../src/db/client.ts';
import { openDatabase } from '../../src/db/open.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { addDays } from '../../src/domain/dates.ts';
import type { IndexWeighting } from '../../src/domain/market-index.ts';
import { loadShippedData } from '../../src/first-run.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { recomputeIndexes } from '../../src/services/market/indexes.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { getMarketIndex } from '../../src/services/market-index.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { median } from './database.ts';
import { copyVariants, fillPriceDays } from './price-days.ts';

/**
 * Market indexes over three years of prices that change on every third day: what an import spends on them, of all days and of one more,
 * for how long it holds the loop, and what reading one takes. 40,000 variants on PostgreSQL, or with `--embedded` those of
 * the catalogue. `npx tsx test/bench/market-index.ts [--embedded]`
 */
const VARIANTS = 40_000;
const DAYS = 3 * 365;
const NEWEST = '2026-04-12';
const NOW = new Date('2026-04-13T10:00:00Z');
const READS = 9;
const isEmbedded = process.argv.includes('--embedded');

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Milliseconds of processor time; the embedded database is in this process. */
async function spent(db: OpenDatabase, work: () => Promise<unknown>): Promise<string> {
  const postmaster = isEmbedded ? null : await postmasterOf(db);
  const ofDatabase = () => (postmaster === null ? 0 : cpuSecondsOfFamily(postmaster) * 1000);
  const [used, before] = [process.cpuUsage(), ofDatabase()];
  await work();
  const { user, system } = process.cpuUsage(used);
  const [own, database] = [(user + system) / 1000, ofDatabase() - before];
  return `${(own + database).toFixed(0)} ms (node ${own.toFixed(0)}, PostgreSQL ${database.toFixed(0)})`;
}

/** The longest turn of the event loop meanwhile, in milliseconds of processor time: others may keep the clock waiting. */
function watched(): () => number {
  let longest = 0;
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, (user + system) / 1000);
    used = process.cpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

async function made(db: OpenDatabase): Promise<void> {
  const longestTurn = watched();
  const time = await spent(db, () =>
    db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await recomputeIndexes(tx);
    }),
  );
  const turn = longestTurn();
  const [size] = await db.query<{ rows: number; megabytes: number }>(
    `select count(*)::integer as rows, (pg_total_relation_size('index_day') / 1048576)::integer as megabytes from index_day`,
  );
  say(
    `  ${time}; a turn of the loop took ${turn.toFixed(0)} ms at most; ${size!.rows} rows, ${size!.megabytes} MB`,
  );
}

async function measure(db: OpenDatabase): Promise<void> {
  if (!isEmbedded) await copyVariants(db);
  const changes = await fillPriceDays(db, { variants: VARIANTS, days: DAYS, newest: NEWEST, everyDays: 3 });
  await db.query(
    `update market_data set newest_day = $1::date, revision = revision + 1 where kind in ('prices', 'market-index')`,
    [NEWEST],
  );
  await db.query(`update market_data set version = 'none' where kind = 'market-index'`);
  say(`${changes} changes of price; all days:`);
  await made(db);
  for (let day = 1; day <= 2; day++) {
    await db.query(
      `update price_year set days = days || date '${addDays(NEWEST, day)}', currencies = currencies || text 'USD',
         amounts = amounts || amounts[cardinality(amounts)] * 1.01
       where year = 2026 and hashtext(variant_id) % 3 = 0`,
    );
    await db.query(
      `update market_data set newest_day = $1::date, revision = revision + 1 where kind = 'prices'`,
      [addDays(NEWEST, day)],
    );
    say('the days from the newest before on:');
    await made(db);
  }
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
  const ctx = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW };
  const ranges = [
    { from: '2025-04-14', to: '2026-04-13', interval: 'Day' },
    { from: '2023-04-14', to: '2026-04-13', interval: 'Month' },
  ] as const;
  for (const weighting of ['Price', 'Equal'] as readonly IndexWeighting[]) {
    for (const range of ranges) {
      const times: number[] = [];
      for (let i = 0; i < READS; i++) {
        const read = await spent(db, async () => {
          for (let n = 0; n < 10; n++) await getMarketIndex(ctx, { set: 'WTR', weighting, ...range });
        });
        times.push(Number.parseInt(read, 10) / 10);
      }
      say(`${weighting}, ${range.from} by ${range.interval.toLowerCase()}: ${median(times).toFixed(1)} ms`);
    }
  }
}

if (isEmbedded) {
  const dataDir = await mkdtemp(join(tmpdir(), 'market-index-'));
  const db = await openDatabase({ databaseUrl: null, dataDir, onProgress: () => {} });
  await loadShippedData(db, { samplesSince: NEWEST, today: NEWEST, progress: noProgress });
  await measure(db);
  await db.close();
  await rm(dataDir, { recursive: true });
} else {
  const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  try {
    const db = postgresDatabase((await loadedPostgresUrl(server.url)).url);
    await measure(db);
    await db.close();
  } finally {
    await server.stop();
  }
}
