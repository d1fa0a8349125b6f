import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../src/config.ts';
import type { OpenDatabase } from '../../../src/db/client.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { postgresDatabase } from '../../../src/db/postgres-database.ts';
import { IMAGE_URL } from '../../../src/db/queries/products.ts';
import { dateOf } from '../../../src/domain/dates.ts';
import { loadShippedData } from '../../../src/first-run.ts';
import { noProgress } from '../../../src/services/market/progress.ts';
import { searchProducts } from '../../../src/services/products/search.ts';
import { loadedPostgresUrl } from '../../support/loaded-databases.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { fill, type Stock, sizesOf } from './fill.ts';
import { measureGrowth } from './growth.ts';
import { load, percentile, sendOnce, type WireRequest, wireRequest } from './load.ts';
import { type Measured, printed } from './report.ts';
import {
  cpuSeconds,
  cpuSecondsOfFamily,
  installPeers,
  postmasterOf,
  type RunningServer,
  residentMegabytes,
  startServer,
} from './servers.ts';
import { CREATE } from './statements.ts';
import { comparable, comparedWorkloads, type ServerName, tokensOf, type Workload } from './workloads.ts';

/** `npm run bench`: the product against the floor and its peers, in one run on one machine; see docs/performance.md. */
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    // The share of the full amount of data; smaller for development.
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    // Part of the names of the workloads to run.
    only: { type: 'string', default: '' },
    servers: { type: 'string', default: 'product,floor,postgraphile,mercurius' },
    // On the embedded database: the product alone.
    embedded: { type: 'boolean', default: false },
  },
});
const CONNECTIONS = 16;
/** V8 goes on compiling for thousands of requests, which is not what a server that runs spends its time on. */
const WARM_UP_MILLIS = 8000;

/** Pages at the price that memory has, for all servers: else the plan of the floor's statement is a matter of luck. */
const SERVER_SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', random_page_cost: '1.1' };
const say = (line: string) => process.stderr.write(`${line}\n`);

type Servers = ReadonlyMap<ServerName, RunningServer>;

/** For PostGraphile, whose own mutation would write the row of the ledger alone: the floor's statement as a function. */
const FOR_PEERS = [
  'create sequence if not exists peer_entry start 1000000000000',
  `create or replace function record_transaction(account_id uuid, collection_id text, of_currency text, variant_id text,
     occurred_date date, action text, quantity integer, amount numeric)
   returns transaction language sql volatile as $function$
   ${CREATE.replace(/select t\.id as "transactionId"[\s\S]*$/, 'select t.* from new t')
     .replaceAll('$3', `'txn_' || lpad(nextval('peer_entry')::text, 26, '0')`)
     .replaceAll('$9', '$3')} $function$`,
  // Its own tables have no prices: the join that the floor makes, as a table with keys.
  `create or replace view valued_holding as
   select h.*, coalesce(greatest(h.quantity, 0) * p.amount, 0) as market_value
   from holding h left join price p on p.variant_id = h.variant_id and p.source = 'VendorMarket'`,
  `comment on view valued_holding is E'@primaryKey account_id,collection_id,variant_id\\n'
   '@foreignKey (account_id,collection_id) references collection (account_id,id)\\n'
   '@foreignKey (variant_id) references variant (id)'`,
  // Where a picture is: the others read the column alone.
  `update product p set image_url = ${IMAGE_URL} where image_url = ''`,
  // The floor's search, which a table of this size needs an index for.
  `create index if not exists product_words on product using gin (to_tsvector('simple', name))`,
];

async function catalogueOf(db: OpenDatabase) {
  const ids = async (text: string) => (await db.query<{ id: string }>(text)).map(({ id }) => id);
  return {
    productIds: await ids('select id from product where sealed_set_type is null order by md5(id)'),
    variantIds: await ids(
      'select v.id from variant v join price p on p.variant_id = v.id where p.amount is not null order by md5(v.id) limit 500',
    ),
    words: await commonWords(db),
  };
}

/** Words of names that full text answers with the same products as our search, which also looks for close spellings. */
async function commonWords(db: OpenDatabase): Promise<string[]> {
  const rows = await db.query<{ word: string; ids: string[] }>(
    `select word, jsonb_agg(id order by id) as ids
     from product, unnest(tsvector_to_array(to_tsvector('simple', name))) word
     where word ~ '^[a-z]{5,}$' group by word having count(*) between 5 and 50 order by md5(word) limit 300`,
  );
  const ctx = { db, caller: { accountId: '', clientId: '' }, now: () => new Date() };
  const same: string[] = [];
  for (const { word, ids } of rows) {
    const { items } = (await searchProducts(ctx, word)).page({ kind: 'position', position: 0, size: 50 });
    const found = items.map(({ id }) => id).sort();
    if (found.join() === ids.sort().join()) same.push(word);
  }
  if (same.length < 10) throw new Error('Too few words are found alike by full text and by the search.');
  return same;
}

