import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pgliteOptions } from '../../src/db/embedded-options.ts';
import { type EmbeddedServer, openServer } from '../../src/db/embedded-server.ts';

// Making a database from nothing takes 2 s and 750 MB; loading a dump of an empty one takes 0.25 s and
// 80 MB. So the dump (39 MB) is made once for each version of PGlite, and kept beside its package.

let template: Promise<Blob> | undefined;

/**
 * Kept for as long as the process lives, so that V8 has it at hand, and what it makes of it, for each thread that opens a
 * database: to compile it anew takes a second of processor time.
 */
export const program = readFile(
  createRequire(import.meta.url).resolve('@electric-sql/pglite/pglite.wasm'),
).then((bytes) => WebAssembly.compile(bytes));

/**
 * A new embedded database in memory, in a thread as the product has it. Close it when the test is done.
 * @param dump what to start from, by default an empty database
 */
export async function freshServer(dump?: Blob): Promise<EmbeddedServer> {
  return openServer({ loadDataDir: dump ?? (await emptyDump()) });
}

/** The same PGlite without a thread, to set it up with scripts and to dump it. */
export async function freshPglite(dump?: Blob): Promise<PGlite> {
  return PGlite.create({ ...pgliteOptions, loadDataDir: dump ?? (await emptyDump()) });
}

export function emptyDump(): Promise<Blob> {
  template ??= loadTemplate();
  return template;
}

/** A dump of what `fill` makes of an embedded database, by default an empty one. */
export async function dumpOf(fill: (server: EmbeddedServer) => Promise<unknown>, from?: Blob): Promise<Blob> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-dump-'));
  const dataDir = join(folder, 'database');
  await (
    await PGlite.create(dataDir, { ...pgliteOptions, loadDataDir: from ?? (await emptyDump()) })
  ).close();
  const server = await openServer({ dataDir });
  await fill(server);
  await server.close();
  const pglite = await PGlite.create(dataDir, pgliteOptions);
  await dropSpareLog(pglite, dataDir);
  const dump = await pglite.dumpDataDir('none');
  await pglite.close();
  await rm(folder, { recursive: true });
  return dump;
}

/** Segments of the log of changes, of 16 MB each, that are kept to be written over: each database would copy them. */
async function dropSpareLog(pglite: PGlite, dataDir: string): Promise<void> {
  const { rows } = await pglite.query<{ file: string }>(
    `select redo_wal_file as file from pg_control_checkpoint()
     union select pg_walfile_name(pg_current_wal_insert_lsn())`,
  );
  const needed = rows.map(({ file }) => file);
  const segments = (await readdir(join(dataDir, 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  for (const name of segments) if (!needed.includes(name)) await rm(join(dataDir, 'pg_wal', name));
}

async function loadTemplate(): Promise<Blob> {
  const file = await templateFile();
  const saved = await readFile(file).catch(() => undefined);
  if (saved) return new Blob([saved]);
  const dump = await dumpOfEmptyDatabase();
  await saveWhole(file, dump);
  return dump;
}

async function templateFile(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const packageFolder = dirname(dirname(main));
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  return join(packageFolder, '..', '..', '.cache', 'cardledger', `pglite-${version}.tar`);
}

async function dumpOfEmptyDatabase(): Promise<Blob> {
  const pglite = await PGlite.create(pgliteOptions);
  try {
    await pglite.exec('CHECKPOINT');
    return await pglite.dumpDataDir('none');
  } finally {
    await pglite.close();
  }
}

/** Other workers may read or write the file at the same time: they see all of it or nothing. */
async function saveWhole(file: string, content: Blob): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, content.stream());
  await rename(unfinished, file);
}
