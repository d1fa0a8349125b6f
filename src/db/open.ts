import type { OpenDatabase, ReplicaOptions } from './client.ts';
import { migrate } from './migrate.ts';
import { pgliteDatabase } from './pglite-database.ts';
import { postgresDatabase } from './postgres-database.ts';
import type { TellPrimary } from './primary.ts';

export interface OpenOptions {
  /** Null for the embedded database in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  onProgress: (message: string) => void;
  /** Of a PostgreSQL. */
  replicas?: ReplicaOptions | undefined;
  tellPrimary?: TellPrimary;
}

/** Opens the database that is configured and brings it to the code's version. */
export async function openDatabase({
  databaseUrl,
  dataDir,
  onProgress,
  replicas,
  tellPrimary,
}: OpenOptions): Promise<OpenDatabase> {
  const db =
    databaseUrl === null
      ? await embedded(dataDir, onProgress)
      : postgresDatabase(databaseUrl, undefined, undefined, replicas, tellPrimary);
  try {
    const { applied, waiting, distributed } = await migrate(db, { tell: onProgress });
    if (applied > 0) onProgress(`applied ${applied} migrations`);
    if (distributed) onProgress(`put ${distributed} tables on the nodes of Citus`);
    for (const { name, from } of waiting) {
      onProgress(`the migration ${name} waits until ${from} for nodes of the version before to be replaced`);
    }
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function embedded(dataDir: string, onProgress: (message: string) => void): Promise<OpenDatabase> {
  // 40 MB of WebAssembly that a service on PostgreSQL need not load.
  const { openEmbedded } = await import('./embedded.ts');
  return pgliteDatabase(await openEmbedded(dataDir, { onProgress }));
}
