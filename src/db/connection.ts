import { type NetConnectOpts, connect as openSocket, type Socket } from 'node:net';
import postgres from 'postgres';
import { freeMillis } from '../lib/free-time.ts';
import { removeFrom } from '../lib/lists.ts';
import { startPatience } from '../lib/patience.ts';
import { hostOf } from '../lib/public-address.ts';
import { ASSERT_LIBRARY, CITUS_LIBRARY, citusNotLoaded, isLibraryMissing } from './citus-library.ts';
import { INVALID_CURSOR_STATE, LOCK_NOT_AVAILABLE, QUERY_CANCELED, READ_ONLY, sqlState } from './errors.ts';
import { addTo, NO_ROWS, type RowHolder, refuseRetries, shortenSignatures } from './postgres-js.ts';
import type { Primary } from './primary.ts';
import type { Param } from './text-types.ts';
import { TEXT_TYPES } from './text-types.ts';

export const CONNECT_TIMEOUT_MILLIS = 2000;
export const STATEMENT_TIMEOUT_MILLIS = 5000;
export const LOCK_TIMEOUT_MILLIS = 3000;
/** The server ends a statement at its own deadline; one that says nothing for this much longer is out of reach. */
const ANSWER_GRACE_MILLIS = 500;
const KEEP_ALIVE_SECONDS = 5;
/** What the server holds each session to. One that nobody comes back to gives up its transaction, and its locks. */
export const DEADLINES_MILLIS = {
  statement_timeout: STATEMENT_TIMEOUT_MILLIS,
  lock_timeout: LOCK_TIMEOUT_MILLIS,
  idle_in_transaction_session_timeout: 5000,
};
/**
 * For data in memory, or on a disk that reads anywhere at one price. By the server's default, which is for disks with
 * heads, it sorts whole lists that an index has in order. It compiles nothing to machine code: that takes up to a second
 * and 30 MB of a back end, for statements that take milliseconds, by an estimate that is off by a thousand times. And a
 * statement has two processors at most, as accounts share out connections, not what further processes would take for one of them. With
 * one alone, the first order by value of 200 collections of 5,000 variants after an import took more than 2 s, and 0.6 s so.
 */
const PLANNING = { random_page_cost: 1.1, jit: 'off', max_parallel_workers_per_gather: 1 };
const READING = { default_transaction_read_only: 'on' };
/** What a session of a shared connection is held to: others wait behind each statement. */
export const SHARED_DEADLINES_MILLIS = { ...DEADLINES_MILLIS, statement_timeout: 300, lock_timeout: 50 };
/** For work on much data, during which this process may have long pauses of its own. */
export const LIFT_DEADLINES = settings({
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 300_000,
}).join('; ');
/** After this the server takes a client that does not answer for dead, instead of after two hours. */
const KEEP_ALIVE_OF_SERVER = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

export function settings(values: Record<string, number | string>): string[] {
  return Object.entries(values).map(([name, value]) => `set local ${name} = ${value}`);
}

/** How to reach a PostgreSQL. */
export interface Address {
  /** For the driver: of the first server, where there are several. */
  url: string;
  /**
   * By `?pgbouncer=true`: each database transaction may run on another session, so nothing is prepared, and the
   * settings are made in each of them.
   */
  pgbouncer: boolean;
  /** Where there are several servers: the one that takes changes. */
  primary: Primary | null;
  /** Set where sessions are to refuse whatever would change something, also when the server would not (any more). */
  readOnly?: boolean;
  /** Behind PgBouncer: a statement that each transaction starts with, which fails where another server answers than is meant. */
  assertServer?: () => string;
  /** Known from the first connection on that has looked. */
  isCitus?: boolean;
}

/** What a statement gives. */
export interface Result {
  rows: unknown[];
  /** The command's tag, such as `COMMIT`. */
  command: string;
}

/**
 * Told how long the database worked on a statement, in milliseconds, however it ended: of a connection that many share,
 * from the answer to the one before.
 */
