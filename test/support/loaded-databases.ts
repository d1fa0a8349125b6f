import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenDatabase, StatementListener } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { dateOf } from '../../src/domain/dates.ts';
import { loadShippedData } from '../../src/first-run.ts';
import { projectPath } from '../../src/paths.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { makeCitusTemplate } from './citus-server.ts';
import { NOW } from './clock.ts';
import { citusAt, emptyPostgresUrl } from './empty-postgres.ts';
import { dumpOf, freshServer } from './pglite-template.ts';

/** Databases that hold what a first start loads, copied from a template, since loading takes seconds. */

/** More than a user's operation may take, as the machine of a test may be slow. */
const OPERATION_MILLIS = 60_000;

const TEMPLATE_LOCK = 7_201_102;

/** What the templates are made of: they are made again when one of these changes. */
const INGREDIENTS = ['migrations', 'data', 'src/db', 'src/domain', 'src/importers', 'src/services/market'];

async function load(db: OpenDatabase): Promise<void> {
  await migrate(db);
  await loadShippedData(db, { samplesSince: dateOf(NOW), today: dateOf(NOW), progress: noProgress });
  await db.transaction(async (tx) => {
    // A slow machine takes longer than a request may.
    await tx.liftTimeouts();
    // So that a test can say what an amount of any day comes to.
    await tx.query('delete from fx_rate where day < $1::date', [dateOf(NOW)]);
    await tx.query('analyze');
  });
}

/** A database of its own on the server at `url`. */
export async function loadedPostgres(url: string, listener?: StatementListener): Promise<OpenDatabase> {
  const { url: own } = await loadedPostgresUrl(url);
  return postgresDatabase(own, listener, OPERATION_MILLIS);
}

/** The address of a new loaded database, for servers that are started as processes. */
export async function loadedPostgresUrl(serverUrl: string): Promise<{ url: string }> {
  const admin = postgresDatabase(serverUrl);
  try {
    return await admin.transaction(async (lock) => {
      await lock.liftTimeouts();
      await lock.query(`select pg_advisory_xact_lock(${TEMPLATE_LOCK})`);
      const template = `cardledger_template_${await digestOfIngredients()}`;
      const known = await lock.query('select 1 from pg_database where datname = $1', [template]);
      if (known.length === 0) await makeTemplate(admin, serverUrl, template);
      return { url: await emptyPostgresUrl(serverUrl, template) };
    });
  } finally {
    await admin.close();
  }
}

async function makeTemplate(admin: OpenDatabase, serverUrl: string, name: string): Promise<void> {
  const unfinished = await emptyPostgresUrl(serverUrl);
  const db = postgresDatabase(unfinished);
  await load(db);
  await db.close();
  const own = new URL(unfinished).pathname.slice(1);
  const citus = citusAt(serverUrl);
  if (citus) await makeCitusTemplate(citus, own, name);
  else await admin.query(`alter database ${own} rename to ${name}`);
}

let dump: Promise<Blob> | undefined;

/** An embedded database of its own, in memory. */
export async function loadedPglite(listener?: StatementListener): Promise<OpenDatabase> {
  dump ??= loadedDump();
  return pgliteDatabase(await freshServer(await dump), listener, OPERATION_MILLIS);
}

/** A dump of a loaded embedded database, kept beside the packages until its ingredients change. */
export async function loadedDump(): Promise<Blob> {
  const folder = projectPath('node_modules/.cache/cardledger');
  const file = join(folder, `loaded-${await digestOfIngredients()}.tar`);
  const saved = await readFile(file).catch(() => null);
  if (saved) return new Blob([saved]);
  const made = await dumpOf(async (server) => {
    const db = pgliteDatabase(server);
    await load(db);
    for (const statement of ['vacuum', 'checkpoint']) await db.query(statement);
  });
  await mkdir(folder, { recursive: true });
  const part = `${file}.${process.pid}`;
  await writeFile(part, Buffer.from(await made.arrayBuffer()));
  await rename(part, file);
  return made;
}

let digest: Promise<string> | undefined;

function digestOfIngredients(): Promise<string> {
  digest ??= digestOf(INGREDIENTS);
  return digest;
}

async function digestOf(names: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of names.map(projectPath)) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}
