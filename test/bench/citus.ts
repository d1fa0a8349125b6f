import { loadavg } from 'node:os';
import { migrate } from '../../src/db/migrate.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { dateOf } from '../../src/domain/dates.ts';
import { loadShippedData } from '../../src/first-run.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { type ClientCredentials, createClient } from '../../src/services/clients/create.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { newCitusDatabase, startCitus } from '../support/citus-server.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { importPrices } from '../support/import-prices.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { cpuSecondsOfFamily, postmasterOf } from './compare/servers.ts';
import { maintain, median } from './database.ts';
import { NESTED } from './nested.ts';
import { nextPrices } from './next-prices.ts';
import { type Node, nodeOf, tokenOf, type Used, usedBy } from './node.ts';

/**
 * What requests take on Citus, a coordinator and two workers on this machine, and on one PostgreSQL: of both in turn, so that ratios are
 * good on a machine that does other things. Milliseconds of the processor, of the node and of all processes of the database, and of
 * the clock, one request after the other; nothing is forced to the disk.
 * `npx tsx test/bench/citus.ts [rounds]`
 */
const [rounds = 5] = process.argv.slice(2).map(Number);
const ACCOUNTS = 10;
const COLLECTIONS = 10;
const CARDS = 200;
const REQUESTS = 150;
const IMPORTED = 1000;
const PRICES = 15_000;
const OWNER = 'cardledger_owner';

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Owner {
  token: string;
  collectionIds: string[];
}

/** A database with accounts, and the service on it. */
interface Engine {
  node: Node;
  owners: Owner[];
  variantIds: string[];
}

/** @param servers all of the engine, as superusers, the one that is talked to first */
async function newEngine(servers: readonly string[], url: string): Promise<Engine> {
  const postmasters = await Promise.all(
    servers.map(async (superuserUrl) => {
      const db = postgresDatabase(superuserUrl);
      return postmasterOf(db).finally(() => db.close());
    }),
  );
  const backEnds = async () => postmasters.reduce((sum, pid) => sum + cpuSecondsOfFamily(pid), 0) * 1000;
  await load(url);
  const started = nodeOf({ superuserUrl: servers[0]! }, url);
  const node: Node = { ...started, backEnds };
  const rows = await node.db.query<{ id: string }>(
    'select v.id from variant v join price p on p.variant_id = v.id where p.amount is not null order by v.id limit 2000',
  );
  const engine: Engine = { node, owners: [], variantIds: rows.map(({ id }) => id) };
  for (let i = 0; i < ACCOUNTS; i++) engine.owners.push(await newOwner(engine));
  await maintain(url, 'vacuum analyze');
  return engine;
}

async function load(url: string): Promise<void> {
  const db = postgresDatabase(url);
  const today = dateOf(new Date());
  await migrate(db);
  await loadShippedData(db, { samplesSince: today, today, progress: noProgress });
  await db.close();
}

async function newOwner({ node, variantIds }: Engine): Promise<Owner> {
  const now = new Date();
  const { accountId } = await createAccount(node.db, { name: 'Benchmark', now });
  const client: ClientCredentials = await createClient(node.db, { accountId, name: 'Benchmark', now });
  const owner: Owner = { token: await tokenOf(node, client), collectionIds: [] };
  for (let i = 0; i < COLLECTIONS; i++) {
    const collectionId = await newCollection(node, owner);
    const transactions = variantIds.slice(i * 50, i * 50 + CARDS).map(purchase);
    await node.send(owner.token, 'POST', '/graphql', {
      query:
        'mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { __typename } }',
      variables: {
        input: { collectionId, transactions: transactions.map((one) => ({ ...one, action: 'PURCHASE' })) },
      },
    });
    owner.collectionIds.push(collectionId);
  }
  return owner;
}

async function newCollection(node: Node, { token }: Owner): Promise<string> {
  return (await node.send(token, 'POST', '/collection', { name: 'Benchmark' })).collectionId;
}

const purchase = (variantId: string) => ({
  variantId,
  occurredDate: '2026-01-31',
  action: 'Purchase',
  quantity: 2,
  unitAmount: { currency: 'USD', value: 1.25 },
});

const IMPORT = `mutation ($input: ImportTransactionsInput!) {
  importTransactions(input: $input) { ... on ImportTransactionsPayload { written transactionCount } ... on Error { message } } }`;

const csvOf = (variantIds: readonly string[]) =>
  [
    'occurredDate,action,quantity,unitAmount,currency,variantId',
    ...variantIds.map((id) => `2026-01-31,Purchase,2,1.50,USD,${id}`),
  ].join('\n');

interface Kind {
  name: string;
  requests: number;
  /** The request number `i` of an engine. */
  send(engine: Engine, i: number): Promise<unknown>;
}

