/** What the service takes of a machine, by the unit: measured by capacity.ts, and in docs/scaling.md, whose table `needsTable` makes. */
export interface UnitCosts {
  /** Bytes in the database, with indexes. */
  disk: { catalogue: number; account: number; collection: number; transaction: number; holding: number };
  /** Bytes of a dump. */
  dump: { catalogue: number; transaction: number };
  /** Bytes of the write-ahead log of one created transaction. */
  logOfCreate: number;
  /** Milliseconds of processor time of a request of each kind. */
  requests: Record<string, Request>;
  /** Of an import of 15,000 prices. */
  priceImport: { processorMillis: number; logBytes: number };
}

export interface Processor {
  node: number;
  database: number;
}

export interface Request {
  /** Where the ledgers that it reads are in the node's memory, or it reads none. */
  hot: Processor;
  cold: Processor;
}

/** The kinds of requests, as the document names them. */
export const REQUEST_NAMES: Record<string, string> = {
  dashboard: 'dashboard',
  collections: 'list of 10 collections',
  nested: '10 collections with 10 summaries each',
  summaries: 'page of 50 summaries by gain',
  transactions: 'page of 50 transactions',
  create: 'create a transaction (REST)',
};

/** Bytes of a ledger in memory, and what a node keeps of them (src/memory/ledgers.ts). */
export const LEDGER_MEMORY = { kept: 64 * 2 ** 20, collection: 2000, holding: 81 };

export interface Stock {
  accounts: number;
  collections: number;
  transactions: number;
  holdings: number;
}

/** Bytes in the database. */
export function diskOf({ disk }: UnitCosts, stock: Stock): number {
  const { accounts, collections, transactions, holdings } = stock;
  return (
    disk.catalogue +
    accounts * disk.account +
    collections * disk.collection +
    transactions * disk.transaction +
    holdings * disk.holding
  );
}

export function dumpOf({ dump }: UnitCosts, { transactions }: Stock): number {
  return dump.catalogue + transactions * dump.transaction;
}

/** The share of the ledgers asked for that a node has in memory, where each is equally likely to be the next. */
export function shareInMemory({ collections, holdings }: Stock): number {
  const all = collections * LEDGER_MEMORY.collection + holdings * LEDGER_MEMORY.holding;
  return Math.min(1, LEDGER_MEMORY.kept / all);
}

/** Milliseconds of processor time of a request. */
export function processorOf(costs: UnitCosts, kind: string, stock: Stock): Processor {
  const { hot, cold } = costs.requests[kind]!;
  const share = shareInMemory(stock);
  const mixed = (of: keyof Processor) => share * hot[of] + (1 - share) * cold[of];
  return { node: mixed('node'), database: mixed('database') };
}

/** What people do, and how machines are to be used. */
export interface Habits {
  collectionsPerAccount: number;
  transactionsPerAccount: number;
  holdingsPerAccount: number;
  /** Of the accounts, those that send requests on a day. */
  activeShare: number;
  requestsPerActive: number;
  /** Of the requests of a day, those of its busiest hour. */
  busiestHour: number;
  /** Of the requests, each kind. */
  mix: Record<string, number>;
  /** How busy processors are to be at most. */
  utilisation: number;
}

export interface Prices {
  /** Of a month, in dollars: a core with so many GB, a GB of disk, a GB of back-ups. */
  core: number;
  coreGigabytes: number;
  diskGigabyte: number;
  backupGigabyte: number;
}

export const HABITS: Habits = {
  collectionsPerAccount: 3,
  transactionsPerAccount: 500,
  holdingsPerAccount: 300,
  activeShare: 0.1,
  requestsPerActive: 30,
  busiestHour: 0.1,
  mix: { create: 0.1, dashboard: 0.2, collections: 0.2, nested: 0.2, summaries: 0.2, transactions: 0.1 },
  utilisation: 0.5,
};
export const PRICES: Prices = { core: 25, coreGigabytes: 4, diskGigabyte: 0.1, backupGigabyte: 0.025 };

