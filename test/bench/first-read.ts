import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { importPrices } from '../support/import-prices.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Filler, type Owner } from './compare/fill.ts';
import { type RequestParts, sendOnce, wireRequest } from './compare/load.ts';
import {
  cpuSeconds,
  cpuSecondsOfFamily,
  postmasterOf,
  type RunningServer,
  startServer,
} from './compare/servers.ts';
import { bearer, graphql, NESTED, type Tokens, tokensOf } from './compare/workloads.ts';
import { maintain, median } from './database.ts';

/**
 * The first read after an import, which values what it shows, against an ordinary read of the same over the whole stack:
 * each of a few requests from accounts of their own with 5 collections of 300 variants, at most twice the ordinary one;
 * and the collections of an account with 200 of 5,000 variants, in at most 1.5 s. An import between all of it.
 */
const ACCOUNTS_EACH = 12;
const ROUNDS = Number(process.argv[2] ?? 4);
const ORDINARY_READS = 4;
/** Of an account that is not measured: the ordinary reads, too, come when the server has not just stood still for seconds. */
const READS_BEFORE = 30;
const FEW = { collections: 5, variants: 300 };
const MANY = { collections: 200, variants: Number(process.argv[3] ?? 5000) };
/** For a server to have read the new prices. */
const SETTLING_MILLIS = 3000;

const DASHBOARD = '{ viewer { dashboard { collectionCount marketValue { value } gain { value } } } }';
const COLLECTIONS = `query ($sort: CollectionSort) {
  collections(first: 100, sort: $sort) { nodes { id name marketValue { value } } } }`;

type Request = (owner: Owner) => RequestParts;

const REQUESTS: Record<string, Request> = {
  'REST, list of collections': () => ({ method: 'GET', path: '/collection' }),
  'REST, one collection': ({ collectionIds }) => ({ method: 'GET', path: `/collection/${collectionIds[0]}` }),
  'GraphQL nested, by value': () => graphql(NESTED, {}),
  'GraphQL dashboard': () => graphql(DASHBOARD, {}),
};

interface Stack {
  db: OpenDatabase;
  server: RunningServer;
  postmaster: number;
  tokens: Tokens;
}

/** Milliseconds until the answer. */
async function timed({ server, tokens }: Stack, owner: Owner, request: RequestParts): Promise<number> {
  const headers = { ...request.headers, ...bearer(tokens, owner.accountId) };
  const wire = wireRequest({ ...request, headers });
  const start = performance.now();
  const { status, body } = await sendOnce(server.port, wire);
  const millis = performance.now() - start;
  if (status !== 200 || body.includes('"errors"')) throw new Error(body.slice(0, 1000));
  return millis;
}

let imports = 0;

/** New prices of everything, each time of another day. */
async function importAll({ db }: Stack): Promise<void> {
  imports++;
  const prices = await db.query<{ id: string }>(
    'select variant_id as id from price where amount is not null order by id',
  );
  const rows = prices.map(({ id: variantId }, i) => ({
    variantId,
    currency: 'USD',
    amount: ((i % 9000) / 100 + imports).toFixed(2),
  }));
  const day = new Date(Date.parse('2026-04-14') + imports * 86_400_000).toISOString().slice(0, 10);
  await importPrices(db, rows, day, { version: `import ${imports}`, isSample: false }, noProgress);
  await sleep(SETTLING_MILLIS);
}

interface Batch {
  times: number[];
  /** Of the node and of PostgreSQL, for a request. */
  nodeMillis: number;
  databaseMillis: number;
}

async function batch(
  stack: Stack,
  owners: readonly Owner[],
  request: Request,
  repeats: number,
): Promise<Batch> {
  const cpu = () => [cpuSeconds(stack.server.pid), cpuSecondsOfFamily(stack.postmaster)] as const;
  const before = cpu();
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    for (const owner of owners) times.push(await timed(stack, owner, request(owner)));
  }
  const after = cpu();
  const each = (i: 0 | 1) => ((after[i] - before[i]) * 1000) / times.length;
  return { times, nodeMillis: each(0), databaseMillis: each(1) };
}

