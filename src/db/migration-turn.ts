import type { Database } from './client.ts';

/** Nodes that start at once take turns by this key. */
export const MIGRATION_LOCK = 7_201_101;

/** The database is not one that this code can work with, or cannot become one now. */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

/** Whoever has the lock waits for others as long as they need. It ends with the transaction, as PgBouncer wants it. */
export function inTurn<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    return work(tx);
  });
}
