import type { PGlite } from '@electric-sql/pglite';
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy';
import postgres from 'postgres';
import { DomainError } from '../domain/errors.ts';
import { createNotifier, messagesOf } from './notifier.ts';

export type Param = string | number | boolean | null;

/** Either database, as the services see it. Every value of a row is text, number, boolean, null or parsed JSON. */
export interface Database {
  /** Runs one statement, prepared under its own text. Dates, timestamps and numerics come back as text. */
  query<Row>(text: string, params?: readonly Param[]): Promise<Row[]>;
  /** Runs `work` in one database transaction; deadlocks and serialisation failures are tried again. */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>;
  /**
   * Tells all who listen on the channel, on every node, once what this is part of is committed, and never where it is
   * undone. Many messages share a notification, at most one in 20 ms. The message (no line breaks, at most 1,000 bytes)
   * only says where to look: a crash at the wrong moment loses it.
   */
  notify(channel: string, message: string): void;
  /** drizzle's query builder over the same connection, for simple statements off the hot paths. */
  readonly orm: PgRemoteDatabase;
  readonly kind: 'postgres' | 'pglite';
  /** The same object for a database and for all transactions on it. */
  readonly identity: object;
}

export interface OpenDatabase extends Database {
  /**
   * Calls `onMessage` with each message of the channel (lower-case letters and `_`), and `onConnect` each time that it
   * begins to listen: at first, and when a lost connection is back, since when messages may have been missed. A
   * database that cannot be reached is tried again until it can. Gives the function that ends it.
   */
  listen(channel: string, onMessage: (message: string) => void, onConnect: () => void): StopListening;
  close(): Promise<void>;
  /** Of the connections; PGlite has one only. */
  readonly pool?: PoolUse;
}

/** How a pool of connections is used; what counts grows while the process lives. */
export interface PoolUse {
  readonly size: number;
  inUse: number;
  waiting: number;
  /** How often one had to wait for a connection, for how long in all, and how often in vain. */
  waits: number;
  waitedSeconds: number;
  refusals: number;
}

export type StopListening = () => Promise<void>;

/** Told of every statement that is sent, by tests that count or inspect them. */
export type StatementListener = (text: string, params: readonly Param[]) => void;

interface Driver {
  rows(text: string, params: Param[]): Promise<unknown[]>;
  arrays(text: string, params: Param[]): Promise<unknown[][]>;
  begin<T>(work: (driver: Driver) => Promise<T>): Promise<T>;
}

const CONNECT_TIMEOUT_SECONDS = 2;
const STATEMENT_TIMEOUT_MILLIS = 5000;
const LOCK_TIMEOUT_MILLIS = 3000;
const CONNECTION_WAIT_MILLIS = 3000;
const POOL_SIZE = 8;
const MAX_TRIES = 5;