export type OnWork = (databaseMillis: number) => void;

export interface SendOptions {
  onWork?: OnWork | undefined;
  /** By its text, and kept for the next of the same; by default true. */
  isPrepared?: boolean | undefined;
}

/** Of a statement that has met a deadline of its session. */
const DEADLINES = new Set([QUERY_CANCELED, LOCK_NOT_AVAILABLE]);

/** One connection to PostgreSQL. It is opened by its first statement, and never again once it was lost. */
export interface Connection {
  /** Sends a statement behind those that were sent before it. */
  send(text: string, params?: readonly Param[], options?: SendOptions): Promise<Result>;
  /** What a transaction with these settings starts with, one behind the other; `begin` alone where there is nothing to be set. */
  beginTexts(settings: readonly string[]): string[];
  /** How long it may be silent while a statement is under way; 0 for as long as it takes. */
  limitMillis: number;
  readonly isOpen: boolean;
  readonly openedAt: number;
  /** Whether another server has taken the place of its own, which is none of the database's any more. */
  readonly isLeft: boolean;
  /** How many statements are under way. */
  readonly unanswered: number;
  /** Asks the server to break off the statement under way. Nothing else is to be sent then but the end of its transaction. */
  cancel(): void;
  readonly isCancelled: boolean;
  /** Ends it at once; statements under way are rejected. */
  discard(): void;
  /** Says good-bye to the server first. */
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** @param wasLost whether what ended it may have ended others too: neither we did, nor an error of its own */
  onClosed: (wasLost: boolean) => void;
  onNotification?: (channel: string, payload: string) => void;
  /** It is one to the coordinator of a Citus. */
  onCitus?: () => void;
}

export const DEFAULT_LIMIT_MILLIS = STATEMENT_TIMEOUT_MILLIS + ANSWER_GRACE_MILLIS;

/**
 * postgres.js with nothing but its protocol: one instance is one connection. Its own pool writes to connections that
 * are gone, which ends the process (porsager/postgres#1208), gives what a failed transaction still sends to whoever has
 * the connection next, and reconnects without an end. So an instance that has lost its connection is thrown away, and
 * nobody is left waiting for it.
 */
