import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './client.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from './errors.ts';

/** Nodes that start at once take turns by this key. */
export const MIGRATION_LOCK = 7_201_101;

/** The database is not one that this code can work with, or cannot become one now. */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

/** Given a line for people on what goes on, or is waited for. */
export type Tell = (line: string) => void;

const HOLDER = `
  select a.pid, to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
    case when a.backend_start is not null then coalesce(host(a.client_addr), 'this machine') end as address
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = 0 and l.objid = ${MIGRATION_LOCK} and l.granted
    and l.database = (select oid from pg_database where datname = current_database())`;

/** Whoever has the lock waits for others as long as they need. It ends with the transaction, as PgBouncer wants it. */
export function inTurn<T>(
  db: Database,
  work: (tx: Database) => Promise<T>,
  tell: Tell = () => {},
): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    const turn = tx.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tellingWhile(turn, () => holderOf(db), tell);
    return work(tx);
  });
}

async function holderOf(db: Database): Promise<string | null> {
  type Holder = { pid: number; since: string | null; address: string | null };
  const [holder] = await db.housekeeping.query<Holder>(HOLDER);
  if (!holder) return null;
  const { pid, since, address } = holder;
  return `Waiting for another that migrates or distributes the database${since ? ` since ${since}` : ''} (process ${pid} of the database${address ? `, from ${address}` : ', of another user'}). If nobody runs it any more: select pg_terminate_backend(${pid})`;
}

const FIRST_LINE_MILLIS = 3000;
const NEXT_LINE_MILLIS = 30_000;

/** Says what `work` waits for where that takes long, and again every half minute; null where there is nothing to say. */
export async function tellingWhile<T>(
  work: Promise<T>,
  why: () => Promise<string | null>,
  tell: Tell,
): Promise<T> {
  let timer: NodeJS.Timeout;
  let isDone = false;
  const look = async () => {
    // It is beside the work, which goes on without it.
    const line = await why().catch(() => null);
    if (isDone) return;
    if (line) tell(line);
    later(NEXT_LINE_MILLIS);
  };
  const later = (millis: number) => {
    timer = setTimeout(look, millis).unref();
  };
  later(FIRST_LINE_MILLIS);
  try {
    return await work;
  } finally {
    isDone = true;
    clearTimeout(timer!);
  }
}

/** What is done where others hold locks that it needs. */
export interface LockPatience {
  tries: number;
  /** Others wait behind it: less than the 3 s for which requests do. */
  timeoutMillis: number;
  pauseMillis: number;
}

export const LOCK_PATIENCE: LockPatience = { tries: 10, timeoutMillis: 2000, pauseMillis: 3000 };

/** Others hold what is needed; it may be tried again. */
class LockHeld extends MigrationError {}

/**
 * Throws `LockHeld` where the statement has waited too long for a lock.
 * @param what with which the message begins
 * @param code what PostgreSQL then says
 */
export async function lockingFor<T>(
  what: string,
  statement: Promise<T>,
  code = LOCK_NOT_AVAILABLE,
): Promise<T> {
  return statement.catch((error) => {
    if (sqlState(error) !== code) throw error;
    throw new LockHeld(
      `${what} waits for a lock on a table that others use, and nothing of it is kept. Let what runs long on the database end, such as an import, a back-up or an open transaction (pg_stat_activity shows it), and start again.`,
      { cause: error },
    );
  });
}

/** Tries again what found locks held. */
export async function withLockPatience<T>(
  { tries, pauseMillis }: LockPatience,
  work: () => Promise<T>,
): Promise<T> {
  for (let done = 1; ; done++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LockHeld) || done === tries) throw error;
      await sleep(pauseMillis);
    }
  }
}