/** Sends some requests of each workload to all servers and compares the answers. Throws where one says something else. */
async function compareAnswers(workload: Workload, servers: Servers): Promise<void> {
  for (let i = 0; i < 8; i++) {
    let expected: string | undefined;
    for (const [name, { port }] of servers) {
      const side = workload.sides[name];
      if (!side) continue;
      const request = side.requests[(i * 7) % side.requests.length]!;
      const { status, body } = await sendOnce(port, wireRequest(request));
      if (status !== 200)
        throw new Error(`${workload.name}: ${name} answered ${status}: ${body.slice(0, 500)}`);
      let answer: string;
      try {
        answer = JSON.stringify(comparable(side.read(JSON.parse(body) as never)), null, 1);
      } catch (error) {
        throw new Error(`${workload.name}: ${name} answered ${body.slice(0, 500)}`, { cause: error });
      }
      expected ??= answer;
      if (answer !== expected)
        throw new Error(`${workload.name}: ${name} ${firstDifference(answer, expected)}`);
    }
  }
}

function firstDifference(answer: string, expected: string): string {
  const [lines, wanted] = [answer.split('\n'), expected.split('\n')];
  const place = lines.findIndex((line, i) => line !== wanted[i]);
  return `answers ${lines[place]} and not ${wanted[place]}, at line ${place}`;
}

/** The embedded database is a part of the server. */
function databaseCpuSeconds(postmaster: number | null): number {
  return postmaster === null ? 0 : cpuSecondsOfFamily(postmaster);
}

async function measureRound(
  workload: Workload,
  server: ServerName,
  { port, pid }: RunningServer,
  requests: WireRequest[],
  postmaster: number | null,
  [millis, round]: [number, number],
): Promise<Measured> {
  const [cpu, databaseCpu] = [cpuSeconds(pid), databaseCpuSeconds(postmaster)];
  const { perSecond, times } = await load(port, requests, {
    connections: CONNECTIONS,
    millis,
    offset: round * 97,
  });
  const perRequest = (seconds: number) => (seconds * 1000) / times.length;
  return {
    workload: workload.name,
    server,
    perSecond,
    medianMillis: percentile(times, 0.5),
    p99Millis: percentile(times, 0.99),
    cpuMillis: perRequest(cpuSeconds(pid) - cpu),
    databaseCpuMillis: perRequest(databaseCpuSeconds(postmaster) - databaseCpu),
  };
}

/** Each workload on all servers in turn, round by round, so that what slows the machine down slows them all. */
async function compare(workload: Workload, servers: Servers, postmaster: number | null): Promise<Measured[]> {
  await compareAnswers(workload, servers);
  const rounds: Measured[] = [];
  const requests = new Map(
    [...servers].map(([name]) => [name, workload.sides[name]?.requests.map(wireRequest)]),
  );
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [name, server] of servers) {
      const own = requests.get(name);
      if (!own) continue;
      const millis = round === 0 ? WARM_UP_MILLIS : Number(options.seconds) * 1000;
      const measured = await measureRound(workload, name, server, own, postmaster, [millis, round]);
      if (round > 0) rounds.push(measured);
    }
  }
  return rounds;
}

interface Target {
  db: OpenDatabase;
  stock: Stock;
  servers: ServerName[];
  /** Of PostgreSQL, or the directory of the embedded database. */
  place: { databaseUrl: string } | { dataDir: string };
}

async function run({ db, stock, servers: names, place }: Target): Promise<void> {
  const catalogue = await catalogueOf(db);
  const postmaster = 'databaseUrl' in place ? await postmasterOf(db) : null;
  if ('databaseUrl' in place) for (const statement of FOR_PEERS) await db.query(statement);
  else await db.close();
  const node = installPeers(say);
  const servers = new Map<ServerName, RunningServer>();
  try {
    for (const name of names) servers.set(name, await startServer(name, node, place));
    const product = servers.get('product')!;
    const tokens = await tokensOf(product.port, [...stock.owners, stock.large, stock.many]);
    const rounds: Measured[] = [];
    const workloads = comparedWorkloads(stock, tokens, catalogue);
    for (const workload of workloads.filter(({ name }) => name.includes(options.only))) {
      say(workload.name);
      rounds.push(...(await compare(workload, servers, postmaster)));
    }
    const growth = 'growth'.includes(options.only)
      ? await measureGrowth(product, stock, tokens, Number(options.rounds))
      : [];
    const processes = [...servers].map(([server, { pid, startMillis }]) => ({
      server,
      startMillis,
      residentMegabytes: residentMegabytes(pid),
    }));
    process.stdout.write(printed({ workloads, rounds, growth, processes }, options.json));
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres({ settings: SERVER_SETTINGS });
  try {
    const { url: databaseUrl } = await loadedPostgresUrl(server.url);
    const db = postgresDatabase(databaseUrl);
    const stock = await fill(db, sizesOf(Number(options.scale)), say);
    await run({ db, stock, servers: options.servers.split(',') as ServerName[], place: { databaseUrl } });
    await db.close();
  } finally {
    await server.stop();
  }
}

async function onEmbedded(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cardledger-bench-'));
  try {
    const db = await openDatabase({ ...loadConfig({ DATA_DIR: dataDir }), onProgress: say });
    const today = dateOf(new Date());
    await loadShippedData(db, { samplesSince: today, today, progress: noProgress });
    const stock = await fill(db, sizesOf(Number(options.scale)), say);
    await run({ db, stock, servers: ['product'], place: { dataDir } });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

await (options.embedded ? onEmbedded() : onPostgres());
