import type { PGlite } from '@electric-sql/pglite';

// PGlite has no background processes: nothing writes checkpoints while it runs, so its log of changes
// grows without end, and nothing vacuums, so tables that are updated grow too. This does that work.

const INTERVAL_MS = 60_000;
const MAX_WAL_BYTES = 64 * 1024 * 1024;

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
export async function maintain(pglite: PGlite): Promise<void> {
  const due = await pglite.query<{ name: string }>(DUE_TABLES);
  for (const { name } of due.rows) await pglite.exec(`VACUUM (ANALYZE) ${name}`);
  const wal = await pglite.query<{ bytes: number }>(WAL_SINCE_CHECKPOINT);
  if ((wal.rows[0]?.bytes ?? 0) > MAX_WAL_BYTES) await pglite.exec('CHECKPOINT');
}

/** Maintains the database every minute until the function it returns is called; that waits for a run to end. */
export function startMaintenance(pglite: PGlite, onFailure: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, INTERVAL_MS).unref();
  function run(): void {
    running = maintain(pglite)
      .catch(onFailure)
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
