/** What the service takes of a machine, by the unit: measured by capacity.ts, and in docs/scaling.md. */
export interface UnitCosts {
  /** Bytes in the database, with indexes. */
  disk: { catalogue: number; account: number; collection: number; transaction: number; holding: number };
  /** Bytes of a dump. */
  dump: { catalogue: number; transaction: number };
  /** Bytes of the write-ahead log of one created transaction. */
  logOfCreate: number;
  /** Milliseconds of processor time of a request of each kind. */
  requests: Record<string, Request>;
  /** Of an import of 40,000 prices. */
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
  /** Of a month, in dollars: a core with 4 GB, a GB of disk, a GB of back-ups. */
  core: number;
  diskGigabyte: number;
  backupGigabyte: number;
}

export interface Needs {
  requestsPerSecond: number;
  nodeCores: number;
  databaseCores: number;
  diskBytes: number;
  logBytesPerDay: number;
  dollarsPerMonth: number;
}

/** What so many accounts need in their busiest hour, with a standby of the database that is as large. */
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
  const gigabytes = diskBytes / 1e9;
  const dollarsPerMonth =
    (Math.max(2, nodeCores) + 2 * Math.max(1, databaseCores)) * prices.core +
    2 * gigabytes * prices.diskGigabyte +
    (gigabytes + (7 * logBytesPerDay) / 1e9) * prices.backupGigabyte;
  return { requestsPerSecond, nodeCores, databaseCores, diskBytes, logBytesPerDay, dollarsPerMonth };
}