export function newConnection(
  to: Address,
  events: ConnectionEvents,
  deadlines = DEADLINES_MILLIS,
): Connection {
  const { url, primary, assertServer } = to;
  const { isOwn, begin, settingsOfEach, parameters } = sessionOf(to, deadlines);
  let socket: Socket | undefined;
  let connecting: (() => void) | undefined;
  let isOpen = true;
  let isClosing = false;
  const waiting: ((error: Error) => void)[] = [];
  let answeredAt = 0;
  let newest: { state?: Backend | null } | undefined;
  let address: NetConnectOpts | undefined;
  /** Of several. */
  let serverUrl: string | undefined;
  let isCancelled = false;
  let stopPatience = () => {};

  /**
   * What waits for the server to be looked at. That is sent alone: of the statements that postgres.js has when a connection opens,
   * it sends but half, and the others behind later ones.
   */
  let held: (() => void)[] = [];
  let isLookedAt = false;
  const startInTurn = (start: () => void) => {
    if (isLookedAt) start();
    else if (held.push(start) === 1) lookAtServer().catch(end);
  };
  const look = (): Promise<{ isLoaded: boolean }[]> =>
    sql.unsafe<{ isLoaded: boolean }[]>(CITUS_LIBRARY).catch((error) => {
      // A server that is slow to begin: the connection is good, and those who wait have a limit of their own.
      if (isOpen && DEADLINES.has(sqlState(error))) return look();
      throw error;
    });
  const lookAtServer = async () => {
    const [citus] = await look();
    if (citus && !citus.isLoaded) throw citusNotLoaded();
    to.isCitus = citus !== undefined;
    if (to.isCitus) events.onCitus?.();
    isLookedAt = true;
    answeredAt = freeMillis();
    if (isOpen) for (const start of held) start();
    held = [];
  };

  /** From the last answer on: the database begins with a statement when it has answered the one before. */
  const awaitAnswer = () => {
    stopPatience();
    const limit = connection.limitMillis;
    const isWaiting = isOpen && waiting.length > 0 && limit > 0;
    stopPatience = isWaiting ? startPatience(limit, () => end(silent(limit))) : () => {};
  };

  /** It refused a change: the place of its server may have been taken, without the end of any connection. */
  const review = async () => {
    if (serverUrl === undefined) return;
    await primary!.review(serverUrl);
    if (primary!.hasLeft(serverUrl)) end(lost());
  };

  const end = (error: Error) => {
    if (!isOpen) return;
    isOpen = false;
    connecting?.();
    socket?.destroy();
    if (serverUrl !== undefined && !isClosing && !isOfItsOwn(error)) primary!.doubt(serverUrl);
    for (const giveUp of [...waiting]) giveUp(error);
    events.onClosed(!isClosing && !isOfItsOwn(error));
  };

  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    // Ours is below.
    connect_timeout: 0,
    keep_alive: KEEP_ALIVE_SECONDS,
    prepare: isOwn,
    // Arrays are passed as JSON, so the array types of the server need not be asked for.
    fetch_types: false,
    onnotice: () => {},
    // The server tells its parameters once the login is done.
    onparameter: () => connecting?.(),
    onclose: () => end(lost()),
    onnotify: events.onNotification,
    types: TEXT_TYPES,
    connection: {
      application_name: 'cardledger',
      TimeZone: 'UTC',
      ...parameters,
    },
    socket: async (options: SocketOptions) => {
      if (socket || !isOpen) throw lost();
      serverUrl = await primary?.find();
      if (!isOpen) throw lost();
      const server = serverUrl === undefined ? options : socketOptionsOf(serverUrl);
      address = netOptions(server);
      socket = openSocket(address);
      connecting = startPatience(CONNECT_TIMEOUT_MILLIS, () => end(silent(CONNECT_TIMEOUT_MILLIS)));
      // The name that a certificate is checked for.
      return Object.assign(socket, { host: server.host[0] });
    },
  } as postgres.Options<Record<string, postgres.PostgresType>>);
  const query = Object.getPrototypeOf(sql.unsafe(''));
  refuseRetries(query);
  shortenSignatures(query);

  const connection: Connection = {
    beginTexts(given) {
      if (isOwn && given.length === 0) return [begin];
      const all = [...settingsOfEach, ...given];
      const assertions = isOwn
        ? []
        : [...(to.isCitus ? [ASSERT_LIBRARY] : []), ...(assertServer ? [assertServer()] : [])];
      if (!to.isCitus) return [[begin, ...all, ...assertions].join('; ')];
      // Citus repeats on its nodes the whole text in which something is set, and there a transaction is under way by then.
      return [begin, ...(all.length > 0 ? [all.join('; ')] : []), ...assertions];
    },
    limitMillis: DEFAULT_LIMIT_MILLIS,
    openedAt: Date.now(),
    get isOpen() {
      return isOpen;
    },
    get isLeft() {
      return serverUrl !== undefined && primary!.hasLeft(serverUrl);
    },
    get unanswered() {
      return waiting.length;
    },
    send(text, params = [], { onWork, isPrepared = true } = {}) {
      if (!isOpen) return Promise.reject(lost());
      // postgres.js would fail another's statement in its place.
      if (params.includes(undefined!)) return Promise.reject(new TypeError('A parameter is undefined.'));
      const query = sql.unsafe(text, params as Param[], { prepare: isPrepared && isOwn });
      newest = query as typeof newest;
      const sentAt = freeMillis();
      return new Promise<Result>((resolve, reject) => {
        const settle = () => {
          removeFrom(waiting, giveUp);
          const now = freeMillis();
          // What was not answered was perhaps never executed.
          if (isOpen) onWork?.(now - Math.max(sentAt, answeredAt));
          answeredAt = now;
          awaitAnswer();
        };
        const giveUp = (error: unknown) => {
          settle();
          reject(error);
        };
        waiting.push(giveUp);
        if (waiting.length === 1) awaitAnswer();
        const holder: RowHolder = { rows: [] };
        startInTurn(() => {
          query.forEach(addTo(holder)).then(
            ({ command }) => {
              settle();
              resolve({ rows: holder.rows, command });
              holder.rows = NO_ROWS;
            },
            (error) => {
              if (endsConnection(error)) end(error);
              else if (sqlState(error) === READ_ONLY) void review();
              giveUp(isLibraryMissing(error) ? citusNotLoaded() : error);
            },
          );
        });
      });
    },
    get isCancelled() {
      return isCancelled;
    },
    cancel() {
      isCancelled = true;
      if (address && newest?.state) sendCancel(address, newest.state);
    },
    discard: () => end(lost()),
    async close() {
      isClosing = true;
      await sql.end({ timeout: 1 });
      end(lost());
    },
  };
  return connection;
}

