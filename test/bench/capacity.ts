import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import { promisify } from 'node:util';
import { memoryOf } from '../../src/memory/memory.ts';
import { revalue } from '../../src/services/collections/valued.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { importPrices } from '../support/import-prices.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import {
  diskOf,
  dumpOf,
  needsTable,
  type Processor,
  processorOf,
  REQUEST_NAMES,
  type Request,
  type Stock,
  shareInMemory,
  shown,
  type UnitCosts,
  unitsIn,
  unitsTable,
} from './capacity-model.ts';
import { Filler, type Owner } from './compare/fill.ts';
import { maintain, median, walBytes } from './database.ts';
import { MONEY, NESTED } from './nested.ts';
import { nextPrices } from './next-prices.ts';
import { type Node, newNode, tokenOf, type Used, usedBy } from './node.ts';

/**
 * The model of docs/scaling.md: what a unit takes is measured on some accounts; what many times as many take is predicted
 * by it, and measured; then what 10,000 to 100,000,000 accounts need by it. On PostgreSQL; processor time, bytes, no time of the clock.
 * `npx tsx test/bench/capacity.ts [transactions] [transactions to begin with]`
 */
const [transactions = 10_000_000, first = 2_000_000] = process.argv.slice(2).map(Number);
const ACCOUNT = { collections: 10, transactions: 4550, variants: 150 };
const VARIANTS_IMPORTED = 15_000;
/** A server is to have a tenth of its disk as memory (docs/scaling.md), of which a quarter are buffers, as is usual. */
const BUFFERS = { share: 0.025, atLeastMegabytes: 8, bytesPerTransaction: 855 };
/** Requests in a row. Each row begins with a collection of garbage, behind which V8's code is slower for a while: rows that are compared are of one length. */
const ROW = 500;
const WARMING_ROUNDS = 2;
const ROUNDS = 4;
/** Between two requests of an account there are more, and a node trusts no token, client or preferences for so long. */
const APART = 100;
const TRUSTED_MILLIS = 60_001;

const QUERIES: Record<string, string> = {
  dashboard: `{ viewer { dashboard { collectionCount marketValue ${MONEY} gain ${MONEY} } } }`,
  collections: `{ collections(first: 50) { nodes { id name quantity marketValue ${MONEY} gain ${MONEY} } } }`,
  nested: NESTED,
  summaries: `query ($id: ID!) { collection(id: $id) { transactionSummaries(first: 50, sort: GAIN) {
    nodes { quantity gain ${MONEY} variant { id product { name } } } } } }`,
  transactions: `query ($id: ID!) { collection(id: $id) { transactions(first: 50) {
    nodes { id quantity unitAmount ${MONEY} variant { id product { name } } } } } }`,
};

const say = (line: string) => process.stdout.write(`${line}\n`);
const anyOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

/**
 * A server whose buffers hold as large a part of so many transactions, whatever their number: what is not there is read from the
 * system's memory, which is a third of what some requests take of PostgreSQL.
 */
function startServer(transactions: number): Promise<PostgresServer> {
  const megabytes =
    BUFFERS.atLeastMegabytes + (BUFFERS.share * transactions * BUFFERS.bytesPerTransaction) / 1e6;
  return startPostgres({
    settings: {
      shared_buffers: `${Math.ceil(megabytes)}MB`,
      max_wal_size: '16GB',
      checkpoint_timeout: '1h',
      full_page_writes: 'off',
    },
  });
}

/** Accounts in the database, and a request of each kind for one of them. */
class Ledgers {
  readonly server: PostgresServer;
  readonly node: Node;
  readonly owners: Owner[] = [];
  readonly #filler: Filler;
  readonly #tokens = new WeakMap<Node, Map<string, string>>();
  #variantIds: string[] = [];

  constructor(server: PostgresServer, node: Node) {
    this.server = server;
    this.node = node;
    this.#filler = new Filler(node.db);
  }

