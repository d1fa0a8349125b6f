import { LRUCache } from 'lru-cache';
import { addressOf } from './address.ts';
import type { OnWork } from './connection.ts';
import {
  type Asker,
  accountAsker,
  type Driver,
  type Drivers,
  type How,
  pooledDriver,
  serviceAsker,
  sharedDriver,
} from './drivers.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { isLostRace, translated } from './errors.ts';
import { newListening } from './listening.ts';
import { createNotifier, messagesOf } from './notifier.ts';
import { newOperation, OPERATION_USE, type Operation } from './operation.ts';
import { newPools, type Pool, type Pools } from './pool.ts';
import { isStaleStatement } from './postgres-js.ts';
import type { TellPrimary } from './primary.ts';
import { readingDrivers } from './reading.ts';
import { type ReadUse, type ReplicaOptions, Replicas } from './replicas.ts';
import type { Param } from './text-types.ts';
import { LOCKS, type PoolUse } from './turns.ts';

export type { How } from './drivers.ts';
export { sqlState } from './errors.ts';
export type { ReadUse, ReplicaOptions, ReplicaUse } from './replicas.ts';
export type { Param } from './text-types.ts';
export type { PoolUse } from './turns.ts';

export type HotHow = Pick<How, 'writes' | 'stores' | 'isKept'>;

/** Either database, as the services see it. Every value of a row is text, number, boolean, null or parsed JSON. */
export interface Database {
  /** Runs one statement. Dates, timestamps and numerics come back as text. */
  query<Row>(text: string, params?: readonly Param[], how?: How): Promise<Row[]>;
  /**
   * The same for a hot statement: it looks up so much by keys, however much is stored, waits for no lock and names the
   * account itself. It shares its connection with others, and of a database `forAccount` it is not held by the second
   * wall, which would cost it more than a tenth (docs/operations.md). Within a transaction it is as any other.
   */
  hot<Row>(text: string, params?: readonly Param[], how?: HotHow): Promise<Row[]>;
  /**
   * Runs `work` in one database transaction; deadlocks and serialisation failures are tried again. Where nothing else is
   * said it writes to the account's row.
   */
  transaction<T>(work: (tx: Database) => Promise<T>, how?: Pick<How, 'reads' | 'writes'>): Promise<T>;
  /** From here to the end of the transaction statements may take, and wait, longer than a request may. */
  liftTimeouts(): Promise<void>;
  /**
   * The same database for one operation, which may ask only so much of it (`OPERATION_USE`), and nothing any more once its
   * client has left, unless it has begun to write; a transaction is part of one.
   */
  forOperation(leaving?: AbortSignal): Database;
  /**
   * The same for the rest of an operation that changes nothing but what it `stores`: a replica may answer it that has all that
   * was committed before (docs/operations.md#replicas). Null where there are none.
   */
  onlyReads(): Database | null;
  /** From here to the end of the transaction the time of the operation is not counted: its input says how much there is to do. */
  liftOperation(): Promise<void>;
  /** For what the service does beside requests: it takes no connection from them, and does not wait for theirs. */
  readonly housekeeping: Database;
  /** The same for what follows from an answer, and nobody waits for: in the turns of the account there, and as its work. */
  readonly behind: Database;
  /** For what all requests wait for, and no account asks: statements that are short whatever there is, on a connection of their own. */
  readonly urgent: Database;
  /**
   * Tells all who listen on the channel, on every node, once what this is part of is committed, and never where it is
   * undone. Many messages share a notification, at most one in 20 ms. The message (no line breaks, at most 1,000 bytes)
   * only says where to look: a crash at the wrong moment loses it.
   */
  notify(channel: string, message: string): void;
  /**
   * Calls back once what this is part of is committed, and never where it is undone; at once where it is part of nothing.
   * For what this process holds in memory; it must not throw, since what is committed stays.
   */
  afterCommit(work: () => void): void;
  readonly kind: 'postgres' | 'pglite';
  /** The same object for a database and for all transactions on it. */
  readonly identity: object;
  /** Whether it is a transaction: what is held in memory may be of another state of the database. */
  readonly isTransaction: boolean;
}