const GIGABYTE = 1e9;
/** A process uses one core, and takes 300 MB with the shipped catalogue, 64 MiB of ledgers, and its garbage. */
const NODE = { cores: 1, gigabytes: 0.5, atLeast: 2 };
/** Each with a standby, and with no more than is restored in an hour or two. */
const SERVER = { cores: 1, gigabytes: 1, mostDiskGigabytes: 4000 };

/** What Citus makes of the tables of accounts by itself; and how many there are to be for each worker (docs/scaling.md). */
const SHARDS = { atLeast: 32, perWorker: 10 };

interface Machines {
  count: number;
  /** Of each. */
  cores: number;
  gigabytes: number;
  diskGigabytes: number;
}

export interface Needs {
  requestsPerSecond: number;
  nodeCores: number;
  databaseCores: number;
  diskBytes: number;
  logBytesPerDay: number;
  /** Of a process each; two, so that one is there while the other is replaced. */
  nodes: Machines;
  /** Of PostgreSQL, standbys included. */
  servers: Machines;
  /** Of the tables of accounts, on a Citus with a worker in the place of each primary. */
  shards: number;
  dollarsPerMonth: number;
}

/** What so many accounts need in their busiest hour, and what is to be bought for that at least. */
export function needsOf(costs: UnitCosts, habits: Habits, prices: Prices, accounts: number): Needs {
  const stock = {
    accounts,
    collections: accounts * habits.collectionsPerAccount,
    transactions: accounts * habits.transactionsPerAccount,
    holdings: accounts * habits.holdingsPerAccount,
  };
  const requestsPerDay = accounts * habits.activeShare * habits.requestsPerActive;
  const requestsPerSecond = (requestsPerDay * habits.busiestHour) / 3600;
  // Those who come on a day come back within it: of their ledgers each is asked for some times.
  const active = Object.fromEntries(
    Object.entries(stock).map(([name, count]) => [name, count * habits.activeShare]),
  ) as unknown as Stock;
  const cores = (of: keyof Processor) => {
    const millis = Object.entries(habits.mix).reduce(
      (sum, [kind, share]) => sum + share * processorOf(costs, kind, active)[of],
      0,
    );
    return (requestsPerSecond * millis) / 1000 / habits.utilisation;
  };
  const diskBytes = diskOf(costs, stock);
  const logBytesPerDay =
    requestsPerDay * (habits.mix.create ?? 0) * costs.logOfCreate + 24 * costs.priceImport.logBytes;
  const [nodeCores, databaseCores] = [cores('node'), cores('database')];
  const [disk, log] = [diskBytes / GIGABYTE, logBytesPerDay / GIGABYTE];
  const nodes = {
    count: Math.max(NODE.atLeast, Math.ceil(nodeCores)),
    cores: NODE.cores,
    gigabytes: NODE.gigabytes,
    diskGigabytes: 0,
  };
  const primaries = Math.ceil((disk + log) / SERVER.mostDiskGigabytes);
  const servers = {
    count: 2 * primaries,
    cores: Math.max(SERVER.cores, Math.ceil(databaseCores / primaries)),
    // The rows and indexes of those who come on a day.
    gigabytes: Math.max(SERVER.gigabytes, (habits.activeShare * disk) / primaries),
    diskGigabytes: (disk + log) / primaries,
  };
  const dollars = ({ count, cores, gigabytes, diskGigabytes }: Machines) =>
    count *
    (Math.max(cores, gigabytes / prices.coreGigabytes) * prices.core + diskGigabytes * prices.diskGigabyte);
  const dollarsPerMonth = dollars(nodes) + dollars(servers) + (disk + 7 * log) * prices.backupGigabyte;
  return {
    requestsPerSecond,
    nodeCores,
    databaseCores,
    diskBytes,
    logBytesPerDay,
    nodes,
    servers,
    shards: Math.max(SHARDS.atLeast, SHARDS.perWorker * primaries),
    dollarsPerMonth,
  };
}

/** Three digits. */
export function shown(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded >= 1000 ? rounded.toLocaleString('en') : String(rounded);
}

