import type { Database, OpenDatabase, Param } from '../db/client.ts';
import type { Metrics } from './metrics.ts';

/** Told of a statement when it is sent; the function that it gives is called at the statement's end. */
export type StatementObserver = (text: string) => (error?: unknown) => void;

/**
 * The database as one request uses it, which tells of each of its statements. An object for each request, so that it is
 * known whose a statement is without async hooks, which would slow down everything.
 */
export function observedDatabase(db: Database, observe: StatementObserver): Database {
  return new ObservedDatabase(db, observe);
}

/** The database as the service itself uses it, beside its requests: for tokens, keys, what is held in memory, purges. */
export function serviceDatabase(db: OpenDatabase, metrics: Metrics): OpenDatabase {
  const observed = observedDatabase(db, () => {
    const start = performance.now();
    return (error) => metrics.statement('service', error !== undefined, (performance.now() - start) / 1000);
  });
  const { listen, forAccount, close } = db;
  return Object.assign(observed, { listen, forAccount, close });
}

class ObservedDatabase implements Database {
  readonly #db: Database;
  readonly #observe: StatementObserver;

  constructor(db: Database, observe: StatementObserver) {
    this.#db = db;
    this.#observe = observe;
  }

  query<Row>(text: string, params?: readonly Param[]): Promise<Row[]> {
    return this.#observed(text, () => this.#db.query<Row>(text, params));
  }

  hot<Row>(text: string, params?: readonly Param[]): Promise<Row[]> {
    return this.#observed(text, () => this.#db.hot<Row>(text, params));
  }

  async #observed<Row>(text: string, send: () => Promise<Row[]>): Promise<Row[]> {
    const end = this.#observe(text);
    try {
      const rows = await send();
      end();
      return rows;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#db.transaction((tx) => work(new ObservedDatabase(tx, this.#observe)));
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
