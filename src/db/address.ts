import { serverUrls } from '../lib/server-urls.ts';
import { type Address, CONNECT_TIMEOUT_MILLIS, newConnection } from './connection.ts';
import { DATABASE_IDENTITY, STARTED_AT, TIMELINE_OF } from './identity.ts';
import { Primary, type Seen, type TellPrimary } from './primary.ts';

/** How to reach the database that `DATABASE_URL` names. Where that names several servers, they are looked at when a connection is opened. */
export function addressOf(databaseUrl: string, tell?: TellPrimary): Address {
  const addresses = serverUrls(databaseUrl).map(serverAddress);
  const { url, pgbouncer } = addresses[0]!;
  if (addresses.length === 1) return { url, pgbouncer, primary: null };
  const urls = addresses.map((address) => address.url);
  return { url, pgbouncer, primary: new Primary(urls, (one) => lookAt(one, pgbouncer), tell) };
}

function serverAddress(serverUrl: string): { url: string; pgbouncer: boolean } {
  const url = new URL(serverUrl);
  const pgbouncer = url.searchParams.get('pgbouncer') === 'true';
  url.searchParams.delete('pgbouncer');
  // As it is with several servers, and cannot be otherwise.
  url.searchParams.delete('target_session_attrs');
  return { url: url.href, pgbouncer };
}

/** As `Seen`. */
const LOOK = `
  select ${DATABASE_IDENTITY} as database, ${STARTED_AT} as "startedAt",
    case when pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean then null
    else ${TIMELINE_OF('pg_current_wal_lsn()')} end as timeline`;

async function lookAt(url: string, pgbouncer: boolean): Promise<Seen> {
  const connection = newConnection({ url, pgbouncer, primary: null }, { onClosed: () => {} });
  try {
    connection.limitMillis = CONNECT_TIMEOUT_MILLIS;
    const { rows } = await connection.send(LOOK);
    return rows[0] as Seen;
  } finally {
    void connection.close();
  }
}