const ownerOf = ({ owners }: Engine, i: number) => owners[i % owners.length]!;
const collectionOf = ({ collectionIds }: Owner, i: number) =>
  collectionIds[Math.floor(i / ACCOUNTS) % COLLECTIONS]!;

const KINDS: Kind[] = [
  {
    name: 'create a transaction (REST)',
    requests: REQUESTS,
    send(engine, i) {
      const owner = ownerOf(engine, i);
      const path = `/collection/${collectionOf(owner, i)}/transaction`;
      return engine.node.send(owner.token, 'POST', path, purchase(engine.variantIds[i]!));
    },
  },
  {
    name: 'the same with an idempotency key',
    requests: REQUESTS,
    send(engine, i) {
      const owner = ownerOf(engine, i);
      const path = `/collection/${collectionOf(owner, i)}/transaction`;
      return engine.node.send(owner.token, 'POST', path, purchase(engine.variantIds[i]!), {
        'Idempotency-Key': crypto.randomUUID(),
      });
    },
  },
  {
    name: 'page of 50 transactions (REST)',
    requests: REQUESTS,
    send(engine, i) {
      const owner = ownerOf(engine, i);
      return engine.node.send(
        owner.token,
        'GET',
        `/collection/${collectionOf(owner, i)}/transaction?pageSize=50`,
      );
    },
  },
  {
    name: 'nested query (GraphQL), 10 collections with 10 cards each',
    requests: REQUESTS,
    send(engine, i) {
      return engine.node.send(ownerOf(engine, i).token, 'POST', '/graphql', { query: NESTED });
    },
  },
  {
    name: `import of ${IMPORTED.toLocaleString('en')} transactions`,
    requests: 2,
    async send(engine, i) {
      const owner = ownerOf(engine, i);
      const collectionId = await newCollection(engine.node, owner);
      const input = { collectionId, csv: csvOf(engine.variantIds.slice(0, IMPORTED)), dryRun: false };
      const answer = await engine.node.send(owner.token, 'POST', '/graphql', {
        query: IMPORT,
        variables: { input },
      });
      if (answer.data.importTransactions.transactionCount !== IMPORTED)
        throw new Error(JSON.stringify(answer));
    },
  },
  {
    name: `import of ${PRICES.toLocaleString('en')} prices`,
    requests: 1,
    send: ({ node }) => priceImport(node),
  },
];

async function priceImport({ db }: Node): Promise<void> {
  const { rows, date } = await nextPrices(db, PRICES);
  await importPrices(db, rows, date, { version: date, isSample: false }, noProgress);
}

type Amounts = Record<'processor' | 'clock', number>;
const amountsOf = ({ wall, node, backEnds }: Used): Amounts => ({ processor: node + backEnds, clock: wall });

/** Rows of both engines for a kind, each round with the one after the other; the first round warms them. */
async function compare({ name, requests, send }: Kind, engines: readonly Engine[]): Promise<string> {
  const taken = engines.map((): Amounts[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [n, engine] of engines.entries()) {
      const used = await usedBy(engine.node, requests, (i) => send(engine, i));
      if (round >= 0) taken[n]!.push(amountsOf(used));
    }
  }
  const [one, citus] = taken as [Amounts[], Amounts[]];
  const cells = (['processor', 'clock'] as const).flatMap((what) => {
    const of = (amounts: readonly Amounts[]) => median(amounts.map((amount) => amount[what]));
    const ratio = median(citus.map((amount, i) => amount[what] / one[i]![what]));
    return [shown(of(one)), shown(of(citus)), `× ${ratio.toFixed(2)}`];
  });
  return `| ${name} | ${cells.join(' | ')} |`;
}

const shown = (millis: number) => (millis >= 100 ? millis.toFixed(0) : millis.toPrecision(3));

const plain = await startPostgres();
const cluster = await startCitus();
try {
  const engines = [
    await newEngine([plain.superuserUrl], await emptyPostgresUrl(plain.url)),
    await newEngine(
      [cluster.superuserUrl, ...cluster.workers.map(({ superuserUrl }) => superuserUrl)],
      await newCitusDatabase(cluster.superuserUrl, OWNER),
    ),
  ];
  say(`${rounds} rounds, load at the start ${loadavg()[0]!.toFixed(1)}`);
  say(
    '| | processor, ms: PostgreSQL | Citus | | clock, ms: PostgreSQL | Citus | |\n|---|---|---|---|---|---|---|',
  );
  for (const kind of KINDS) say(await compare(kind, engines));
  say(`load at the end ${loadavg()[0]!.toFixed(1)}`);
  for (const { node } of engines) await node.close();
} finally {
  await Promise.all([plain.stop(), cluster.stop()]);
}