interface Session {
  /** Behind PgBouncer, each transaction may be on another one. */
  isOwn: boolean;
  begin: string;
  /** Made in each transaction. */
  settingsOfEach: string[];
  /** Told when it is opened, which PgBouncer refuses. */
  parameters: Record<string, number | string>;
}

function sessionOf({ pgbouncer, readOnly = false }: Address, deadlines: typeof DEADLINES_MILLIS): Session {
  const all = { ...deadlines, ...PLANNING, ...(readOnly && READING) };
  if (!pgbouncer)
    return {
      isOwn: true,
      begin: 'begin',
      settingsOfEach: [],
      parameters: { ...all, ...KEEP_ALIVE_OF_SERVER },
    };
  // Of one snapshot, as it has to be told before a server is asserted by a query.
  const begin = readOnly ? 'begin isolation level repeatable read, read only' : 'begin';
  return { isOwn: false, begin, settingsOfEach: settings(all), parameters: {} };
}

/** By what the server knows a session whose statement is to be broken off. */
interface Backend {
  pid: number;
  secret: number;
}

const CANCEL_REQUEST = 80877102;

/** By PostgreSQL's protocol: on a connection of its own, without a login or an answer. */
function sendCancel(address: NetConnectOpts, { pid, secret }: Backend): void {
  const request = Buffer.alloc(16);
  for (const [i, word] of [request.length, CANCEL_REQUEST, pid, secret].entries()) {
    request.writeInt32BE(word | 0, i * 4);
  }
  const socket = openSocket(address);
  // Where it does not arrive, the statement ends at its own deadline.
  socket.on('error', () => {});
  socket.setTimeout(CONNECT_TIMEOUT_MILLIS, () => socket.destroy());
  socket.end(request);
}

/** As postgres.js has them. */
interface SocketOptions {
  path: string | false;
  host: string[];
  port: number[];
}

const DEFAULT_PORT = 5432;

function socketOptionsOf(serverUrl: string): SocketOptions {
  const url = new URL(serverUrl);
  return { path: false, host: [hostOf(url)], port: [Number(url.port || DEFAULT_PORT)] };
}

function netOptions({ path, host, port }: SocketOptions): NetConnectOpts {
  if (path) return { path };
  return { host: host[0]!, port: port[0]!, noDelay: true };
}

/** Only an error that the server reports about a statement leaves the connection as it is. */
function endsConnection(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return true;
  return /^(FATAL|PANIC)$/.test(error.severity) || error.code === INVALID_CURSOR_STATE;
}

/** Such as a refused login; not that the server stops. */
function isOfItsOwn(error: Error): boolean {
  return error instanceof postgres.PostgresError && !error.code.startsWith('57P');
}

function lost(): Error {
  return Object.assign(new Error('The connection to the database is lost.'), { code: 'CONNECTION_CLOSED' });
}

function silent(millis: number): Error {
  const message = `The database has not answered for ${millis} ms.`;
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}