  async growTo(count: number): Promise<void> {
    const { db } = this.node;
    while (this.#filler.entries < count) {
      const owner = await this.#filler.add(`Account ${this.owners.length}`, ACCOUNT);
      this.owners.push(owner);
      const caller = { accountId: owner.accountId, clientId: '' };
      await db.transaction((tx) => revalue({ db: tx, caller, now: () => new Date() }, 'all'));
    }
    await maintain(this.superuserUrl, 'vacuum analyze', 'checkpoint');
    const rows = await db.query<{ id: string }>('select id from variant order by length(id), id limit 1000');
    this.#variantIds = rows.map(({ id }) => id);
  }

  get superuserUrl(): string {
    const { pathname } = new URL(this.node.url);
    return Object.assign(new URL(this.server.superuserUrl), { pathname }).href;
  }

  get stock(): Stock {
    const accounts = this.owners.length;
    return {
      accounts,
      collections: accounts * ACCOUNT.collections,
      transactions: accounts * ACCOUNT.transactions,
      holdings: accounts * ACCOUNT.collections * ACCOUNT.variants,
    };
  }

  /**
   * Of a row of requests of a kind, for one account after the other. Unless it comes `again`, the node has not heard of it for longer
   * than it trusts what it knows of who asks: it verifies the token, and reads the client and the preferences anew.
   */
  async used(
    node: Node,
    kind: string,
    owners: readonly Owner[],
    { before = () => {}, again = false }: { before?: (i: number) => void; again?: boolean } = {},
  ): Promise<Processor> {
    const tokens: string[] = [];
    for (const owner of owners) tokens.push(await this.#token(node, owner));
    const send = (i: number) => {
      before(i);
      if (!again && i % APART === 0) {
        node.later(TRUSTED_MILLIS);
        memoryOf(node.db).preferences.forgetAll();
      }
      return this.#send(node, kind, owners[i]!, tokens[i]!);
    };
    return processor(await usedBy(node, owners.length, send));
  }

  /** Fills the memory of the node with as many ledgers as it keeps, of accounts as they come. */
  async remember(node: Node): Promise<void> {
    const kept = Math.ceil(shareInMemory(this.stock) * this.owners.length * 1.1);
    await this.used(node, 'nested', shuffled(this.owners).slice(0, kept));
  }

  async #token(node: Node, owner: Owner): Promise<string> {
    const tokens = this.#tokens.get(node) ?? new Map<string, string>();
    this.#tokens.set(node, tokens);
    const token = tokens.get(owner.accountId) ?? (await tokenOf(node, owner));
    tokens.set(owner.accountId, token);
    return token;
  }

  #send(node: Node, kind: string, { collectionIds }: Owner, token: string): Promise<unknown> {
    const id = anyOf(collectionIds);
    if (kind !== 'create')
      return node.send(token, 'POST', '/graphql', { query: QUERIES[kind]!, variables: { id } });
    return node.send(token, 'POST', `/collection/${id}/transaction`, {
      variantId: anyOf(this.#variantIds),
      occurredDate: '2026-01-31',
      action: 'Purchase',
      quantity: 2,
      unitAmount: { currency: 'USD', value: 1.25 },
    });
  }
}

const processor = ({ node, backEnds }: Used): Processor => ({ node, database: backEnds });
const KINDS = [...Object.keys(QUERIES), 'create'];
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

interface Bytes {
  total: number;
  collection: number;
  transaction: number;
  holding: number;
  account: number;
}

async function bytesOf({ db }: Node): Promise<Bytes> {
  const rows = await db.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const of = (...names: string[]) =>
    rows.filter(({ name }) => names.includes(name)).reduce((sum, { bytes }) => sum + bytes, 0);
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    total,
    collection: of('collection'),
    transaction: of('transaction'),
    holding: of('holding'),
    account: of('account', 'client'),
  };
}

async function dumpBytes({ superuserUrl }: Ledgers): Promise<number> {
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `'${findPostgres()!.bin}/pg_dump' '${superuserUrl}' | wc -c`,
  ]);
  return Number(stdout);
}

