import { readFileSync } from 'node:fs';
import type { OpenDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { dateOf } from '../../src/domain/dates.ts';
import { loadShippedData } from '../../src/first-run.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { NOW } from '../support/clock.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { dumpOf } from '../support/pglite-template.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * What the exchange rates that ship add to a first start, on PostgreSQL and on the embedded database: seconds, and the
 * processor time of this process and of the database's.
 */
const CLOCK_TICKS_A_SECOND = 100;

/** Of the processes of the database that have a connection; the embedded one has none. */
async function databaseSeconds(db: OpenDatabase): Promise<number> {
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  return rows.reduce((sum, { pid }) => sum + ticksOf(pid), 0) / CLOCK_TICKS_A_SECOND;
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** On a database that holds nothing: as a first start comes to them, after the catalogue and the pull rates. */
async function measure(name: string, db: OpenDatabase): Promise<void> {
  const load = () => loadShippedData(db, { samplesSince: null, today: dateOf(NOW), progress: noProgress });
  const ofDatabase = async () => (name === 'PostgreSQL' ? databaseSeconds(db) : 0);
  await migrate(db);
  await db.query(
    `insert into market_data (kind, version, is_sample, revision) values ('rates', 'none yet', false, 1)`,
  );
  await load();
  await db.query(`delete from market_data where kind = 'rates'`);
  const before = await ofDatabase();
  const used = process.cpuUsage();
  const start = performance.now();
  await load();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(used);
  const database = (await ofDatabase()) - before;
  const [rates] = await db.query<{ count: number }>('select count(*) as count from fx_rate');
  // biome-ignore lint/suspicious/noConsole: the result of the program
  console.log(
    `${name}: ${rates!.count} rates in ${seconds.toFixed(2)} s; processor time ${((user + system) / 1e6).toFixed(2)} s here, ${database.toFixed(2)} s of the database's processes`,
  );
}

const server = await startPostgres();
try {
  const postgres = postgresDatabase(await emptyPostgresUrl(server.url));
  await measure('PostgreSQL', postgres);
  await postgres.close();
} finally {
  await server.stop();
}
await dumpOf((embedded) => measure('embedded', pgliteDatabase(embedded)));
