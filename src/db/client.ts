import type { PGlite } from '@electric-sql/pglite';
import { LRUCache } from 'lru-cache';
import { accountScope } from './account-scope.ts';
import { addressOf, isStaleStatement, type Param } from './connection.ts';
import { EmbeddedStatements } from './embedded-statements.ts';
import { sqlState, translated } from './errors.ts';
import { newListening } from './listening.ts';
import { createNotifier, messagesOf } from './notifier.ts';
import type { PoolUse } from './places.ts';
import { newPools, type Pool } from './pool.ts';
import { inTransaction, sendAlone, type Transaction } from './transaction.ts';

export type { Param } from './connection.ts';
export { sqlState } from './errors.ts';
export type { PoolUse } from './places.ts';

/** Either database, as the services see it. Every value of a row is text, number, boolean, null or parsed JSON. */
export interface Database {
  /** Runs one statement, prepared under its own text. Dates, timestamps and numerics come back as text. */
  query<Row>(text: string, params?: readonly Param[]): Promise<Row[]>;
  /**
   * The same for a hot statement, which is short, waits for no lock and names the account itself: it shares its connection
   * with others, and of a database `forAccount` it is not held by the second wall, which would cost it more than a tenth
   * (docs/operations.md). Within a transaction it is as any other.
   */
  hot<Row>(text: string, params?: readonly Param[]): Promise<Row[]>;
  /** Runs `work` in one database transaction; deadlocks and serialisation failures are tried again. */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>;
  /** From here to the end of the transaction statements may take, and wait, longer than a request may. */
  liftTimeouts(): Promise<void>;
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
   * Each statement is in a transaction, as the role `cardledger_tenant` with the policies of row-level security.
   */
  forAccount(accountId: string): Database;
  close(): Promise<void>;
  /** Of connections that have one user each, and statements on those that are shared; PGlite has one connection only. */
  readonly pools?: { alone: PoolUse; shared: PoolUse };
}

export type StopListening = () => Promise<void>;

/** Told of every statement that is sent, by tests that count or inspect them. */
export type StatementListener = (text: string, params: readonly Param[]) => void;

interface Driver {
  rows(text: string, params: Param[]): Promise<unknown[]>;
  begin<T>(work: (driver: Driver) => Promise<T>): Promise<T>;
  /** Only within a transaction. */
  liftTimeouts?(): Promise<void>;
}

const MAX_TRIES = 5;
/** Each finds one statement of a transaction that has to be prepared anew. */
const MAX_STALE_TRIES = 50;
const MAX_ACCOUNTS = 1000;

/** A PostgreSQL behind a bounded pool; with `?pgbouncer=true` in its address, one behind PgBouncer in transaction mode. */
export function postgresDatabase(url: string, listener?: StatementListener): OpenDatabase {
  const address = addressOf(url);
  const { alone, shared } = newPools(address);
  const driver = pooledDriver(alone);
  const hotDriver = sharedDriver(shared, driver);
  const listening = newListening(address);
  const { notify, drain } = createNotifier((...message) => driver.rows(NOTIFY, message));
  const options = { kind: 'postgres', identity: alone, listener, notify } as const;
  return {
    ...databaseOn(driver, options, false, hotDriver),
    pools: { alone: alone.usage, shared: shared.usage },
    forAccount: kept((accountId) =>
      databaseOn(pooledDriver(alone, accountScope(accountId)), options, false, hotDriver),
    ),
    listen(channel, onMessage, onConnect) {
      const stop = listening.add({ channel, onMessage, onConnect });
      return async () => stop();
    },
    async close() {
      await drain();
      listening.close();
      await Promise.all([alone.close(), shared.close()]);
    },
  };
}

export function pgliteDatabase(pglite: PGlite, listener?: StatementListener): OpenDatabase {
  const statements = new EmbeddedStatements(pglite);
  const driver = pgliteDriver(pglite, statements);
  const options = {
    kind: 'pglite',
    identity: pglite,
    listener,
    notify: createNotifier((...message) => driver.rows(NOTIFY, message)).notify,
  } as const satisfies Options;
  return {
    ...databaseOn(driver, options),
    listen(channel, onMessage, onConnect) {
      const listening = statements.listen(channel, (payload) => messagesOf(payload).forEach(onMessage));
      listening.then(onConnect, () => {});
      return async () => (await listening)();
    },
    forAccount: kept((accountId) =>
      databaseOn(pgliteDriver(pglite, statements, accountScope(accountId)), options, false, driver),
    ),
    close: () => pglite.close(),
  };
}

