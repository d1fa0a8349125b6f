import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresDatabase } from '../../src/db/postgres-database.ts';

const SAMPLE_MILLIS = 100;
const MEGABYTE = 2 ** 20;

/** What work took of this process and of its database at most. */
export interface Most {
  /** By which the memory of this process grew. */
  nodeMegabytes: number;
  /** Of one back end, without what all of them share. */
  backEndMegabytes: number;
  /** Of the event loop. */
  turnMillis: number;
  /** Of a statement, as far as it was seen in samples. */
  statementSeconds: number;
  statement: string;
  /** For which somebody waited, as far as it was seen. */
  lockSeconds: number;
}

interface Seen {
  pid: number;
  seconds: number;
  statement: string;
  lockSeconds: number;
}

const BACK_ENDS = `
  select a.pid, case when a.state = 'active' then extract(epoch from clock_timestamp() - a.query_start)::float8 else 0 end as seconds,
    left(regexp_replace(a.query, '\\s+', ' ', 'g'), 80) as statement,
    coalesce((select max(extract(epoch from clock_timestamp() - l.waitstart))::float8 from pg_locks l where l.pid = a.pid), 0) as "lockSeconds"
  from pg_stat_activity a
  where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()`;

/**
 * Does the work and says what it took at most. On Linux, as root.
 * @param url of the database, as a superuser
 */
export async function watched<T>(url: string, work: () => Promise<T>): Promise<{ result: T; most: Most }> {
  const admin = postgresDatabase(url);
  const before = process.memoryUsage.rss();
  const turns = monitorEventLoopDelay({ resolution: 1 });
  const most: Most = {
    nodeMegabytes: 0,
    backEndMegabytes: 0,
    turnMillis: 0,
    statementSeconds: 0,
    statement: '',
    lockSeconds: 0,
  };
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      most.nodeMegabytes = Math.max(most.nodeMegabytes, (process.memoryUsage.rss() - before) / MEGABYTE);
      for (const seen of await admin.query<Seen>(BACK_ENDS)) note(most, seen);
      await sleep(SAMPLE_MILLIS);
    }
  };
  turns.enable();
  const looking = look();
  try {
    const result = await work();
    most.turnMillis = turns.max / 1e6;
    return { result, most };
  } finally {
    isOver = true;
    turns.disable();
    await looking;
    await admin.close();
  }
}

function note(most: Most, { pid, seconds, statement, lockSeconds }: Seen): void {
  most.backEndMegabytes = Math.max(most.backEndMegabytes, megabytesOf(pid));
  most.lockSeconds = Math.max(most.lockSeconds, lockSeconds);
  if (seconds > most.statementSeconds) Object.assign(most, { statementSeconds: seconds, statement });
}

/** What it has that is no shared memory; it may have ended since it was seen. What is read here is at hand, unlike the sums over all pages. */
function megabytesOf(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return 0;
  }
}
