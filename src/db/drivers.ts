import { DomainError } from '../domain/errors.ts';
import { startPatience } from '../lib/patience.ts';
import { accountScope } from './account-scope.ts';
import { LOCK_TIMEOUT_MILLIS, type OnWork, STATEMENT_TIMEOUT_MILLIS, settings } from './connection.ts';
import { LOCK_NOT_AVAILABLE, QUERY_CANCELED, sqlState, unavailable } from './errors.ts';
import type { Operation } from './operation.ts';
import type { Pool } from './pool.ts';
import type { Param } from './text-types.ts';
import { inTransaction, sendAlone } from './transaction.ts';
import { busy, STRANGERS, type Turn, WAIT_MILLIS } from './turns.ts';

export interface How {
  /**
   * Its text depends on what is asked for, or its plan should: it is planned each time. All others are prepared under
   * their texts, which a connection keeps, with some 60 kB each, for as long as it lives.
   */
  varies?: boolean;
  /**
   * The lock of the account that it may meet, by the collection's id or one of `LOCKS`: its writers take turns in this process, where waiting
   * holds no connection.
   */
  writes?: string;
  /** Of a transaction: it meets no such lock. */
  reads?: boolean;
  /** It stores what follows from what an operation has read, which otherwise only reads: no replica can do that. */
  stores?: boolean;
  /** What it gives is held in memory as what there is by now: no replica will do that has less. */
  isKept?: boolean;
  /** Of the service itself: the address on whose behalf, as long as nobody knows whose that is. */
  address?: string;
}

/** Since when a statement waits, where that began on another way. */
interface Since {
  since?: number;
}

export interface Driver {
  rows(text: string, params: Param[], how: How & Since): Promise<unknown[]>;
  begin<T>(work: (driver: Driver) => Promise<T>, how: How): Promise<T>;
  /** Only within a transaction. */
  liftTimeouts?(): Promise<void>;
  liftOperation?(): Promise<void>;
}

/** For statements of their own and transactions, and for hot statements. */
export interface Drivers {
  own: Driver;
  hot: Driver;
}

/** On whose behalf statements are sent. */
export interface Asker {
  /** The account, or `''` for the service itself. */
  owner: string;
  /** The platform that the account is below, where it acts for it. */
  platform?: string | undefined;
  /** What makes a transaction see the rows of the account only. */
  scope: string | null;
  onWork: OnWork | undefined;
  /** By `performance.now()`: until then its hot statements share no connections. */
  aloneUntil: number;
  /** How long it waits for its turn, where nobody waits for it. */
  waitMillis?: number;
}

export const serviceAsker = (): Asker => ({ owner: '', scope: null, onWork: undefined, aloneUntil: 0 });

export function accountAsker(accountId: string, platform: string | undefined, onWork: OnWork): Asker {
  return { owner: accountId, platform, scope: accountScope(accountId), onWork, aloneUntil: 0 };
}

/**
 * What an operation does counts as its, and says why where it was broken off. While a node of a Citus is silent the time that an
 * operation has used up says nothing about it: its statements may have waited for that node.
 */
function ofOperation<T>(
  pool: Pool,
  operation: Operation | undefined,
  { writes }: How,
  work: () => Promise<T>,
): Promise<T> {
  if (!operation) return work();
  return operation.run(work, writes !== undefined).catch(async (error) => {
    const explained = operation.explained(error);
    const node = isTooMuchWork(explained) ? await silentNodeFor(operation, pool) : null;
    if (!node) throw explained;
    throw unavailable(
      'A part of the database does not answer at the moment. Try again shortly.',
      silent(node),
    );
  });
}

const silentNodes = new WeakMap<Operation, Promise<string | null>>();

/** Asked once for an operation: all of it that comes later is refused for the same. */
function silentNodeFor(operation: Operation, pool: Pool): Promise<string | null> {
  const known = silentNodes.get(operation);
  if (known) return known;
  const asked = Promise.resolve(pool.silentNode?.() ?? null);
  silentNodes.set(operation, asked);
  return asked;
}

function isTooMuchWork(error: unknown): boolean {
  return error instanceof DomainError && error.problem === 'TooMuchWork';
}

const silent = (node: string) => new Error(`The coordinator of Citus does not reach the node ${node}.`);

