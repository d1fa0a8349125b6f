/** SQL that says which server answers, and of which database: by functions that everybody may call. */

/** The same for a primary and its standbys, and for no other database: a system is copied with its files, and its databases with it. */
export const DATABASE_IDENTITY = `(select system_identifier::text from pg_control_system()) || ' '
  || (select oid::text from pg_database where datname = current_database())`;

/** To a millionth of a second: the same of two addresses that lead to one server, and another one when it was started anew. */
export const STARTED_AT = 'pg_postmaster_start_time()::text';

/** The name of the file that a primary writes its changes to begins with its timeline, in hexadecimal. */
export const TIMELINE_OF = (lsn: string) => `('x' || left(pg_walfile_name(${lsn}), 8))::bit(32)::integer`;
