import { LRUCache } from 'lru-cache';
import type { Database, OpenDatabase, StatementListener, WorkListener } from './client.ts';
import { type Asker, accountAsker, type Driver, type Drivers, type How } from './drivers.ts';
import { isLostRace, translated } from './errors.ts';
import { newOperation, type Operation } from './operation.ts';
import { isStaleStatement } from './postgres-js.ts';
import type { Param } from './text-types.ts';
import { LOCKS } from './turns.ts';

const MAX_TRIES = 5;
/** Each finds one statement of a transaction that has to be prepared anew. */
const MAX_STALE_TRIES = 50;
const MAX_ACCOUNTS = 1000;

/** Whoever asks while it is under way is told with it. */
export function once(work: () => Promise<unknown>): () => Promise<void> {
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

/**
 * The databases of accounts, and who is told of the work that is done for them.
 * @param forService what they have in common
 * @param besideDriver what is done for an account beside its requests
 * @param requestsOf the database of its requests
 */
export function accountDatabases(
  forService: Options,
  besideDriver: (asker: Asker) => Driver,
  requestsOf: (asker: Asker, behind: Database) => Database,
): Pick<OpenDatabase, 'forAccount' | 'housekeepingOf' | 'onWork'> {
  const listeners: WorkListener[] = [];
  const askerOf = (accountId: string, platformId: string | undefined) =>
    accountAsker(accountId, platformId, (databaseMillis) => {
      for (const listener of listeners) listener(accountId, databaseMillis, platformId);
    });
  const housekeepingOf = kept((accountId, platformId) => {
    const driver = besideDriver({ ...askerOf(accountId, platformId), scope: null });
    return databaseOn({ own: driver, hot: driver }, forService);
  });
  return {
    onWork: (listener) => void listeners.push(listener),
    housekeepingOf,
    forAccount: kept((accountId, platformId) =>
      requestsOf(askerOf(accountId, platformId), housekeepingOf(accountId, platformId)),
    ),
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

export const NOTIFY = 'select pg_notify($1, $2)';

export interface Options {
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

export function databaseOn({ own, hot }: Drivers, options: Options, isTransaction = false): Database {
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
