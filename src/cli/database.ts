import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { isCitusNotLoaded } from '../db/citus-library.ts';
import { type Database, type OpenDatabase, sqlState } from '../db/client.ts';
import { DataDirectoryError } from '../db/directory-lock.ts';
import { READ_ONLY } from '../db/errors.ts';
import { missingMigrations } from '../db/migrate.ts';
import { pgliteDatabase } from '../db/pglite-database.ts';
import { postgresDatabase } from '../db/postgres-database.ts';
import { isUndecided } from '../db/primary.ts';
import { DomainError } from '../domain/errors.ts';
import { serverUrls } from '../lib/server-urls.ts';
import { CliError, messageOf } from '../server/errors.ts';

/** Which database is configured, for people; without the password. */
export function databaseName({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return `embedded database in ${resolve(dataDir)}`;
  const servers = serverUrls(databaseUrl).map((url) => new URL(url));
  return `PostgreSQL at ${servers.map(({ host }) => host).join(',')}${servers[0]!.pathname}`;
}

/**
 * Connects to the database as it is, and runs `work`. With `create` an embedded database that is missing is made. What
 * keeps the database from being used is a `CliError`.
 */
export async function withConnection<T>(
  config: Config,
  options: { create: boolean; onProgress: (message: string) => void },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  return explaining(config, async () => {
    const db = await connect(config, options);
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  });
}

async function connect(
  { databaseUrl, dataDir }: Config,
  { create, onProgress }: { create: boolean; onProgress: (message: string) => void },
): Promise<OpenDatabase> {
  if (databaseUrl !== null) return postgresDatabase(databaseUrl);
  if (!create && !existsSync(join(dataDir, 'embedded'))) {
    throw new CliError(
      'DatabaseNotReady',
      `There is no database in ${resolve(dataDir)}. Make one with "cardledger migrate", set DATA_DIR to its ` +
        'directory, or set DATABASE_URL to a PostgreSQL.',
    );
  }
  const { openEmbedded } = await import('../db/embedded.ts');
  return pgliteDatabase(await openEmbedded(dataDir, { onProgress }));
}

/** Only `migrate` and `serve` change the version of a database: all other commands refuse one of another version. */
export async function assertMigrated(db: Database): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing !== 0) throw new CliError('DatabaseNotReady', migrationAdvice(missing));
}

/** @param missing not 0 */
export function migrationAdvice(missing: number): string {
  if (missing < 0) return 'The database is newer than this version of cardledger. Use the newer version.';
  return `The database lacks ${missing} migration${missing === 1 ? '' : 's'} of this version. Run "cardledger migrate" first.`;
}

/** Runs `work`; failures to open or reach the database are told in the operator's words. */
export async function explaining<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, config);
  }
}

/** What a coordinator says of another node. */
const REMOTE_NODE = /connection to the remote node (?:[^\s@]+@)?(\S+:\d+) failed.*/s;

/** What PostgreSQL says to a user who does not own the tables. */
const NOT_OWNER = /^(permission denied for (table|sequence|function|schema)|must be owner of) /;

/** PostgreSQL's classes for a refused login and for a database that does not exist. */
const REFUSED_CONNECTION = /^(28|3D)/;

function explained(error: unknown, config: Config): unknown {
  const unavailable = (message: string) => new CliError('DatabaseUnavailable', message, { cause: error });
  const name = databaseName(config);
  if (error instanceof DataDirectoryError) {
    return new CliError('DataDirectory', explainedLock(error.message), { cause: error });
  }
  if (error instanceof DomainError && (isCitusNotLoaded(error.cause) || isUndecided(error.cause))) {
    return unavailable(messageOf(error.cause));
  }
  if (error instanceof DomainError && error.problem === 'Unavailable') {
    const { cause } = error.details;
    const [why, node] = REMOTE_NODE.exec(messageOf(cause)) ?? [];
    if (node !== undefined)
      return unavailable(
        `The node ${node} of the Citus does not answer (${why}): start it, or put its standby in its place (docs/operations.md, "Citus").`,
      );
    if (sqlState(cause) === READ_ONLY)
      return unavailable(
        `The ${name} takes no changes: it is a standby, or set to read only. Name the primary in DATABASE_URL.`,
      );
    return unavailable(
      `The ${name} does not answer (${messageOf(cause)}).${adviceFor(messageOf(cause), config)}`,
    );
  }
  const message = messageOf(error);
  if (REFUSED_CONNECTION.test(sqlState(error)))
    return unavailable(`The ${name} refuses the connection (${message}).${adviceFor(message, config)}`);
  if (NOT_OWNER.test(message))
    return unavailable(
      `The ${name} refuses what is needed (${message}): the user of DATABASE_URL is to own the tables.`,
    );
  return error;
}

/** What PgBouncer says to the settings of a session that it is not told to pass by. */
const PGBOUNCER_REFUSES = 'unsupported startup parameter';

function adviceFor(message: string, { databaseUrl }: Config): string {
  if (databaseUrl === null) return '';
  return message.includes(PGBOUNCER_REFUSES)
    ? ' Where that is a PgBouncer, add ?pgbouncer=true to DATABASE_URL.'
    : ' Check that it runs, and that DATABASE_URL is right.';
}

/** A server that runs is what most often holds the directory. */
function explainedLock(message: string): string {
  return message.replace(
    / Stop that process first, .*$/s,
    ' The embedded database takes one process at a time: stop the server while you use this command, ' +
      'or run both on a PostgreSQL (DATABASE_URL).',
  );
}