export interface OpenDatabase extends Database {
  /**
   * Calls `onMessage` with each message of the channel (lower-case letters and `_`), and `onConnect` each time that it
   * begins to listen: at first, and when a lost connection is back, since when messages may have been missed. A
   * database that cannot be reached is tried again until it can. Gives the function that ends it.
   */
  listen(channel: string, onMessage: (message: string) => void, onConnect: () => void): StopListening;
  /**
   * The same database as the account (a uuid) sees it: whatever is sent, no row of another account is read or changed.
   * Each statement is in a transaction, as the role `cardledger_tenant` with the policies of row-level security. Where it acts below
   * a platform (a uuid), that one's accounts take turns for places of the database as one.
   */
  forAccount(accountId: string, platformId?: string): Database;
  /** `housekeeping` for an account, with its turns there among others, and as its work. Its rows alone are to be asked for. */
  housekeepingOf(accountId: string, platformId?: string): Database;
  /**
   * Tells how long the database worked for an account, in milliseconds, at the end of each statement of its. Waiting for
   * a connection is not work; waiting for a lock there is.
   */
  onWork(listener: WorkListener): void;
  /**
   * Told when a connection was lost by what may have ended others: the next may lead to another server, which may lack what
   * was written last, and give its transactions the same numbers. What only these tell apart is not to be held any longer.
   */
  onLost(listener: () => void): void;
  /** Resolves when the database answers, by a connection that nothing slow is asked of. */
  check(): Promise<void>;
  close(): Promise<void>;
  /** Of connections that have one user each, and statements on those that are shared; PGlite has one connection only. */
  readonly pools?: Record<'alone' | 'shared' | 'housekeeping', PoolUse> & Record<string, PoolUse>;
  /** Where there are replicas. */
  readonly readUse?: ReadUse;
}

export type StopListening = () => Promise<void>;

export type WorkListener = (accountId: string, databaseMillis: number) => void;

/** Told of every statement that is sent, by tests that count or inspect them. */
export type StatementListener = (text: string, params: readonly Param[]) => void;

const MAX_TRIES = 5;
/** Each finds one statement of a transaction that has to be prepared anew. */
const MAX_STALE_TRIES = 50;
const MAX_ACCOUNTS = 1000;
/** What the embedded database is asked beside requests: another of those, such as the first reading of the market, may take it for seconds. */
const BESIDE_WAIT_MILLIS = 60_000;

/** A PostgreSQL behind bounded pools; with `?pgbouncer=true` in its address, one behind PgBouncer in transaction mode. */
export function postgresDatabase(
  url: string,
  listener?: StatementListener,
  operationMillis: number = OPERATION_USE.millis,
  replicaOptions?: ReplicaOptions,
  tellPrimary?: TellPrimary,
): OpenDatabase {
  const address = addressOf(url, tellPrimary);
  const replicas = replicaOptions && new Replicas(address, replicaOptions);
  const lossListeners: (() => void)[] = [];
  const { alone, shared, housekeeping, urgent } = newPools(address, () => {
    for (const tell of lossListeners) tell();
  });
  const listening = newListening(address);
  const service = pooledDriver(urgent, serviceAsker());
  const { notify, drain } = createNotifier((...message) => service.rows(NOTIFY, message, {}));
  const { onWork, workOf } = newWorkReport();
  const forService: Options = { kind: 'postgres', identity: alone, listener, notify, operationMillis };
  const databaseOf = (pool: Pool) => {
    const asker = serviceAsker();
    const own = pooledDriver(pool, asker);
    return databaseOn({ own, hot: sharedDriver(shared, own, asker) }, forService);
  };
  const own = {
    housekeeping: databaseOf(housekeeping),
    urgent: databaseOn({ own: service, hot: service }, forService),
  };
  const options = { ...forService, ...own };
  const housekeepingOf = kept((accountId, platformId) => {
    const asker = { ...accountAsker(accountId, platformId, workOf(accountId)), scope: null };
    const driver = pooledDriver(housekeeping, asker);
    return databaseOn({ own: driver, hot: driver }, forService);
  });
  const databaseFor = (asker: Asker, behind: Database = own.housekeeping) => {
    const driversOn = (pools: Pick<Pools, 'alone' | 'shared'>, operation?: Operation): Drivers => {
      const own = pooledDriver(pools.alone, asker, operation);
      const unscoped = pooledDriver(pools.alone, { ...asker, scope: null }, operation);
      return { own, hot: sharedDriver(pools.shared, unscoped, asker, operation) };
    };
    const driversFor = (operation?: Operation) => driversOn({ alone, shared }, operation);
    const readersFor = (operation: Operation, primary: Drivers) =>
      readingDrivers(replicas!, primary, (pools) => driversOn(pools, operation));
    return databaseOn(driversFor(), { ...options, behind, driversFor, readersFor: replicas && readersFor });
  };
  return {
    ...databaseFor(serviceAsker()),
    pools: {
      alone: alone.usage,
      shared: shared.usage,
      housekeeping: housekeeping.usage,
      ...poolsOf(replicas),
    },
    ...(replicas && { readUse: replicas.use }),
    onWork,
    onLost: (listener) => void lossListeners.push(listener),
    check: once(() => own.urgent.query('select 1')),
    forAccount: kept((accountId, platformId) =>
      databaseFor(
        accountAsker(accountId, platformId, workOf(accountId)),
        housekeepingOf(accountId, platformId),
      ),
    ),
    housekeepingOf,
    listen(channel, onMessage, onConnect) {
      const stop = listening.add({ channel, onMessage, onConnect });
      return async () => stop();
    },
    async close() {
      await drain();
      listening.close();
      await Promise.all([alone, shared, housekeeping, urgent].map((pool) => pool.close()));
      await replicas?.close();
    },
  };
}

