import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountIdOf } from '../../src/domain/credentials.ts';
import { exportAccount } from '../../src/services/accounts/export.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { purgeDeletedCollections } from '../../src/services/collections/purge.ts';
import { revalue } from '../../src/services/collections/valued.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Filler, type Owner } from './compare/fill.ts';
import { maintain, median } from './database.ts';
import { MONEY, NESTED } from './nested.ts';
import { newNode, tokenOf, type Used, usedBy } from './node.ts';
import { watched } from './watch.ts';

/**
 * What an account of ten million transactions in 200 collections pays for a request, against one of 4,550 in ten: in turns, request by request of each
 * kind, with all that a request takes: the time until the answer, and the processor time of node and of PostgreSQL's back ends. Then what is
 * done to all of it, in parts: its export, another currency, its deletion: how long it takes, what it takes at most of memory, turns of the loop, statements
 * and locks, and how another account fares; `doctor` looks at what comes of it. On PostgreSQL, on Linux as root.
 * `npx tsx test/bench/large-account.ts [transactions] [rounds] [requests]`
 */
const [transactions = 10_000_000, rounds = 7, requests = 40] = process.argv.slice(2).map(Number);
const LARGE = { collections: 200, transactions, variants: 5000 };
const SMALL = { collections: 10, transactions: 4550, variants: 150 };