async function priceImport({ db, ...node }: Node) {
  const { rows, date } = await nextPrices(db, VARIANTS_IMPORTED);
  const before = await walBytes(db);
  const used = await usedBy({ db, ...node }, 1, () =>
    importPrices(db, rows, date, { version: date, isSample: false }, noProgress),
  );
  return { processorMillis: used.node + used.backEnds, logBytes: (await walBytes(db)) - before };
}

async function logOfCreates(ledgers: Ledgers): Promise<number> {
  const owners = Array.from({ length: 300 }, () => anyOf(ledgers.owners));
  const before = await walBytes(ledgers.node.db);
  await ledgers.used(ledgers.node, 'create', owners);
  return ((await walBytes(ledgers.node.db)) - before) / owners.length;
}

interface Measured {
  unit: Request;
  many: Processor;
}

/**
 * A kind of request of the few, with the ledgers in the memory of a node and where that has forgotten them, and of the many, of accounts
 * as they come: a row of each in turn, by a node of its own for either, so that what else the machine does is the same for all.
 * The first rounds are for V8, which compiles meanwhile, and as many for either node.
 */
async function measure(few: Ledgers, many: Ledgers, kind: string): Promise<Measured> {
  const [node, nodeOfMany] = [
    await newNode(few.server, few.node.url),
    await newNode(many.server, many.node.url),
  ];
  const accounts = shuffled(few.owners);
  const owners = Array.from({ length: ROW }, (_, i) => accounts[i % accounts.length]!);
  const forget = (i: number) => {
    if (i % accounts.length === 0) memoryOf(node.db).forgetLedgers();
  };
  const asTheyCome = () =>
    many.used(
      nodeOfMany,
      kind,
      Array.from({ length: ROW }, () => anyOf(many.owners)),
    );
  const [cold, hot, ofMany]: [Processor[], Processor[], Processor[]] = [[], [], []];
  await many.remember(nodeOfMany);
  for (let round = 0; round < WARMING_ROUNDS + ROUNDS; round++) {
    if (round === WARMING_ROUNDS) for (const rows of [cold, hot, ofMany]) rows.length = 0;
    cold.push(await few.used(node, kind, owners, { before: forget }));
    ofMany.push(await asTheyCome());
    await few.remember(node);
    hot.push(await few.used(node, kind, owners));
    ofMany.push(await asTheyCome());
  }
  await node.close();
  await nodeOfMany.close();
  return { unit: { cold: middle(cold), hot: middle(hot) }, many: middle(ofMany) };
}

/** What a request takes less where its account sent another one within the second. */
async function arrival(few: Ledgers): Promise<Processor> {
  const node = await newNode(few.server, few.node.url);
  const accounts = few.owners.slice(0, APART);
  const owners = Array.from({ length: ROW }, (_, i) => accounts[i % accounts.length]!);
  const [first, again]: [Processor[], Processor[]] = [[], []];
  for (let round = 0; round < WARMING_ROUNDS + ROUNDS; round++) {
    first.push(await few.used(node, 'dashboard', owners));
    again.push(await few.used(node, 'dashboard', owners, { again: true }));
  }
  await node.close();
  const [one, other] = [first, again].map((rows) => middle(rows.slice(WARMING_ROUNDS))) as [
    Processor,
    Processor,
  ];
  return { node: one.node - other.node, database: one.database - other.database };
}

function middle(rows: readonly Processor[]): Processor {
  const of = (part: keyof Processor) => median(rows.map((row) => row[part]));
  return { node: of('node'), database: of('database') };
}

async function unitCosts(ledgers: Ledgers, empty: Bytes, emptyDump: number): Promise<UnitCosts> {
  const { stock } = ledgers;
  const bytes = await bytesOf(ledgers.node);
  const each = (table: 'account' | 'collection' | 'transaction' | 'holding', count: number) =>
    (bytes[table] - empty[table]) / count;
  return {
    disk: {
      catalogue: empty.total,
      account: each('account', stock.accounts),
      collection: each('collection', stock.collections),
      transaction: each('transaction', stock.transactions),
      holding: each('holding', stock.holdings),
    },
    dump: {
      catalogue: emptyDump,
      transaction: ((await dumpBytes(ledgers)) - emptyDump) / stock.transactions,
    },
    requests: {},
    logOfCreate: await logOfCreates(ledgers),
    priceImport: { processorMillis: 0, logBytes: 0 },
  };
}

