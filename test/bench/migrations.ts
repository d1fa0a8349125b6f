import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrate } from '../../src/db/migrate.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { projectPath } from '../../src/paths.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * What the migrations take on a large ledger, of a million transactions of 100 accounts, half of them converted, and three years of
 * prices of 15,000 variants, which change on every third day, with the exchange rates of as long: the seconds of each, and for how long at most somebody who writes one transaction after the other waits meanwhile.
 * `npx tsx test/bench/migrations.ts [first number] [transactions]`
 */
const FIRST = Number(process.argv[2] ?? 15);
const TRANSACTIONS = Number(process.argv[3] ?? 1_000_000);
const ACCOUNTS = 100;
const VARIANTS = 1000;
const PRICED = 15_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The migrations before a number, in a folder of their own. */
async function upTo(count: number, folder: string): Promise<string> {
  await cp(projectPath('migrations'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8'));
  const entries = journal.entries.slice(0, count);
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  return folder;
}

async function fill(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    set session_replication_role = 'replica';
    insert into product (id, name, number_key, image_url, description, set_code, set_name)
      select 'prd_' || n, 'Card ' || n, '~', '', '', 'WTR', 'Welcome' from generate_series(1, ${PRICED}) n;
    insert into variant (id, product_id, name, position, fc_id, set_code, finish, is_expansion_slot)
      select 'var_' || n, 'prd_' || n, 'Normal', 0, 'WTR' || n, 'WTR', 'Normal', false from generate_series(1, ${PRICED}) n;
    insert into account (account_id, name, preferred_currency, preferred_price_source, max_collections, max_valued_collections, created_at)
      select md5(n::text)::uuid, 'Account ' || n, 'USD', 'VendorMarket', 200, 20, now() from generate_series(1, ${ACCOUNTS}) n;
    insert into collection (account_id, id, name, currency, created_at)
      select md5(n::text)::uuid, 'col_' || n, 'Collection', 'USD', now() from generate_series(1, ${ACCOUNTS}) n;
    insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
      select md5((1 + n % ${ACCOUNTS})::text)::uuid, 'txn_' || lpad(n::text, 20, '0'), 'col_' || (1 + n % ${ACCOUNTS}),
        'var_' || (1 + (n / ${ACCOUNTS}) % ${VARIANTS}), date '2020-01-01' + (n % 2000)::integer, 'Purchase', 1, 1.5,
        case when n % 2 = 0 then 'USD' else 'EUR' end, case when n % 2 = 0 then 1 else 1.1684 end
      from generate_series(1, ${TRANSACTIONS}) n;
    insert into price_year (variant_id, source, year, days, currencies, amounts)
      select 'var_' || n, 'VendorMarket', extract(year from day), array_agg(day order by day), array_agg(text 'USD'),
        array_agg(round((1 + random() * 9)::numeric, 2))
      from generate_series(1, ${PRICED}) n, generate_series(0, 1094) d, lateral (select date '2023-04-15' + d as day) of_day
      where (n + d) % 3 = 0 group by n, extract(year from day);
    insert into price (variant_id, source, currency, amount, as_of)
      select 'var_' || n, 'VendorMarket', 'USD', 1.5, '2026-04-13' from generate_series(1, ${PRICED}) n;
    insert into market_data (kind, version, is_sample, newest_day, revision) values ('prices', 'benchmark', false, '2026-04-13', 1);
    insert into fx_rate (currency, day, per_euro)
      select 'X' || lpad(n::text, 2, '0'), date '2023-04-15' + d, 1.1 from generate_series(1, 29) n, generate_series(0, 1094) d`);
  await sql.unsafe('vacuum analyze');
}

/** Writes one after the other until it is told to end; gives the longest wait in milliseconds. */
async function written(url: string, isOver: () => boolean): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`set session_replication_role = 'replica'`);
  let longest = 0;
  for (let n = 0; !isOver(); n++) {
    const start = performance.now();
    await sql.unsafe(
      `insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
       values (md5('1')::uuid, 'txn_w' || $1, 'col_1', 'var_1', '2026-01-01', 'Purchase', 1, 1, 'EUR', 1.1)`,
      [`${performance.now()}-${n}`],
    );
    longest = Math.max(longest, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await sql.end();
  return longest;
}

const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } });
const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
try {
  const url = await emptyPostgresUrl(server.url);
  const db = postgresDatabase(url);
  const { entries } = JSON.parse(await readFile(projectPath('migrations/meta/_journal.json'), 'utf8'));
  await migrate(db, { folder: await upTo(FIRST, join(folder, 'first')), contract: true });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await fill(sql);
  await sql.end();
  for (let count = FIRST + 1; count <= entries.length; count++) {
    let isOver = false;
    const writer = written(url, () => isOver);
    const next = await upTo(count, join(folder, String(count)));
    const start = performance.now();
    await migrate(db, { folder: next, contract: true });
    const seconds = (performance.now() - start) / 1000;
    isOver = true;
    say(
      `${entries[count - 1].tag}: ${seconds.toFixed(2)} s; a writer waited ${(await writer).toFixed(0)} ms at most`,
    );
  }
  await db.close();
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
