import type { Database, OpenDatabase } from '../../src/db/client.ts';

/** The database, where each statement with `word` fails, however it is sent. */
export function brokenDatabase(database: OpenDatabase, word: string, error: unknown): OpenDatabase {
  const wrap = <D extends Database>(db: D): D => {
    const failing = (send: Database['query']) =>
      ((text, params, how) =>
        text.includes(word) ? Promise.reject(error) : send(text, params, how)) as typeof send;
    return {
      ...db,
      query: failing(db.query),
      hot: failing(db.hot),
      transaction: (work, how) => db.transaction((tx) => work(wrap(tx)), how),
      forOperation: () => wrap(db.forOperation()),
    };
  };
  return {
    ...wrap(database),
    housekeeping: wrap(database.housekeeping),
    housekeepingOf: (...account) => wrap(database.housekeepingOf(...account)),
    urgent: wrap(database.urgent),
    forAccount: (...account) => wrap(database.forAccount(...account)),
  };
}