export function postgresDatabase(url: string, listener?: StatementListener): OpenDatabase {
  const sql = postgres(url, {
    max: POOL_SIZE,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // Arrays are passed as JSON, so the array types of the server need not be asked for.
    fetch_types: false,
    onnotice: () => {},
    types: TEXT_TYPES,
    connection: {
      application_name: 'cardledger',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MILLIS,
      lock_timeout: LOCK_TIMEOUT_MILLIS,
    },
  });
  const driver = postgresDriver(sql);
  const pool: PoolUse = { size: POOL_SIZE, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
  const takeTurn = turnsIn(pool);
  const { notify, drain } = createNotifier((...message) => takeTurn(() => driver.rows(NOTIFY, message)));
  const options = { kind: 'postgres', identity: sql, listener, takeTurn, notify } as const;
  return {
    ...databaseOn(driver, options),
    pool,
    listen(channel, onMessage, onConnect) {
      let isListening = true;
      // A first attempt that fails is repeated by the driver, as it does with a connection that is lost.
      const listening = sql
        .listen(
          channel,
          (payload) => isListening && messagesOf(payload).forEach(onMessage),
          () => isListening && onConnect(),
        )
        .catch(() => undefined);
      return async () => {
        isListening = false;
        await (await listening)?.unlisten().catch(() => {});
      };
    },
    async close() {
      await drain();
      await sql.end({ timeout: 5 });
    },
  };
}

export function pgliteDatabase(pglite: PGlite, listener?: StatementListener): OpenDatabase {
  const driver = pgliteDriver(pglite);
  const options = {
    kind: 'pglite',
    identity: pglite,
    listener,
    takeTurn: (work) => work(),
    notify: createNotifier((...message) => driver.rows(NOTIFY, message)).notify,
  } as const satisfies Options;
  return {
    ...databaseOn(driver, options),
    listen(channel, onMessage, onConnect) {
      const listening = pglite.listen(channel, (payload) => messagesOf(payload).forEach(onMessage));
      listening.then(onConnect, () => {});
      return async () => (await listening)();
    },
    close: () => pglite.close(),
  };
}

const NOTIFY = 'select pg_notify($1, $2)';

/** Runs `work` when one of a number of places is free. */
type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

interface Options {
  kind: Database['kind'];
  identity: object;
  listener: StatementListener | undefined;
  takeTurn: TakeTurn;
  notify: Database['notify'];
}

function databaseOn(driver: Driver, options: Options, inTransaction = false): Database {
  const { kind, identity, listener, takeTurn, notify } = options;
  // Inside a transaction the connection is there already, and the whole of it is tried again, not one statement.
  const attempt: TakeTurn = inTransaction ? (work) => work() : (work) => takeTurn(() => withRetries(work));
  const run = <T>(text: string, params: readonly Param[], send: (params: Param[]) => Promise<T>) => {
    listener?.(text, params);
    return attempt(() => send(params as Param[]));
  };
  let orm: PgRemoteDatabase | undefined;
  return {
    kind,
    identity,
    query: <Row>(text: string, params: readonly Param[] = []) =>
      run(text, params, (values) => driver.rows(text, values)) as Promise<Row[]>,
    notify,
    async transaction(work) {
      if (inTransaction) return work(databaseOn(driver, options, true));
      let messages: [channel: string, message: string][] = [];
      const result = await attempt(() => {
        messages = [];
        const whenCommitted = {
          ...options,
          notify: (...message: [string, string]) => void messages.push(message),
        };
        return driver.begin((inner) => work(databaseOn(inner, whenCommitted, true)));
      });
      for (const message of messages) notify(...message);
      return result;
    },
    get orm() {
      orm ??= drizzle(async (text, params) => ({
        rows: await run(text, params, (values) => driver.arrays(text, values)),
      }));
      return orm;
    },
  };
}

/** The places of a pool; who does not get one in time is refused, so that a crowd behind one lock stops nobody for long. */
function turnsIn(pool: PoolUse): TakeTurn {
  const waiting = new Set<() => void>();
  const place = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(enter);
        pool.waiting = waiting.size;
        pool.waitedSeconds += (performance.now() - start) / 1000;
      };
      const enter = () => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        pool.refusals++;
        reject(unavailable('All connections to the database are busy. Try again shortly.'));
      }, CONNECTION_WAIT_MILLIS);
      waiting.add(enter);
      pool.waiting = waiting.size;
      pool.waits++;
    });
  return async (work) => {
    if (pool.inUse < pool.size) pool.inUse++;
    else await place();
    try {
      return await work();
    } finally {
      // The place goes to the one who waits longest.
      const [next] = waiting;
      if (next) next();
      else pool.inUse--;
    }
  };
}

function postgresDriver(sql: postgres.Sql | postgres.TransactionSql): Driver {
  return {
    rows: (text, params) => sql.unsafe(text, params, { prepare: true }),
    arrays: (text, params) => sql.unsafe(text, params, { prepare: true }).values(),
    begin: (work) => (sql as postgres.Sql).begin((tx) => work(postgresDriver(tx))) as Promise<never>,
  };
}

type PgliteQueries = Pick<PGlite, 'query'> & Partial<Pick<PGlite, 'transaction'>>;

function pgliteDriver(pglite: PgliteQueries): Driver {
  return {
    rows: async (text, params) => (await pglite.query(text, params, { parsers: PGLITE_PARSERS })).rows,
    arrays: async (text, params) =>
      (await pglite.query<unknown[]>(text, params, { parsers: PGLITE_PARSERS, rowMode: 'array' })).rows,
    begin: (work) => pglite.transaction!((tx) => work(pgliteDriver(tx))),
  };
}

const INT8 = 20;
const JSON_TYPE = 114;
const JSONB = 3802;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

const asText = (value: string) => value;

/** Parameters are text already, JSON included. Counts and sums of quantities stay far below 2^53. */
const TEXT_TYPES = {
  date: { to: TIMESTAMPTZ, from: [DATE, TIMESTAMP, TIMESTAMPTZ], serialize: asText, parse: asText },
  json: { to: JSON_TYPE, from: [JSON_TYPE, JSONB], serialize: asText, parse: JSON.parse },
  bigint: { to: INT8, from: [INT8], serialize: String, parse: Number },
} as unknown as Record<string, postgres.PostgresType>;

const PGLITE_PARSERS = { [DATE]: asText, [TIMESTAMP]: asText, [TIMESTAMPTZ]: asText, [INT8]: Number };

/** Lost races that go away when the statement is tried again: serialisation failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_TRIES || !RETRYABLE.has(sqlState(error))) throw translated(error);
    }
  }
}

/** The SQLSTATE or driver code of an error, or an empty text. */
export function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

const UNAVAILABLE_CODES =
  /^(40001|40P01|55P03|08...|57P0[1-5]|53[0-9A-Z]{3}|57014|CONNECT(ION)?_[A-Z_]+|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/;
const RETRY_AFTER_SECONDS = 2;

function translated(error: unknown): unknown {
  if (!UNAVAILABLE_CODES.test(sqlState(error))) return error;
  return unavailable('The database cannot be reached at the moment. Try again shortly.', error);
}

function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('Unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}