function shown(batches: readonly Batch[]): { millis: number; text: string } {
  const millis = median(batches.flatMap(({ times }) => times));
  const mean = (of: 'nodeMillis' | 'databaseMillis') =>
    (batches.reduce((sum, one) => sum + one[of], 0) / batches.length).toFixed(2);
  return { millis, text: `${millis.toFixed(2)} ms (CPU ${mean('nodeMillis')} + ${mean('databaseMillis')})` };
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function compareFew(stack: Stack, ownersOf: Map<string, Owner[]>): Promise<void> {
  const first = new Map<string, Batch[]>();
  const ordinary = new Map<string, Batch[]>();
  const into = (batches: Map<string, Batch[]>, name: string, one: Batch) =>
    batches.set(name, [...(batches.get(name) ?? []), one]);
  for (let round = 0; round <= ROUNDS; round++) {
    await importAll(stack);
    for (const [name, owners] of ownersOf) {
      const request = REQUESTS[name]!;
      const [other, ...measured] = owners;
      await batch(stack, [other!], request, READS_BEFORE);
      const firstReads = await batch(stack, measured, request, 1);
      const ordinaryReads = await batch(stack, measured, request, ORDINARY_READS);
      // The first round has all compiled, and the ledgers in memory.
      if (round === 0) continue;
      into(first, name, firstReads);
      into(ordinary, name, ordinaryReads);
    }
  }
  say(
    `${FEW.collections} collections of ${FEW.variants} variants, ${ACCOUNTS_EACH * ROUNDS} first reads of each`,
  );
  for (const name of ownersOf.keys()) {
    const [a, b] = [shown(first.get(name)!), shown(ordinary.get(name)!)];
    const ratio = (a.millis / b.millis).toFixed(2);
    say(`${name.padEnd(26)} first ${a.text}, ordinary ${b.text}: ${ratio} × (wanted 2 at most)`);
  }
}

async function measureMany(stack: Stack, owner: Owner): Promise<void> {
  say(`${MANY.collections} collections of ${MANY.variants} variants (wanted 1500 ms at most)`);
  for (const sort of ['CHRONOLOGICAL', 'VALUE']) {
    const request = graphql(COLLECTIONS, { sort });
    const firsts: number[] = [];
    for (let round = 0; round < 3; round++) {
      await importAll(stack);
      firsts.push(await timed(stack, owner, request));
    }
    const ordinary = await timed(stack, owner, request);
    const all = firsts.map((millis) => millis.toFixed(0)).join(', ');
    say(`${sort.padEnd(14)} first ${all} ms, ordinary ${ordinary.toFixed(1)} ms`);
  }
}

async function main(url: string, superuserUrl: string): Promise<void> {
  const db = postgresDatabase(url);
  const filler = new Filler(db);
  const ownersOf = new Map<string, Owner[]>();
  for (const name of Object.keys(REQUESTS)) {
    const owners: Owner[] = [];
    for (let i = 0; i <= ACCOUNTS_EACH; i++) {
      const transactions = FEW.collections * FEW.variants;
      owners.push(await filler.add(`${name} ${i}`, { ...FEW, transactions }));
    }
    ownersOf.set(name, owners);
  }
  const many = await filler.add('Many', { ...MANY, transactions: MANY.collections * MANY.variants });
  await db.query('update collection set valued = true where account_id <> $1', [many.accountId]);
  await maintain(url, 'vacuum analyze');
  await maintain(superuserUrl, 'checkpoint');
  const server = await startServer('product', process.execPath, { databaseUrl: url });
  try {
    const tokens = await tokensOf(server.port, [...[...ownersOf.values()].flat(), many]);
    const stack = { db, server, postmaster: await postmasterOf(db), tokens };
    await compareFew(stack, ownersOf);
    await measureMany(stack, many);
  } finally {
    await server.stop();
    await db.close();
  }
}

const server = await startPostgres({ settings: { shared_buffers: '1GB', max_wal_size: '8GB' } });
try {
  await main((await loadedPostgresUrl(server.url)).url, server.superuserUrl);
} finally {
  await server.stop();
}