/** Statements on a connection that each has for itself; with an operation they count as its. */
export function pooledDriver(pool: Pool, asker: Asker, operation?: Operation): Driver {
  const { owner, platform, onWork, waitMillis } = asker;
  const turnFor = ({ writes, address, since = performance.now() }: How & Since): Turn =>
    address === undefined
      ? { owner, platform, writes: owner === '' ? null : (writes ?? null), since, waitMillis }
      : { owner: STRANGERS, crowd: address, writes: null, since };
  const counted = async <T>(cancel: () => void, work: () => Promise<T>, isLifted = false): Promise<T> => {
    const end = isLifted ? undefined : operation?.begin(cancel);
    try {
      return await work();
    } finally {
      end?.();
    }
  };
  return {
    rows: (text, params, how) =>
      ofOperation(pool, operation, how, () => {
        const turn = turnFor(how);
        return pool.use(turn, (connection) =>
          counted(connection.cancel, () =>
            sendAlone(connection, settingsOf(pool, asker, turn.since, operation), text, params, {
              onWork,
              isPrepared: !how.varies,
            }),
          ),
        );
      }),
    begin: (work, how) =>
      ofOperation(pool, operation, how, () => {
        const turn: Turn = { ...turnFor(how), isTransaction: true };
        return pool.use(turn, (connection) =>
          inTransaction(
            connection,
            settingsOf(pool, asker, turn.since, operation),
            ({ send, liftTimeouts }) => {
              let isLifted = false;
              const sendOne = (text: string, params: Param[], { varies }: How) =>
                counted(
                  connection.cancel,
                  () => send(text, params, { onWork, isPrepared: !varies }),
                  isLifted,
                );
              return work({
                rows: async (text, params, how) => (await sendOne(text, params, how)).rows,
                begin: () => Promise.reject(new Error('A transaction is under way already.')),
                liftTimeouts() {
                  isLifted = true;
                  return liftTimeouts();
                },
                async liftOperation() {
                  isLifted = true;
                  if (operation && pool.hasDeadlines) await send(DEFAULT_TIMEOUTS);
                },
              });
            },
          ),
        );
      }),
  };
}

const DEFAULT_TIMEOUTS = settings({
  statement_timeout: STATEMENT_TIMEOUT_MILLIS,
  lock_timeout: LOCK_TIMEOUT_MILLIS,
}).join('; ');

/** A wait for a lock ends sooner than the statement of an operation, so that it is known for what it is. */
export const LOCK_SHARE = 0.75;
/** Where the request to break off a statement is late. */
const LEFT_GRACE_MILLIS = 100;
const NOTICED_MILLIS = 50;

/** What a transaction of the asker starts with; it has waited since then, and waits for locks so much less. */
function settingsOf(pool: Pool, { scope }: Asker, since: number, operation?: Operation): string[] {
  if (!pool.hasDeadlines) return scope === null ? [] : [scope];
  const waited = performance.now() - since;
  const left = Math.min(STATEMENT_TIMEOUT_MILLIS, operation?.leftMillis() ?? STATEMENT_TIMEOUT_MILLIS);
  const lockTimeout = Math.min(
    LOCK_TIMEOUT_MILLIS - (waited < NOTICED_MILLIS ? 0 : waited),
    left * LOCK_SHARE,
  );
  return [
    ...(scope === null ? [] : [scope]),
    ...(left < STATEMENT_TIMEOUT_MILLIS
      ? settings({ statement_timeout: Math.ceil(left) + LEFT_GRACE_MILLIS })
      : []),
    ...(lockTimeout < LOCK_TIMEOUT_MILLIS
      ? settings({ lock_timeout: Math.max(1, Math.floor(lockTimeout)) })
      : []),
  ];
}

/** How long an account sends hot statements on connections of their own, when one has taken too long where others wait behind it. */
const ALONE_MILLIS = 10_000;

/**
 * What meets a lock on a shared connection goes to one of its own: nothing of it was done. So does what took too long
 * there, and then all of the account for a while: whatever that may be, others wait behind it once.
 * @param alone gives the driver for connections of their own, which is seldom needed
 */
export function sharedDriver(shared: Pool, alone: () => Driver, asker: Asker, operation?: Operation): Driver {
  const { owner, platform, onWork } = asker;
  const count: OnWork = (millis) => {
    operation?.add(millis);
    onWork?.(millis);
  };
  const send = (text: string, params: Param[], since: number) =>
    shared.use({ owner, platform, writes: null, since }, (connection) =>
      sendAlone(connection, [], text, params, { onWork: count }),
    );
  return {
    begin: (work, how) => alone().begin(work, how),
    async rows(text, params, how) {
      const since = performance.now();
      if (since < asker.aloneUntil) return alone().rows(text, params, how);
      try {
        return await ofOperation(shared, operation, how, () => {
          const answer = send(text, params, since);
          // What a write has done is told, however late: who was refused would send it again.
          return how.writes ? answer : answeredInTime(since, answer);
        });
      } catch (error) {
        const state = sqlState(error);
        if (state !== LOCK_NOT_AVAILABLE && state !== QUERY_CANCELED) throw error;
        if (state === QUERY_CANCELED) asker.aloneUntil = performance.now() + ALONE_MILLIS;
        return alone().rows(text, params, { ...how, since });
      }
    },
  };
}

/** Behind the statements of others: whoever has waited so long hears of no answer. */
function answeredInTime<T>(since: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = WAIT_MILLIS - (performance.now() - since);
    const stop = startPatience(left, () => reject(busy()));
    answer.then(resolve, reject).finally(stop);
  });
}