function poolsOf(replicas: Replicas | undefined): Record<string, PoolUse> {
  const all = replicas?.use.replicas ?? [];
  return Object.fromEntries(
    all.flatMap(({ server, pools: { alone, shared } }) => [
      [`alone ${server}`, alone.usage],
      [`shared ${server}`, shared.usage],
    ]),
  );
}

/** An embedded database: a pool of one connection, for which all take turns. */
export function pgliteDatabase(
  server: EmbeddedServer,
  listener?: StatementListener,
  operationMillis: number = OPERATION_USE.millis,
): OpenDatabase {
  const service = pooledDriver(server, serviceAsker());
  const { notify, drain } = createNotifier((...message) => service.rows(NOTIFY, message, {}));
  const { onWork, workOf } = newWorkReport();
  const forService: Options = { kind: 'pglite', identity: server, listener, notify, operationMillis };
  const patient = pooledDriver(server, { ...serviceAsker(), waitMillis: BESIDE_WAIT_MILLIS });
  // Behind what the others ask: who waits for it would fail with them otherwise.
  const beside = databaseOn({ own: patient, hot: patient }, forService);
  const own = { housekeeping: beside, urgent: beside };
  const checking = databaseOn({ own: service, hot: service }, forService);
  const options = { ...forService, ...own };
  const housekeepingOf = kept((accountId, platformId) => {
    const asker = { ...accountAsker(accountId, platformId, workOf(accountId)), scope: null };
    const driver = pooledDriver(server, { ...asker, waitMillis: BESIDE_WAIT_MILLIS });
    return databaseOn({ own: driver, hot: driver }, forService);
  });
  const databaseFor = (asker: Asker, behind: Database = beside) => {
    const driversFor = (operation?: Operation): Drivers => ({
      own: pooledDriver(server, asker, operation),
      hot: pooledDriver(server, { ...asker, scope: null }, operation),
    });
    return databaseOn(driversFor(), { ...options, behind, driversFor });
  };
  return {
    ...databaseFor(serviceAsker()),
    onWork,
    onLost: () => {},
    check: once(() => checking.query('select 1')),
    forAccount: kept((accountId, platformId) =>
      databaseFor(
        accountAsker(accountId, platformId, workOf(accountId)),
        housekeepingOf(accountId, platformId),
      ),
    ),
    housekeepingOf,
    listen: (channel, onMessage, onConnect) =>
      server.listen({
        channel,
        onPayload: (payload) => messagesOf(payload).forEach(onMessage),
        onConnect,
      }),
    async close() {
      await drain();
      await server.close();
    },
  };
}

/** Whoever asks while it is under way is told with it. */
function once(work: () => Promise<unknown>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= work()
      .then(() => {})
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
}

function newWorkReport() {
  const listeners: WorkListener[] = [];
  return {
    onWork: (listener: WorkListener) => void listeners.push(listener),
    workOf:
      (accountId: string): OnWork =>
      (databaseMillis) => {
        for (const listener of listeners) listener(accountId, databaseMillis);
      },
  };
}

