import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase, ReadUse } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { keepCatalogue } from '../../src/memory/memory.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { median } from './database.ts';

/**
 * What reads take of the primary with no, one and two replicas, and which server answers them: nodes of each kind in one process, which
 * have their turns in each round, so that ratios are good on a machine that does other things. Then the same while a writer writes.
 * `npx tsx test/bench/replicas.ts [rounds] [reads] [writes a second]`
 */
const [rounds = 5, reads = 1000, writesPerSecond = 50] = process.argv.slice(2).map(Number);
const CLIENTS = 16;
const ACCOUNTS = 20;
const HOLDINGS = 300;
const ORIGIN = 'http://cardledger.test';
const say = (line: string) => process.stdout.write(`${line}\n`);
const now = () => new Date();

interface Reader {
  token: string;
  collectionId: string;
}

interface Node {
  name: string;
  db: OpenDatabase;
  fetch: (request: Request) => Promise<Response>;
}

const NESTED = `query Nested($id: ID!) {
  collections(first: 5) { nodes { name marketValue { value } } }
  collection(id: $id) {
    name
    transactions(first: 10) { nodes { quantity variant { variantName product { name } } } }
    transactionSummaries(first: 10) { nodes { quantity marketValue { value } } }
  }
}`;

const KINDS: Record<string, (reader: Reader) => Request> = {
  'a single collection (REST)': ({ token, collectionId }) =>
    new Request(`${ORIGIN}/collection/${collectionId}`, { headers: bearer(token) }),
  'a page of 50 transactions (REST)': ({ token, collectionId }) =>
    new Request(`${ORIGIN}/collection/${collectionId}/transaction?pageSize=50`, { headers: bearer(token) }),
  'a nested query (GraphQL)': ({ token, collectionId }) =>
    new Request(`${ORIGIN}/graphql`, {
      method: 'POST',
      headers: { ...bearer(token), 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: NESTED, variables: { id: collectionId } }),
    }),
};

function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

/** @param urls of replicas */
async function newNode(name: string, url: string, urls: string[]): Promise<Node> {
  const replicas = urls.length > 0 ? { urls, tell: () => {} } : undefined;
  const db = postgresDatabase(url, undefined, 60_000, replicas);
  const limits = { RATE_LIMIT_PER_MINUTE: '0', TOKEN_LIMIT_PER_MINUTE: '0', WORK_LIMIT_PER_MINUTE: '0' };
  const config = loadConfig({ ...limits, DEMO: '0', PUBLIC_URL: ORIGIN });
  const app = createApp({ config, db, now, logger: pino({ level: 'silent' }) });
  keepCatalogue(db, now);
  return { name, db, fetch: (request) => app.fetch(request) };
}

async function newReader({ db, fetch }: Node, variants: readonly string[]): Promise<Reader> {
  const { accountId } = await createAccount(db, { name: 'Benchmark', now: now() });
  const ctx = { db: db.forAccount(accountId), caller: { accountId, clientId: 'cli_benchmark' }, now };
  const { id: collectionId } = await createCollection(ctx, { name: 'Benchmark' });
  const entries = variants.map((variantId, i) => ({
    variantId,
    occurredDate: '2026-01-31',
    action: 'Purchase' as const,
    quantity: 1 + (i % 4),
    unitAmount: { currency: 'USD' as const, value: 1 + (i % 90) },
  }));
  await createTransactions(ctx, collectionId, entries);
  const { clientId, clientSecret } = await createClient(db, { accountId, name: 'Benchmark', now: now() });
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ ...form, scope: 'default' });
  const answer = await fetch(new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body }));
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { token, collectionId };
}

