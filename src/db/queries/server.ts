/** Statements on the server itself, whatever it holds. */

export const SERVER_VERSION = `select current_setting('server_version') as version`;
export const SERVER_CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as millis';