interface Compared {
  what: string;
  predicted: number;
  measured: number;
}

async function compared(costs: UnitCosts, few: Ledgers, many: Ledgers): Promise<Compared[]> {
  const { stock, node } = many;
  const rows: Compared[] = [
    { what: 'disk, MB', predicted: diskOf(costs, stock) / 1e6, measured: (await bytesOf(node)).total / 1e6 },
    { what: 'dump, MB', predicted: dumpOf(costs, stock) / 1e6, measured: (await dumpBytes(many)) / 1e6 },
    {
      what: 'log of a created transaction, bytes',
      predicted: costs.logOfCreate,
      measured: await logOfCreates(many),
    },
  ];
  for (const kind of KINDS) {
    const { unit, many: measured } = await measure(few, many, kind);
    costs.requests[kind] = unit;
    const name = REQUEST_NAMES[kind]!;
    const predicted = processorOf(costs, kind, stock);
    const both = ({ node: one, database }: Processor) => one + database;
    rows.push(
      { what: `${name}, ms of the node`, predicted: predicted.node, measured: measured.node },
      { what: `${name}, ms of PostgreSQL`, predicted: predicted.database, measured: measured.database },
      { what: `${name}, ms of both`, predicted: both(predicted), measured: both(measured) },
    );
  }
  costs.priceImport = await priceImport(few.node);
  const imported = await priceImport(node);
  rows.push(
    { what: 'import, ms', predicted: costs.priceImport.processorMillis, measured: imported.processorMillis },
    {
      what: 'import, MB of log',
      predicted: costs.priceImport.logBytes / 1e6,
      measured: imported.logBytes / 1e6,
    },
  );
  return rows;
}

/** A database with the catalogue and real prices. */
async function newLedgers(server: PostgresServer): Promise<Ledgers> {
  const ledgers = new Ledgers(server, await newNode(server));
  await maintain(ledgers.superuserUrl, 'vacuum analyze');
  // The first ends the made-up prices.
  await priceImport(ledgers.node);
  await maintain(ledgers.superuserUrl, 'vacuum analyze');
  return ledgers;
}

function described({ stock }: Ledgers): string {
  const share = shareInMemory(stock).toFixed(2);
  return `${stock.transactions} transactions of ${stock.accounts} accounts; share of the ledgers in memory ${share}`;
}

say(`load ${loadavg()[0]!.toFixed(1)}`);
const servers = [await startServer(first), await startServer(transactions)] as const;
try {
  const [few, many] = [await newLedgers(servers[0]), await newLedgers(servers[1])];
  const [empty, emptyDump] = [await bytesOf(few.node), await dumpBytes(few)];
  await few.growTo(first);
  await many.growTo(transactions);
  const costs = await unitCosts(few, empty, emptyDump);
  const rows = await compared(costs, few, many);
  say(`${unitsTable(costs).join('\n')}\n`);
  const { node, database } = await arrival(few);
  say(
    `who asks again within a second: ${shown(node)} ms of the node and ${shown(database)} ms of PostgreSQL less\n`,
  );
  say(`\n${described(few)}\n${described(many)}\n`);
  say('| | predicted | measured | predicted ÷ measured |\n|---|---|---|---|');
  for (const { what, predicted, measured } of rows) {
    say(`| ${what} | ${shown(predicted)} | ${shown(measured)} | × ${(predicted / measured).toFixed(2)} |`);
  }
  say(`\n${needsTable(unitsIn(unitsTable(costs).join('\n'))).join('\n')}`);
  say(`load ${loadavg()[0]!.toFixed(1)}`);
  for (const { node } of [few, many]) await node.close();
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}
