import { DomainError } from '../domain/errors.ts';

const RETRY_AFTER_SECONDS = 2;
const UNAVAILABLE_CODES =
  /^(24000|25006|40001|40P01|55P03|08...|57P0[1-5]|53[0-9A-Z]{3}|58[0-9A-Z]{3}|57014|CONNECT(ION)?_[A-Z_]+|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

export const LOCK_NOT_AVAILABLE = '55P03';
/** The server takes no changes: it is a standby by now, or was set to read only. */
export const READ_ONLY = '25006';
export const UNIQUE_VIOLATION = '23505';
/**
 * Such as `cannot drop active portal`. Nothing here uses cursors, so the session has not cleaned up behind a statement that
 * failed, as the embedded database where its disk is full: all that it is sent from then on fails so.
 */
export const INVALID_CURSOR_STATE = '24000';
/** A file of the database cannot be read or written, or is gone. */
export const SYSTEM_ERROR = /^58/;
/** By a deadline, too. */
export const QUERY_CANCELED = '57014';

/** What Citus says, or repeats of libpq and of a worker, where that goes away in the middle of a transaction or as it commits, under the code of an error within. */
const INTERNAL_ERROR = 'XX000';
const LOST_WORKER =
  /^(failure on connection marked as essential|could not commit transaction (for shard \d+ )?on (at least one|any) active node|terminating connection due to|server closed the connection unexpectedly|could not (receive data from|send data to) server|no connection to the server|connection not open|SSL connection has been closed|SSL (SYSCALL )?error)/;
/** What its functions say where the server does not load it. */
const LIBRARY_MISSING = /^Citus can only be loaded via shared_preload_libraries/;

/** The SQLSTATE or driver code of an error, or an empty text. */
export function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whether a lock was waited for until a time-out, as the driver tells it or as `translated` does. */
export function isLockNotAvailable(error: unknown): boolean {
  return metLock(error) || metLock((error as { cause?: unknown } | null)?.cause);
}

/**
 * Whether it was waiting for a lock, or was the next to have a row that others hold, when it was broken off. `lock_timeout` is
 * of one wait: who waits for several holders of a row, one after the other, may come to the deadline of the statement first.
 * PostgreSQL tells then which row that was, by its place within its table, in whatever language.
 */
function metLock(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === LOCK_NOT_AVAILABLE ||
    (state === QUERY_CANCELED && ROW.test((error as PostgresFailure).where ?? ''))
  );
}

/** As in `while locking tuple (0,1) in relation "collection"`. */
const ROW = /^(?:[^"«»„“\n]|"\w+")*\(\d+, ?\d+\)/;

/** Serialisation failure, deadlock. */
const LOST_RACES = new Set(['40001', '40P01']);
const DATATYPE_MISMATCH = '42804';

/** Whether it goes away when the statement, or its transaction, is tried again. */
export function isLostRace(error: unknown): boolean {
  const state = sqlState(error);
  return LOST_RACES.has(state) || (state === DATATYPE_MISMATCH && hasOtherRows(error as PostgresFailure));
}

type PostgresFailure = Error & { routine?: string; where?: string };

/** Of a function that gives rows of a table to which a migration has added a column while it waited. Citus repeats the messages alone. */
function hasOtherRows({ routine, message }: PostgresFailure): boolean {
  return (
    routine === 'build_attrmap_by_position' ||
    /^(structure of query does not match|wrong record type supplied in RETURN NEXT)/.test(message)
  );
}

/** What keeps the database from answering, as `Unavailable`; any other error as it is. */
export function translated(error: unknown): unknown {
  const state = sqlState(error);
  if (!UNAVAILABLE_CODES.test(state) && !(state === INTERNAL_ERROR && isCitusAway(error as Error)))
    return error;
  if (metLock(error))
    return unavailable(
      'Other changes of the same things took too long to wait for, and nothing was changed. Try again shortly.',
      error,
    );
  return unavailable('The database cannot be reached at the moment. Try again shortly.', error);
}

function isCitusAway({ message }: Error): boolean {
  return LOST_WORKER.test(message) || LIBRARY_MISSING.test(message);
}

export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('Unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}
