import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { importPrices } from '../support/import-prices.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Filler, type Owner } from './compare/fill.ts';
import { maintain, median, PLAIN_LOG, walBytes } from './database.ts';

/**
 * An import of 40,000 prices beside 1,000,000 holdings, and beside none: in two databases of one server, in turns. First
 * the time of the import and what it writes to the log, nothing else going on: at most 1.1 times as much beside holdings.
 * Then how long readers and writers of those ledgers wait for an answer at most, while an import goes on and for two seconds
 * afterwards, over what they wait for in as much time without one: at most 50 ms.
 *
 * The log is without images of pages, checkpoints and autovacuum; both databases are vacuumed, and a checkpoint is made,
 * before each import. An import is a process of its own, as it is in production.
 */
const SCALE = Number(process.argv[2] ?? 1);
const PRICES = Math.round(40_000 * SCALE);
const ACCOUNTS = Math.ceil(200 * SCALE);
const HOLDINGS_PER_ACCOUNT = 5_000;
const ROUNDS = 3;
const AFTERWARDS_MILLIS = 2000;

/** The day of the first import; each is of a day of its own, and changes every price. */
const FIRST_DAY = Date.parse('2026-04-14');

interface Imported {
  millis: number;
  bytes: number;
}

/** What the process of an import is told. */
interface Order {
  url: string;
  round: number;
}

async function importOnce({ url, round }: Order): Promise<Imported> {
  const db = postgresDatabase(url);
  // Those that are held come first: copies have longer ids.
  const variants = await db.query<{ id: string }>(
    `select id from variant order by length(id), id limit ${PRICES}`,
  );
  const rows = variants.map(({ id: variantId }, i) => ({
    variantId,
    currency: 'USD',
    amount: ((i % 9000) / 100 + round).toFixed(2),
  }));
  const day = new Date(FIRST_DAY + round * 86_400_000).toISOString().slice(0, 10);
  const before = await walBytes(db);
  const start = performance.now();
  await importPrices(db, rows, day, { version: `round ${round}`, isSample: false }, noProgress);
  const millis = performance.now() - start;
  const bytes = (await walBytes(db)) - before;
  await db.close();
  return { millis, bytes };
}

async function importInProcess(order: Order): Promise<Imported> {
  const env = { ...process.env, PRICE_IMPORT: JSON.stringify(order) };
  const child = fork(import.meta.filename, process.argv.slice(2), { env });
  let imported: Imported | undefined;
  child.once('message', (message) => {
    imported = message as Imported;
  });
  await once(child, 'exit');
  if (!imported) throw new Error('The import failed.');
  return imported;
}

/** The catalogue has fewer variants: the rest are copies of it. */
const COPY_VARIANTS = `
  insert into variant (id, product_id, name, position, fc_id, set_code, edition, finish, rarity, is_expansion_slot)
  select v.id || 'c' || n, v.product_id, v.name || ' copy ' || n, v.position + 100 * n, v.fc_id || '-c' || n, 'XXX', v.edition,
    v.finish, v.rarity, v.is_expansion_slot
  from variant v, generate_series(1, 2) n`;

/** Calls `work` over and over until stopped; gives the longest time that a call took. */
function watch(work: (i: number) => Promise<unknown>) {
  let isRunning = true;
  const longest = (async () => {
    let most = 0;
    for (let i = 0; isRunning; i++) {
      const start = performance.now();
      await work(i);
      most = Math.max(most, performance.now() - start);
      await sleep(5);
    }
    return most;
  })();
  return async () => {
    isRunning = false;
    return longest;
  };
}

interface Waits {
  read: number;
  write: number;
}

/** The longest read and the longest write, of all accounts in turn, while `during` goes on. */
async function longestWaits(
  db: OpenDatabase,
  { owners, variants }: Ledgers,
  during: () => Promise<unknown>,
): Promise<Waits> {
  const contextOf = ({ accountId }: Owner): Context => ({
    db,
    caller: { accountId, clientId: 'cli_benchmark' },
    now: () => new Date(),
  });
  const stopReads = watch((i) => {
    const owner = owners[i % owners.length]!;
    return getCollection(contextOf(owner), owner.collectionIds[0]!);
  });
  const stopWrites = watch((i) => {
    const owner = owners[(i * 31) % owners.length]!;
    return createTransaction(contextOf(owner), owner.collectionIds[0]!, {
      variantId: variants[i % variants.length]!,
      occurredDate: '2026-02-01',
      action: 'Purchase',
      quantity: 1,
      // Those that are converted wait for the commit of an import.
      unitAmount: { currency: i % 2 === 0 ? 'USD' : 'EUR', value: 1 },
    });
  });
  await during();
  const [read, write] = await Promise.all([stopReads(), stopWrites()]);
  return { read, write };
}