/** Each request asks for its account's. */
function kept(make: OpenDatabase['forAccount']): OpenDatabase['forAccount'] {
  const databases = new LRUCache<string, Database>({ max: MAX_ACCOUNTS });
  return (accountId, platformId) => {
    const key = platformId === undefined ? accountId : `${platformId} ${accountId}`;
    const known = databases.get(key);
    if (known) return known;
    const made = make(accountId, platformId);
    databases.set(key, made);
    return made;
  };
}

const NOTIFY = 'select pg_notify($1, $2)';

interface Options {
  kind: Database['kind'];
  identity: object;
  listener: StatementListener | undefined;
  notify: Database['notify'];
  operationMillis: number;
  /** All undefined of what is for one of them itself. */
  housekeeping?: Database;
  behind?: Database;
  urgent?: Database;
  /** Not of a transaction. */
  driversFor?: ((operation: Operation) => Drivers) | undefined;
  /** The drivers of an operation that only reads, where there are replicas. */
  readersFor?: ((operation: Operation, primary: Drivers) => Drivers) | undefined;
  /** Only of an operation: `readersFor` it. */
  readers?: (() => Drivers) | undefined;
  /** Only within a transaction. */
  afterCommit?: Database['afterCommit'];
}

type Own = 'housekeeping' | 'behind' | 'urgent';

function databaseOn({ own, hot }: Drivers, options: Options, isTransaction = false): Database {
  const {
    kind,
    identity,
    listener,
    notify,
    operationMillis,
    driversFor,
    readersFor,
    readers,
    afterCommit = (work) => work(),
  } = options;
  // Of a transaction the whole is tried again, not one statement.
  const attempt = <T>(work: () => Promise<T>) => (isTransaction ? work() : withRetries(work));
  const queryBy =
    (sender: Driver): Database['query'] =>
    <Row>(text: string, params: readonly Param[] = [], how: How = {}) => {
      listener?.(text, params);
      return attempt(() => sender.rows(text, params as Param[], how)) as Promise<Row[]>;
    };
  const onTransaction = (driver: Driver, more: Options) =>
    databaseOn({ own: driver, hot: driver }, { ...more, driversFor: undefined, readers: undefined }, true);
  const database: Omit<Database, Own> & Record<Own, Database> = {
    kind,
    identity,
    isTransaction,
    // No getter: an object made with one has a shape of its own, and one is made for each operation.
    housekeeping: options.housekeeping as Database,
    behind: options.behind as Database,
    urgent: options.urgent as Database,
    query: queryBy(own),
    hot: queryBy(hot),
    notify,
    afterCommit,
    async transaction(work, { reads = false, writes = LOCKS.account } = {}) {
      if (isTransaction) return work(onTransaction(own, options));
      let waiting: (() => void)[] = [];
      const result = await attempt(() => {
        waiting = [];
        const later = (work: () => void) => void waiting.push(work);
        const whenCommitted: Options = {
          ...options,
          afterCommit: later,
          notify: (...message) => later(() => notify(...message)),
        };
        return own.begin((inner) => work(onTransaction(inner, whenCommitted)), reads ? {} : { writes });
      });
      for (const work of waiting) work();
      return result;
    },
    liftTimeouts: async () => own.liftTimeouts?.(),
    liftOperation: async () => own.liftOperation?.(),
    forOperation(leaving) {
      if (!driversFor) return database;
      const operation = newOperation(operationMillis, leaving);
      const drivers = driversFor(operation);
      if (!readersFor) return databaseOn(drivers, options);
      return databaseOn(drivers, { ...options, readers: () => readersFor(operation, drivers) });
    },
    onlyReads: () => (readers ? databaseOn(readers(), { ...options, readers: undefined }) : null),
  };
  if (isTransaction || !options.housekeeping) database.housekeeping = database;
  if (isTransaction || !options.behind) database.behind = database;
  if (isTransaction || !options.urgent) database.urgent = database;
  return database;
}

function triesAfter(error: unknown): number {
  if (isStaleStatement(error)) return MAX_STALE_TRIES;
  return isLostRace(error) ? MAX_TRIES : 1;
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= triesAfter(error)) throw translated(error);
    }
  }
}
