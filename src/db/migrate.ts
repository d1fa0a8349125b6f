import { readMigrationFiles } from 'drizzle-orm/migrator';
import { projectPath } from '../paths.ts';
import type { Database } from './client.ts';
import { ensureTenantRole } from './tenant-role.ts';

/** Nodes that start at once take turns by this key. */
const MIGRATION_LOCK = 7_201_101;

const CREATE_JOURNAL = `create table if not exists migration (
  created_at bigint primary key,
  hash text not null,
  applied_at timestamptz not null default now()
)`;

/** The database is not one that this code can work with. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface MigrationResult {
  applied: number;
}

/**
 * Brings the database to the code's version, all in one database transaction. Safe when several nodes start at once.
 * Throws `MigrationError` where the database is newer than the code, or has another history.
 */
export async function migrate(db: Database, folder = projectPath('migrations')): Promise<MigrationResult> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  return db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await ensureTenantRole(tx);
    await tx.query(CREATE_JOURNAL);
    const done = await tx.query<{ created_at: number; hash: string }>(
      'select created_at, hash from migration order by created_at',
    );
    for (const [i, row] of done.entries()) checkHistory(known[i], row, known.length);
    const missing = known.slice(done.length);
    for (const { sql, folderMillis, hash } of missing) {
      for (const statement of sql) await tx.query(statement);
      await tx.query('insert into migration (created_at, hash) values ($1, $2)', [folderMillis, hash]);
    }
    return { applied: missing.length };
  });
}

type Known = ReturnType<typeof readMigrationFiles>[number] | undefined;

function checkHistory(known: Known, row: { created_at: number; hash: string }, count: number): void {
  if (!known) {
    throw new MigrationError(
      `The database is newer than this version of cardledger: it has a migration of ${new Date(row.created_at).toISOString()} that is not among the ${count} known ones. Start the newer version, or restore a back-up.`,
    );
  }
  if (known.folderMillis !== row.created_at || known.hash !== row.hash) {
    throw new MigrationError(
      `The database's migration of ${new Date(row.created_at).toISOString()} is not the one that this version of cardledger has in its place. Check that DATABASE_URL names the right database.`,
    );
  }
}
