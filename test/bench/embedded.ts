import type { PGlite } from '@electric-sql/pglite';
import { type Database, type Param, pgliteDatabase } from '../../src/db/client.ts';
import { asText, DATE, INT8, TIMESTAMP, TIMESTAMPTZ } from '../../src/db/connection.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { summariesOf, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { loadedDump } from '../support/loaded-databases.ts';
import { freshPglite } from '../support/pglite-template.ts';

/**
 * What statements of the embedded database cost when they are prepared, against PGlite's own `query`, which prepares
 * nothing: processor time of the whole process, garbage collection included, taken in turns in one run, on a database in
 * memory. Takes some 20 seconds of processor time.
 */
const ROUNDS = 5;
const CALLS = 150;
const VARIANTS = 1000;
const NOW = new Date('2026-04-13T10:00:00Z');

/** The same database, whose statements go to PGlite's own `query`. */
function unprepared(db: Database, pglite: PGlite): Database {
  const parsers = { [DATE]: asText, [TIMESTAMP]: asText, [TIMESTAMPTZ]: asText, [INT8]: Number };
  const query = async <Row>(text: string, params: readonly Param[] = []) =>
    (await pglite.query<Row>(text, [...params], { parsers })).rows;
  return Object.assign(Object.create(db) as Database, { query, hot: query });
}

const entry = (variantId: string) => ({
  variantId,
  occurredDate: '2026-01-31',
  action: 'Purchase' as const,
  quantity: 2,
  unitAmount: { currency: 'USD' as const, value: 1.25 },
});

type Work = (ctx: Context) => Promise<unknown>;

async function newWork(ctx: Context): Promise<Record<string, Work>> {
  const rows = await ctx.db.query<{ id: string }>(
    `select v.id from variant v join price p on p.variant_id = v.id
     where p.amount is not null order by v.id limit ${VARIANTS}`,
  );
  const { id } = await createCollection(ctx, { name: 'Benchmark' });
  await createTransactions(
    ctx,
    id,
    rows.map((row) => entry(row.id)),
  );
  await ctx.db.query('analyze');
  const firstPage = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;
  let created = 0;
  return {
    'create transaction': (on) => createTransaction(on, id, entry(rows[(created++ * 37) % VARIANTS]!.id)),
    'page of 50 summaries': (on) => summariesOf(on, id, null, summaryOrder('MarketValue'), firstPage),
    '50 variants, all columns': (on) => on.db.query('select * from variant order by id limit 50'),
    'small select': (on) =>
      on.db.query('select preferred_currency from account where account_id = $1', [ctx.caller.accountId]),
  };
}

/** Milliseconds of processor time of one call. */
async function cost(work: Work, ctx: Context): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) await work(ctx);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const pglite = await freshPglite(await loadedDump());
const db = pgliteDatabase(pglite);
const { accountId } = await createAccount(db, { name: 'Benchmark', now: NOW });
const prepared = { db, caller: { accountId, clientId: 'cli_benchmark' }, now: () => NOW };
const before = { ...prepared, db: unprepared(db, pglite) };
const table: Record<string, object> = {};
for (const [name, work] of Object.entries(await newWork(prepared))) {
  const [each, once]: [number[], number[]] = [[], []];
  // The first round warms both up.
  for (let round = 0; round <= ROUNDS; round++) {
    const turn = [await cost(work, before), await cost(work, prepared)] as const;
    if (round === 0) continue;
    each.push(turn[0]);
    once.push(turn[1]);
  }
  table[name] = {
    'PGlite’s query, ms': median(each).toFixed(3),
    'prepared, ms': median(once).toFixed(3),
    'times as quick': (median(each) / median(once)).toFixed(1),
  };
}
await db.close();
// biome-ignore lint/suspicious/noConsole: the result of the program
console.table(table);