interface Subject {
  name: string;
  token: string;
  owner: Owner;
  variantIds: string[];
  used: Map<string, Used[]>;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const anyOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

const server = await startPostgres({
  settings: {
    shared_buffers: '2GB',
    max_wal_size: '16GB',
    checkpoint_timeout: '1h',
    maintenance_work_mem: '512MB',
  },
});
const node = await newNode(server);
const { db } = node;
const superuserUrl = Object.assign(new URL(server.superuserUrl), {
  pathname: new URL(node.url).pathname,
}).href;

async function newSubject(filler: Filler, name: string, size: typeof LARGE): Promise<Subject> {
  const start = performance.now();
  const owner = await filler.add(name, size);
  await setLimits(db, { accountId: owner.accountId, maxTransactions: 1_000_000_000 });
  say(`${name}: ${size.transactions} transactions in ${seconds(start)}`);
  const rows = await db.query<{ id: string }>(
    'select variant_id as id from holding where account_id = $1 and collection_id = $2 and bought > sold order by variant_id limit 100',
    [owner.accountId, owner.collectionIds[0]!],
  );
  return {
    name,
    owner,
    token: await tokenOf(node, owner),
    variantIds: rows.map(({ id }) => id),
    used: new Map(),
  };
}

const seconds = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`;

const ask = ({ token }: Subject, query: string, variables: object = {}) =>
  node.send(token, 'POST', '/graphql', { query, variables });
/** Of those that its owner uses at the time: both have ten. */
const collectionOf = ({ owner }: Subject) => anyOf(owner.collectionIds.slice(0, SMALL.collections));
const entry = ({ variantIds }: Subject) => ({
  variantId: anyOf(variantIds),
  occurredDate: '2026-01-31',
  action: 'Purchase',
  quantity: 2,
  unitAmount: { currency: 'USD', value: 1.25 },
});

const PAGE = `query ($id: ID!, $first: Int, $last: Int, $after: String) { collection(id: $id) {
  transactions(first: $first, last: $last, after: $after) { nodes { id quantity unitAmount ${MONEY} variant { id product { name } } } pageInfo { endCursor } } } }`;
const SUMMARIES = `query ($id: ID!, $sort: TransactionSummarySort, $search: String) { collection(id: $id) {
  transactionSummaries(first: 50, sort: $sort, searchQuery: $search) { nodes { quantity invested ${MONEY} gain ${MONEY} variant { id product { name } } } } } }`;
const HOLDINGS = `query ($id: ID!) { variant(id: $id) { owned holdings(first: 10) { nodes { quantity } } } }`;
const DASHBOARD = `{ viewer { dashboard { collectionCount quantity marketValue ${MONEY} gain ${MONEY} } } }`;
const COLLECTION = `query ($id: ID!) { collection(id: $id) { name quantity marketValue ${MONEY} gain ${MONEY} } }`;
const REALIZED = `query ($id: ID!) { collection(id: $id) { realizedGains(year: 2024) { gain ${MONEY} } } }`;
const HISTORY = `query ($id: ID!) { collection(id: $id) { valueHistory(from: "2026-03-01", to: "2026-03-31") { date } } }`;

/** What comes before the requests of a round is not measured. */
const WORK: Record<string, (subject: Subject) => Promise<() => Promise<unknown>>> = {
  'create a transaction': async (subject) => () =>
    node.send(subject.token, 'POST', `/collection/${collectionOf(subject)}/transaction`, entry(subject)),
  'edit one': async (subject) => {
    const path = `/collection/${collectionOf(subject)}/transaction`;
    const { transactionId: id } = await node.send(subject.token, 'POST', path, entry(subject));
    let quantity = 0;
    return () =>
      node.send(subject.token, 'PATCH', `/transaction/${id}`, { quantity: 1 + (quantity++ % 100) });
  },
  'delete one': async (subject) => {
    const ids: string[] = [];
    for (let i = 0; i < requests; i++) {
      const path = `/collection/${collectionOf(subject)}/transaction`;
      ids.push((await node.send(subject.token, 'POST', path, entry(subject))).transactionId);
    }
    return () => node.send(subject.token, 'DELETE', `/transaction/${ids.pop()}`);
  },
  'first page of 50 transactions': async (subject) => () =>
    ask(subject, PAGE, { id: collectionOf(subject), first: 50 }),
  'last page of 50': async (subject) => () => ask(subject, PAGE, { id: collectionOf(subject), last: 50 }),
  'page after page': async (subject) => {
    const id = collectionOf(subject);
    let after: string | null = null;
    return async () => {
      const { data } = await ask(subject, PAGE, { id, first: 20, after });
      after = data.collection.transactions.pageInfo.endCursor;
    };
  },
  'one collection': async (subject) => () => ask(subject, COLLECTION, { id: collectionOf(subject) }),
  '10 collections with 10 summaries each': async (subject) => () => ask(subject, NESTED),
  '50 summaries by gain': async (subject) => () =>
    ask(subject, SUMMARIES, { id: collectionOf(subject), sort: 'GAIN' }),
  '50 summaries by name': async (subject) => () =>
    ask(subject, SUMMARIES, { id: collectionOf(subject), sort: 'ALPHABETICAL' }),
  '50 summaries by a search': async (subject) => () =>
    ask(subject, SUMMARIES, { id: collectionOf(subject), sort: 'ALPHABETICAL', search: 'rarity:majestic' }),
  'what is held of a card': async (subject) => () =>
    ask(subject, HOLDINGS, { id: anyOf(subject.variantIds) }),
  dashboard: async (subject) => () => ask(subject, DASHBOARD),
  'gains of a year': async (subject) => () => ask(subject, REALIZED, { id: collectionOf(subject) }),
  'values of 31 days': async (subject) => () => ask(subject, HISTORY, { id: collectionOf(subject) }),
};

async function compare(subjects: readonly Subject[]): Promise<void> {
  for (let round = -1; round < rounds; round++) {
    for (const [work, prepare] of Object.entries(WORK)) {
      for (const subject of round % 2 ? subjects : subjects.toReversed()) {
        const used = await usedBy(node, requests, await prepare(subject));
        if (round >= 0) subject.used.set(work, [...(subject.used.get(work) ?? []), used]);
      }
    }
  }
}

function report([small, large]: readonly [Subject, Subject]): string {
  const figure = ({ used }: Subject, work: string, of: keyof Used) =>
    median(used.get(work)!.map((one) => one[of]));
  const lines = Object.keys(WORK).map((work) => {
    const cells = (['wall', 'node', 'backEnds'] as const).map((of) => {
      const [few, many] = [figure(small, work, of), figure(large, work, of)];
      return `${few.toFixed(2)} → ${many.toFixed(2)} (× ${(many / few).toFixed(2)})`;
    });
    return `| ${work} | ${cells.join(' | ')} |`;
  });
  return [
    '| ms a request: small → large | until the answer | node | back ends |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n');
}

const contextOf = ({ owner }: Subject): Context => ({
  db,
  caller: { accountId: owner.accountId, clientId: owner.clientId },
  now: () => new Date(),
});

/** Does it, while another account creates transactions and looks at pages, and says what it took of all. */
async function beside(name: string, other: Subject, work: () => Promise<string>): Promise<void> {
  const millis: number[] = [];
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      const start = performance.now();
      await (
        await WORK[millis.length % 2 ? 'create a transaction' : 'first page of 50 transactions']!(other)
      )();
      millis.push(performance.now() - start);
      await sleep(50);
    }
  })();
  const start = performance.now();
  const { result, most } = await watched(superuserUrl, work);
  const took = seconds(start);
  isOver = true;
  await others;
  const sorted = millis.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!;
  say(
    `${name}: ${took}${result}; another account meanwhile: median ${median(millis).toFixed(1)}, p99 ${p99.toFixed(0)}, longest ${sorted.at(-1)!.toFixed(0)} ms of ${sorted.length}`,
  );
  say(
    `  at most: node + ${most.nodeMegabytes.toFixed(0)} MB, a back end ${most.backEndMegabytes.toFixed(0)} MB, a turn of the loop ${most.turnMillis.toFixed(0)} ms, ` +
      `a wait for a lock ${most.lockSeconds.toFixed(1)} s, a statement ${most.statementSeconds.toFixed(1)} s (${most.statement})`,
  );
}

/** That the answers are right afterwards. */
async function examined(): Promise<void> {
  const start = performance.now();
  const { differences } = await diagnose(db, { fix: false });
  say(`  doctor: ${differences.length} differences, in ${seconds(start)}`);
  if (differences.length > 0) say(JSON.stringify(differences.slice(0, 5), null, 2));
}

async function exported(subject: Subject): Promise<string> {
  const { bytes, stream } = await exportAccount(contextOf(subject), accountIdOf(subject.owner.accountId));
  await pipeline(stream, new Writable({ write: (_chunk, _encoding, done) => done() }));
  return `, ${(bytes / 1e6).toFixed(0)} MB`;
}

async function toEuros(subject: Subject): Promise<string> {
  await updatePreferences(contextOf(subject), { preferredCurrency: 'EUR' });
  return '';
}

async function deleted(subject: Subject): Promise<string> {
  const start = performance.now();
  for (const id of subject.owner.collectionIds) await deleteCollection(contextOf(subject), id);
  const gone = seconds(start);
  await purgeDeletedCollections(db);
  return `, gone for readers after ${gone}`;
}

try {
  const filler = new Filler(db);
  const small = await newSubject(filler, 'Small', SMALL);
  const large = await newSubject(filler, 'Large', LARGE);
  await maintain(superuserUrl, 'vacuum analyze', 'checkpoint');
  for (const { owner } of [small, large])
    await db.transaction(async (tx) => {
      await tx.liftTimeouts();
      await revalue(
        { db: tx, caller: { accountId: owner.accountId, clientId: '' }, now: () => new Date() },
        'all',
      );
    });
  await compare([small, large]);
  say(report([small, large]));
  await beside('export', small, () => exported(large));
  await beside('another currency', small, () => toEuros(large));
  await examined();
  await beside('deletion of all collections', small, () => deleted(large));
  await examined();
} finally {
  await node.close();
  await server.stop();
}
