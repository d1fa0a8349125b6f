import type { Database, OpenDatabase } from '../../src/db/client.ts';

/** The database, where `meanwhile` is done once behind the first statement of this text, before its rows are seen. */
export function interrupted(
  database: OpenDatabase,
  statement: string,
  meanwhile: () => Promise<unknown>,
): OpenDatabase {
  let isDone = false;
  const wrap = <D extends Database>(db: D): D => {
    const sending = (send: Database['query']) =>
      (async (text, params) => {
        const rows = await send(text, params);
        if (text === statement && !isDone) {
          isDone = true;
          await meanwhile();
        }
        return rows;
      }) as typeof send;
    const forOperation = () => wrap<Database>(db.forOperation());
    return { ...db, query: sending(db.query), hot: sending(db.hot), forOperation };
  };
  return { ...wrap(database), forAccount: (...account) => wrap(database.forAccount(...account)) };
}
