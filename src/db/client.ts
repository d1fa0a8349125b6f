import type { How } from './drivers.ts';
import type { ReadUse } from './replicas.ts';
import type { Param } from './text-types.ts';
import type { PoolUse } from './turns.ts';

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

export type WorkListener = (accountId: string, databaseMillis: number, platformId?: string) => void;

/** Told of every statement that is sent, by tests that count or inspect them. */
export type StatementListener = (text: string, params: readonly Param[]) => void;