/** The table of docs/scaling.md that follows from these costs. */
export function needsTable(costs: UnitCosts): string[] {
  const rows = [1e4, 1e5, 1e6, 1e7, 1e8].map((accounts) => {
    const needs = needsOf(costs, HABITS, PRICES, accounts);
    const { requestsPerSecond, nodeCores, databaseCores, diskBytes, logBytesPerDay } = needs;
    const { nodes, servers, shards, dollarsPerMonth } = needs;
    const machines =
      `${shown(nodes.count)} nodes of ${nodes.cores} core and ${nodes.gigabytes} GB; ` +
      `${servers.count} PostgreSQL of ${counted(servers.cores)}, ${shown(servers.gigabytes)} GB and ${shown(servers.diskGigabytes)} GB of disk`;
    const cells = [
      accounts.toLocaleString('en'),
      ...[requestsPerSecond, nodeCores, databaseCores].map(shown),
      ...[diskBytes, logBytesPerDay].map((bytes) => `${shown(bytes / GIGABYTE)} GB`),
      machines,
      String(shards),
      shown(dollarsPerMonth),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| Accounts | requests/s | cores of nodes | cores of PostgreSQL | disk | log a day | buy at least | shards on Citus | $ a month |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ];
}

const counted = (cores: number) => `${cores} core${cores === 1 ? '' : 's'}`;

/** The tables of units in docs/scaling.md. */
export function unitsTable({ disk, dump, logOfCreate, requests, priceImport }: UnitCosts): string[] {
  const { processorMillis, logBytes } = priceImport;
  return [
    '| What | Takes |',
    '|---|---|',
    `| an account, a collection on the disk | ${shown(disk.account)} and ${shown(disk.collection)} bytes |`,
    `| a transaction | ${shown(disk.transaction)} bytes on the disk, ${shown(logOfCreate)} of the log of changes when it is created, ${shown(dump.transaction)} of a dump |`,
    `| a card that is held (a holding) | ${shown(disk.holding)} bytes on the disk, ${LEDGER_MEMORY.holding} in a node's memory |`,
    `| the catalogue that ships with the service | ${shown(disk.catalogue / 1e6)} MB, ${shown(dump.catalogue / 1e6)} MB of a dump |`,
    `| an import of 15,000 prices | ${shown(processorMillis)} ms of processor time, ${shown(logBytes / 1e6)} MB of the log |`,
    '',
    '| A request | node, hot | PostgreSQL, hot | node, cold | PostgreSQL, cold |',
    '|---|---|---|---|---|',
    ...Object.entries(requests).map(([kind, { hot, cold }]) => {
      const cells = [hot.node, hot.database, cold.node, cold.database].map((millis) => `${shown(millis)} ms`);
      return `| ${REQUEST_NAMES[kind]} | ${cells.join(' | ')} |`;
    }),
  ];
}

/** The units that such tables have, with their three digits. */
export function unitsIn(tables: string): UnitCosts {
  const numbersOf = (what: string): number[] => {
    const line = tables.split('\n').find((one) => one.startsWith(`| ${what} |`));
    if (line === undefined) throw new Error(`There is no line "${what}".`);
    const cells = line.slice(what.length + 3).match(/\d[\d,.]*/g) ?? [];
    return cells.map((cell) => Number(cell.replaceAll(',', '')));
  };
  const [account, collection] = numbersOf('an account, a collection on the disk') as [number, number];
  const [transaction, logOfCreate, dumped] = numbersOf('a transaction') as [number, number, number];
  const [holding] = numbersOf('a card that is held (a holding)') as [number];
  const [catalogue, dumpedCatalogue] = numbersOf('the catalogue that ships with the service') as [
    number,
    number,
  ];
  const [processorMillis, logMegabytes] = numbersOf('an import of 15,000 prices') as [number, number];
  const requests = Object.entries(REQUEST_NAMES).map(([kind, name]): [string, Request] => {
    const [hotNode, hotDatabase, node, database] = numbersOf(name) as [number, number, number, number];
    return [kind, { hot: { node: hotNode, database: hotDatabase }, cold: { node, database } }];
  });
  return {
    disk: { catalogue: catalogue * 1e6, account, collection, transaction, holding },
    dump: { catalogue: dumpedCatalogue * 1e6, transaction: dumped },
    logOfCreate,
    requests: Object.fromEntries(requests),
    priceImport: { processorMillis, logBytes: logMegabytes * 1e6 },
  };
}
