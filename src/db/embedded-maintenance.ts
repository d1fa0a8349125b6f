import { DomainError } from '../domain/errors.ts';
import { translated } from './errors.ts';
import type { Pool } from './pool.ts';
import { serviceTurn } from './turns.ts';

// PGlite has no background processes: nothing writes checkpoints while it runs, so its log of changes
// grows without end, and nothing vacuums, so tables that are updated grow too. This does that work.

const INTERVAL_MS = 60_000;
const MAX_WAL_BYTES = 64 * 1024 * 1024;
/** A large table on a slow disk takes longer than any statement of a request; given up, it would only begin again. */
const LIMIT_MILLIS = 10 * 60_000;

/** Tables due for VACUUM or ANALYZE by PostgreSQL's own default thresholds (autovacuum_*_threshold, _scale_factor). */
const DUE_TABLES = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE c.relkind = 'r' AND (
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
    OR s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    OR s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0))`;

const WAL_SINCE_CHECKPOINT = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`;

/** Vacuums the tables that are due, and writes a checkpoint when 64 MB were logged since the last one. */
export async function maintain({ use }: Pick<Pool, 'use'>): Promise<void> {
  const sent = (text: string) =>
    use(serviceTurn(), (connection) => {
      connection.limitMillis = LIMIT_MILLIS;
      return connection.send(text);
    });
  const send = async <Row>(text: string) => (await sent(text)).rows as Row[];
  for (const { name } of await send<{ name: string }>(DUE_TABLES)) await send(`VACUUM (ANALYZE) ${name}`);
  const [wal] = await send<{ bytes: number }>(WAL_SINCE_CHECKPOINT);
  if (wal!.bytes > MAX_WAL_BYTES) await send('CHECKPOINT');
}

/** Maintains the database every minute until the function it returns is called; that waits for a run to end. */
export function startMaintenance(
  server: Pick<Pool, 'use'>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, INTERVAL_MS).unref();
  function run(): void {
    running = maintain(server)
      .catch((error) => {
        // Others have it, or it is being opened: it tells of that itself.
        if (!(translated(error) instanceof DomainError)) onFailure(error);
      })
      .finally(() => {
        timer = setTimeout(run, INTERVAL_MS).unref();
      });
  }
  return async () => {
    clearTimeout(timer);
    await running;
    clearTimeout(timer);
  };
}