interface Ledgers {
  owners: Owner[];
  variants: string[];
}

async function fillLedgers(url: string): Promise<Ledgers> {
  const db = postgresDatabase(url);
  const filler = new Filler(db);
  const owners: Owner[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const part = { collections: 1, transactions: HOLDINGS_PER_ACCOUNT, variants: HOLDINGS_PER_ACCOUNT };
    owners.push(await filler.add(`Benchmark ${i}`, part));
  }
  const variants = await db.query<{ id: string }>(
    'select id from variant order by length(id), id limit 1000',
  );
  await db.close();
  return { owners, variants: variants.map(({ id }) => id) };
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const KINDS = ['without', 'with'] as const;
type Urls = Record<(typeof KINDS)[number], string>;

async function compareImports(urls: Urls, superuserUrl: string): Promise<void> {
  const imports = { without: [] as Imported[], with: [] as Imported[] };
  // The first, of which nothing is kept, ends the made-up prices.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
      for (const url of Object.values(urls)) await maintain(url, 'vacuum analyze');
      await maintain(superuserUrl, 'checkpoint');
      const imported = await importInProcess({ url: urls[kind], round });
      if (round > 0) imports[kind].push(imported);
    }
  }
  for (const [name, figure, unit] of [
    ['time', 'millis', 1000],
    ['write-ahead log', 'bytes', 1e6],
  ] as const) {
    const of = (kind: keyof Urls) => imports[kind].map((imported) => imported[figure] / unit);
    const [without, beside] = [of('without'), of('with')];
    const shown = (values: number[]) => values.map((value) => value.toFixed(2)).join(', ');
    const ratio = median(beside) / median(without);
    say(
      `${name} (${unit === 1000 ? 's' : 'MB'}): beside none ${shown(without)}; beside holdings ${shown(beside)};`,
    );
    say(`  ratio of the medians ${ratio.toFixed(3)} (wanted 1.1 at most)`);
  }
}

async function compareWaits(url: string, superuserUrl: string, ledgers: Ledgers): Promise<void> {
  const db = postgresDatabase(url);
  // What is compiled and cached the first time is no part of it.
  await longestWaits(db, ledgers, () => sleep(AFTERWARDS_MILLIS));
  const beside: Waits[] = [];
  const alone: Waits[] = [];
  for (let round = ROUNDS + 1; round <= 2 * ROUNDS; round++) {
    await maintain(url, 'vacuum');
    await maintain(superuserUrl, 'checkpoint');
    const start = performance.now();
    beside.push(
      await longestWaits(db, ledgers, async () => {
        await importInProcess({ url, round });
        await sleep(AFTERWARDS_MILLIS);
      }),
    );
    const millis = performance.now() - start;
    alone.push(await longestWaits(db, ledgers, () => sleep(millis)));
  }
  for (const name of ['read', 'write'] as const) {
    const shown = (waits: Waits[]) => waits.map((wait) => wait[name].toFixed(0)).join(', ');
    const more = median(beside.map((wait) => wait[name])) - median(alone.map((wait) => wait[name]));
    say(`longest ${name} (ms): alone ${shown(alone)}; beside an import ${shown(beside)};`);
    say(`  ${more.toFixed(0)} more by the medians (wanted 50 at most)`);
  }
  const start = performance.now();
  const { differences } = await diagnose(db, { fix: false });
  say(`doctor: ${differences.length} differences, ${((performance.now() - start) / 1000).toFixed(1)} s`);
  await db.close();
}

async function main(): Promise<void> {
  const server = await startPostgres({ settings: { shared_buffers: '1GB', ...PLAIN_LOG } });
  try {
    const urls: Urls = {
      without: (await loadedPostgresUrl(server.url)).url,
      with: (await loadedPostgresUrl(server.url)).url,
    };
    for (const url of Object.values(urls)) await maintain(url, COPY_VARIANTS);
    const ledgers = await fillLedgers(urls.with);
    say(`${PRICES} prices; ${ACCOUNTS * HOLDINGS_PER_ACCOUNT} holdings of ${ACCOUNTS} accounts, or none`);
    await compareImports(urls, server.superuserUrl);
    await compareWaits(urls.with, server.superuserUrl, ledgers);
  } finally {
    await server.stop();
  }
}

const { PRICE_IMPORT } = process.env;
if (PRICE_IMPORT) process.send!(await importOnce(JSON.parse(PRICE_IMPORT)));
else await main();
