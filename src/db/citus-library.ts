import { sqlState } from './errors.ts';

/**
 * A server that does not load the library of Citus, as after a restart by settings that lack it, answers as if the tables on its
 * nodes were empty. So each connection looks once, when it is opened: sessions end with the server.
 */

/** No row where the database does not have the extension. The setting is the library's own; without it nobody has it who has not made one of that name. */
export const CITUS_LIBRARY = `
  select current_setting('citus.version', true) is not null as "isLoaded" from pg_extension where extname = 'citus'`;

/**
 * Fails where the library is not loaded. For each transaction behind PgBouncer, whose sessions end without our noticing. No query, behind
 * which the transaction could not be one of a single snapshot any more.
 */
export const ASSERT_LIBRARY = 'show citus.version';

const UNDEFINED_OBJECT = '42704';

/** What is said to `ASSERT_LIBRARY`. */
export function isLibraryMissing(error: unknown): boolean {
  return sqlState(error) === UNDEFINED_OBJECT && (error as Error).message.includes('citus.version');
}

const NOT_LOADED = 'CONNECTION_LACKS_CITUS';

/** As of a server that cannot be reached, which it is as good as. */
export function citusNotLoaded(): Error {
  const message =
    'The database has the extension citus, but its server does not load it, and without it distributed tables look empty: add citus to shared_preload_libraries and restart PostgreSQL.';
  return Object.assign(new Error(message), { code: NOT_LOADED });
}

export function isCitusNotLoaded(error: unknown): boolean {
  return sqlState(error) === NOT_LOADED;
}