/** Reads a second. */
async function readAll(node: Node, readers: readonly Reader[], request: (reader: Reader) => Request) {
  let next = 0;
  const start = performance.now();
  const client = async () => {
    while (next < reads) {
      const answer = await node.fetch(request(readers[next++ % readers.length]!));
      const text = await answer.text();
      if (answer.status !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (reads / (performance.now() - start)) * 1000;
}

const answered = ({ primaryReads, replicas }: ReadUse) => [primaryReads, ...replicas.map((one) => one.reads)];

/** In the order of the nodes; each line compares with the first. */
async function measure(
  nodes: readonly Node[],
  readers: readonly Reader[],
  postmaster: number,
  /** How much of the processor was taken by others so far, in milliseconds. */
  byOthers: () => number = () => 0,
): Promise<void> {
  for (const [kind, request] of Object.entries(KINDS)) {
    const taken = nodes.map(() => ({ millis: 0, perSecond: [] as number[] }));
    const before = nodes.map(({ db }) => (db.readUse ? answered(db.readUse) : []));
    for (let round = -1; round < rounds; round++) {
      for (const [i, node] of nodes.entries()) {
        const ofReads = () => cpuSecondsOfFamily(postmaster) * 1000 - byOthers();
        const start = ofReads();
        const perSecond = await readAll(node, readers, request);
        if (round < 0) continue;
        taken[i]!.millis += ofReads() - start;
        taken[i]!.perSecond.push(perSecond);
      }
    }
    say(`${kind}:`);
    const first = taken[0]!.millis;
    for (const [i, { name, db }] of nodes.entries()) {
      // The clock of processes goes by 10 ms: of all rounds together.
      const { millis } = taken[i]!;
      const counts = db.readUse ? answered(db.readUse).map((count, n) => count - before[i]![n]!) : [];
      const all = counts.reduce((sum, count) => sum + count, 0);
      const shares = counts.slice(1).map((count) => `${((count / all) * 100).toFixed(1)} %`);
      say(
        `  ${name}: ${(millis / rounds / reads).toFixed(3)} ms of the primary's processor a read (×${(millis / first).toFixed(2)}), ` +
          `${Math.round(median(taken[i]!.perSecond))} reads/s${shares.length > 0 ? `, by replicas ${shares.join(' and ')}` : ''}`,
      );
    }
  }
}

/** Steadily, until it is told to stop; gives how many it has written. */
function startWriter({ db }: Node, variants: readonly string[]) {
  let isOver = false;
  let written = 0;
  const run = async () => {
    const { accountId } = await createAccount(db, { name: 'Writer', now: now() });
    const ctx = { db: db.forAccount(accountId), caller: { accountId, clientId: 'cli_benchmark' }, now };
    const { id } = await createCollection(ctx, { name: 'Written' });
    const start = performance.now();
    while (!isOver) {
      const entry = {
        variantId: variants[written % variants.length]!,
        occurredDate: '2026-01-31',
        action: 'Purchase' as const,
        quantity: 1,
        unitAmount: { currency: 'USD' as const, value: 1 },
      };
      await createTransactions(ctx, id, [entry]);
      written++;
      const due = start + (written / writesPerSecond) * 1000;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
  };
  const running = run();
  return {
    written: () => written,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

const settings = { synchronous_commit: 'on', shared_buffers: '256MB', autovacuum: 'off' };
const primary = await startPostgres({ settings });
const standbys: Awaited<ReturnType<typeof startStandby>>[] = [];
try {
  const { url } = await loadedPostgresUrl(primary.url);
  for (let i = 0; i < 2; i++) standbys.push(await startStandby(primary, { settings }));
  const urls = standbys.map(({ port }) => Object.assign(new URL(url), { port: String(port) }).href);
  const nodes = [
    await newNode('no replica', url, []),
    await newNode('one replica', url, urls.slice(0, 1)),
    await newNode('two replicas', url, urls),
  ];
  const postmaster = await postmasterOf(nodes[0]!.db);
  const rows = await nodes[0]!.db.query<{ id: string }>(
    `select v.id from variant v join price p on p.variant_id = v.id order by v.id limit ${HOLDINGS}`,
  );
  const variants = [...new Set(rows.map(({ id }) => id))];
  const readers: Reader[] = [];
  for (let i = 0; i < ACCOUNTS; i++) readers.push(await newReader(nodes[0]!, variants));
  await sleep(2000);
  say(`${ACCOUNTS} accounts, ${CLIENTS} clients, ${rounds} rounds of ${reads} reads; nothing is written:`);
  await measure(nodes, readers, postmaster);
  const writer = startWriter(nodes[0]!, variants);
  await sleep(1000);
  const [before, cpu] = [writer.written(), cpuSecondsOfFamily(postmaster)];
  await sleep(5000);
  const aWrite = ((cpuSecondsOfFamily(postmaster) - cpu) * 1000) / (writer.written() - before);
  say(
    `\n${writesPerSecond} writes a second meanwhile, each of which takes ${aWrite.toFixed(2)} ms, not counted here:`,
  );
  await measure(nodes, readers, postmaster, () => writer.written() * aWrite);
  await writer.stop();
  say(`${writer.written()} written`);
  for (const { name, db } of nodes) {
    const left = db.readUse?.replicas.reduce((sum, { leftReads }) => sum + leftReads, 0);
    if (left !== undefined) say(`${name}: ${left} reads repeated on the primary`);
  }
  await Promise.all(nodes.map(({ db }) => db.close()));
} finally {
  await Promise.all([primary, ...standbys].map((server) => server.stop()));
}
