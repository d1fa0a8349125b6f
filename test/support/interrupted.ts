import type { Database, OpenDatabase } from '../../src/db/client.ts';

/** The database, and those of accounts and operations that it gives, each with what `changes` makes of it. */
function changed(database: OpenDatabase, changes: (db: Database) => Partial<Database>): OpenDatabase {
  const wrap = <D extends Database>(db: D): D => ({
    ...db,
    ...changes(db),
    forOperation: () => wrap<Database>(db.forOperation()),
  });
  return { ...wrap(database), forAccount: (...account) => wrap(database.forAccount(...account)) };
}

/** The database, where each statement outside of transactions goes through `send`. */
export function sentThrough(
  database: OpenDatabase,
  through: (text: string, send: () => Promise<unknown[]>) => Promise<unknown[]>,
): OpenDatabase {
  const sending = (send: Database['query']) =>
    ((text, params, how) => through(text, () => send(text, params, how))) as typeof send;
  return changed(database, ({ query, hot }) => ({ query: sending(query), hot: sending(hot) }));
}

/** The database, whose transactions go through `through`; what `run` is given makes another database of that of the transaction. */
export function transactionsThrough(
  database: OpenDatabase,
  through: <T>(
    run: (seenAs?: (tx: Database) => Database) => Promise<T>,
    how: Parameters<Database['transaction']>[1],
  ) => Promise<T>,
): OpenDatabase {
  return changed(database, (db) => ({
    transaction: (work, how) =>
      through((seenAs = (tx) => tx) => db.transaction((tx) => work(seenAs(tx)), how), how),
  }));
}

/** The database, where `meanwhile` is done once behind the first statement of this text, before its rows are seen. */
export function interrupted(
  database: OpenDatabase,
  statement: string,
  meanwhile: () => Promise<unknown>,
): OpenDatabase {
  let isDone = false;
  return sentThrough(database, async (text, send) => {
    const rows = await send();
    if (text === statement && !isDone) {
      isDone = true;
      await meanwhile();
    }
    return rows;
  });
}