/** Each request asks for its account's. */
function kept(make: (accountId: string) => Database): (accountId: string) => Database {
  const databases = new LRUCache<string, Database>({ max: MAX_ACCOUNTS });
  return (accountId) => {
    const known = databases.get(accountId);
    if (known) return known;
    const made = make(accountId);
    databases.set(accountId, made);
    return made;
  };
}

const NOTIFY = 'select pg_notify($1, $2)';

interface Options {
  kind: Database['kind'];
  identity: object;
  listener: StatementListener | undefined;
  notify: Database['notify'];
  /** Only within a transaction. */
  afterCommit?: Database['afterCommit'];
}

function databaseOn(driver: Driver, options: Options, isTransaction = false, hotDriver = driver): Database {
  const { kind, identity, listener, notify, afterCommit = (work) => work() } = options;
  // Of a transaction the whole is tried again, not one statement.
  const attempt = <T>(work: () => Promise<T>) => (isTransaction ? work() : withRetries(work));
  const queryBy =
    (sender: Driver): Database['query'] =>
    <Row>(text: string, params: readonly Param[] = []) => {
      listener?.(text, params);
      return attempt(() => sender.rows(text, params as Param[])) as Promise<Row[]>;
    };
  return {
    kind,
    identity,
    isTransaction,
    query: queryBy(driver),
    hot: queryBy(hotDriver),
    notify,
    afterCommit,
    async transaction(work) {
      if (isTransaction) return work(databaseOn(driver, options, true));
      let waiting: (() => void)[] = [];
      const result = await attempt(() => {
        waiting = [];
        const later = (work: () => void) => void waiting.push(work);
        const whenCommitted: Options = {
          ...options,
          afterCommit: later,
          notify: (...message) => later(() => notify(...message)),
        };
        return driver.begin((inner) => work(databaseOn(inner, whenCommitted, true)));
      });
      for (const work of waiting) work();
      return result;
    },
    liftTimeouts: async () => driver.liftTimeouts?.(),
  };
}

function pooledDriver(pool: Pool, scope: string | null = null): Driver {
  return {
    rows: (text, params) => pool.use((connection) => sendAlone(connection, scope, text, params)),
    begin: (work) =>
      pool.use((connection) =>
        inTransaction(connection, scope, (transaction) => work(transactionDriver(transaction))),
      ),
  };
}

/** What meets a lock on a shared connection, or takes long there, goes to one of its own: nothing of it was done. */
function sharedDriver(shared: Pool, alone: Driver): Driver {
  const { rows } = pooledDriver(shared);
  return {
    ...alone,
    rows: (text, params) =>
      rows(text, params).catch((error) => {
        if (!HELD_UP.has(sqlState(error))) throw error;
        return alone.rows(text, params);
      }),
  };
}

/** Lock not available, statement timeout. */
const HELD_UP = new Set(['55P03', '57014']);

function transactionDriver({ send, liftTimeouts }: Transaction): Driver {
  return {
    rows: async (text, params) => (await send(text, params)).rows,
    begin: () => Promise.reject(new Error('A transaction is under way already.')),
    liftTimeouts,
  };
}

/** With a scope, every statement and transaction is in one that starts with it. */
function pgliteDriver(pglite: PGlite, statements: EmbeddedStatements, scope: string | null = null): Driver {
  return {
    rows: statements.alone(scope),
    begin: (work) =>
      pglite.transaction(async (tx) => {
        if (scope !== null) await tx.exec(scope);
        return work({
          rows: statements.within(tx),
          begin: () => Promise.reject(new Error('A transaction is under way already.')),
        });
      }),
  };
}

/** Lost races that go away when the statement is tried again: serialisation failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);

function triesAfter(error: unknown): number {
  if (isStaleStatement(error)) return MAX_STALE_TRIES;
  return RETRYABLE.has(sqlState(error)) ? MAX_TRIES : 1;
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
