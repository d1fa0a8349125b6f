import type { Database, HotHow, How, OpenDatabase, Param } from '../db/client.ts';
import { statementSent, turnOf } from '../lib/in-turns.ts';
import { type Payer, workFor } from '../lib/processor-time.ts';
import type { Metrics } from './metrics.ts';

/** Told of a statement when it is sent; the function that it gives is called at the statement's end. */
export type StatementObserver = (text: string) => (error?: unknown) => void;

/**
 * The database as one request uses it, which tells of each of its statements, and for whom the process works behind it. An object for each request, so that it is
 * known whose a statement is without async hooks, which would slow down everything.
 */
export function observedDatabase(db: Database, observe: StatementObserver, asker?: Asker): Database {
  return new ObservedDatabase(db, observe, asker);
}

export interface Asker {
  payer: Payer;
  leaving: AbortSignal;
  /** Told of what is stored behind the answer. */
  observeBehind: StatementObserver;
}

/** Counts statements as those of the service itself. */
export function serviceObserver(metrics: Metrics): StatementObserver {
  return () => {
    const start = performance.now();
    return (error) => metrics.statement('service', error !== undefined, (performance.now() - start) / 1000);
  };
}

/** The database as the service itself uses it, beside its requests: for tokens, keys, what is held in memory, purges. */
export function serviceDatabase(db: OpenDatabase, metrics: Metrics): OpenDatabase {
  const observe = serviceObserver(metrics);
  const housekeepingOf: OpenDatabase['housekeepingOf'] = (...account) =>
    observedDatabase(db.housekeepingOf(...account), observe);
  const { listen, forAccount, onWork, onLost, check, close } = db;
  const housekeeping = observedDatabase(db.housekeeping, observe);
  const urgent = observedDatabase(db.urgent, observe);
  const members = {
    housekeeping,
    behind: housekeeping,
    housekeepingOf,
    urgent,
    listen,
    forAccount,
    onWork,
    onLost,
    check,
    close,
  };
  return Object.assign(new ObservedDatabase(db, observe), members);
}

class ObservedDatabase implements Database {
  readonly #db: Database;
  readonly #observe: StatementObserver;
  readonly #asker: Asker | undefined;
  readonly housekeeping: Database;
  readonly behind: Database;
  readonly urgent: Database;

  constructor(db: Database, observe: StatementObserver, asker?: Asker) {
    this.#db = db;
    this.housekeeping = db.housekeeping;
    this.behind = asker ? new ObservedDatabase(db.behind, asker.observeBehind) : db.behind;
    this.urgent = db.urgent;
    this.#observe = observe;
    this.#asker = asker;
  }

  query<Row>(text: string, params?: readonly Param[], how?: How): Promise<Row[]> {
    return this.#observed(text, () => this.#db.query<Row>(text, params, how));
  }

  hot<Row>(text: string, params?: readonly Param[], how?: HotHow): Promise<Row[]> {
    return this.#observed(text, () => this.#db.hot<Row>(text, params, how));
  }

  async #observed<Row>(text: string, send: () => Promise<Row[]>): Promise<Row[]> {
    const end = this.#observe(text);
    const payer = this.#asker?.payer;
    const answered = payer && statementSent(payer);
    try {
      const rows = await send();
      workFor(payer);
      answered?.();
      end();
      // What is made of them may take some milliseconds.
      const turn = payer && turnOf(payer);
      if (turn) await turn;
      return rows;
    } catch (error) {
      workFor(payer);
      answered?.();
      end(error);
      throw error;
    }
  }

  async transaction<T>(work: (tx: Database) => Promise<T>, how?: Pick<How, 'reads' | 'writes'>): Promise<T> {
    const observed = (tx: Database) => new ObservedDatabase(tx, this.#observe, this.#asker);
    try {
      return await this.#db.transaction((tx) => work(observed(tx)), how);
    } finally {
      workFor(this.#asker?.payer);
    }
  }

  forOperation(): Database {
    const operation = this.#db.forOperation(this.#asker?.leaving);
    return new ObservedDatabase(operation, this.#observe, this.#asker);
  }

  onlyReads(): Database | null {
    const readers = this.#db.onlyReads();
    return readers && new ObservedDatabase(readers, this.#observe, this.#asker);
  }

  liftOperation(): Promise<void> {
    return this.#db.liftOperation();
  }

  liftTimeouts(): Promise<void> {
    return this.#db.liftTimeouts();
  }

  notify(channel: string, message: string): void {
    this.#db.notify(channel, message);
  }

  afterCommit(work: () => void): void {
    this.#db.afterCommit(work);
  }

  get kind(): Database['kind'] {
    return this.#db.kind;
  }

  get identity(): object {
    return this.#db.identity;
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }
}
