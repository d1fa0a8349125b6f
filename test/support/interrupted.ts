import type { Database, OpenDatabase } from '../../src/db/client.ts';

/** The database, where each statement outside of transactions goes through `send`. */
export function sentThrough(
  database: OpenDatabase,
  through: (text: string, send: () => Promise<unknown[]>) => Promise<unknown[]>,
): OpenDatabase {
  const wrap = <D extends Database>(db: D): D => {
    const sending = (send: Database['query']) =>
      ((text, params, how) => through(text, () => send(text, params, how))) as typeof send;
    const forOperation = () => wrap<Database>(db.forOperation());
    return { ...db, query: sending(db.query), hot: sending(db.hot), forOperation };
  };
  return { ...wrap(database), forAccount: (...account) => wrap(database.forAccount(...account)) };
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
